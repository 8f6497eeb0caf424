import { expect, test } from 'vitest'
import { ManualClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { ComponentGraph, type Bounded } from './component-graph.ts'
import { shutDown } from './shut-down.ts'

const never = new Promise<void>(() => {})
const OPEN = { requests: 3, connections: 2, longRunning: ['GET /api/v1/pods', 'POST /x'] }

/** A server of which parts do not end. */
function server({ drain = Promise.resolve() }: { drain?: Promise<void> }) {
  const clock = new ManualClock()
  const lines: unknown[] = []
  const log = {
    info: (message: string) => void lines.push(message),
    error: (message: string, fields: object) => void lines.push([message, fields]),
  } as unknown as Log
  const parts = {
    requests: { state: { shutdown: { hasBegun: false } } },
    listener: { drain: () => drain, open: () => OPEN },
    serverLease: null,
  } as unknown as Parameters<typeof shutDown>[1]
  const options = { shutdownGraceMs: 1000, shutdownDelayMs: 500 }
  const end = (stop: (bounded: Bounded) => Promise<void>) =>
    shutDown({ options, clock, log }, parts, stop)
  return { clock, lines, end }
}

/** Lets a clock move while promises go on. */
async function pass(clock: ManualClock, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    clock.advance(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a shutdown of which the connections do not end ends after the delay, twice the grace and some seconds', async () => {
  const { clock, lines, end } = server({ drain: never })
  let stopped = false
  const ended = end(async () => void (stopped = true))
  const failed = expect(ended).rejects.toThrow(
    'the shutdown took too long at requests and connections',
  )
  await pass(clock, 38)
  await failed
  expect(stopped).toBe(false)
  expect(lines).toEqual([
    'no new requests are accepted',
    [
      'the shutdown takes too long',
      {
        at: 'requests and connections',
        requests: 3,
        connections: 2,
        longRunning: 'GET /api/v1/pods, POST /x',
      },
    ],
  ])
})

test('a component that does not stop keeps no other from being stopped', async () => {
  const { clock, lines, end } = server({})
  const stopped: string[] = []
  const graph = new ComponentGraph<{ store: null; audit: null }>([
    { name: 'store', start: () => ({ part: null, stop: () => void stopped.push('store') }) },
    { name: 'audit', needs: ['store'], start: () => ({ part: null, stop: () => never }) },
  ])
  await graph.start()
  const failed = expect(end((bounded) => graph.stop(bounded))).rejects.toThrow(
    'the shutdown took too long at the component audit',
  )
  await pass(clock, 16)
  await failed
  expect(stopped).toEqual(['store'])
  expect(lines.at(-1)).toMatchObject([
    'the shutdown takes too long',
    { at: 'the component audit', requests: 3 },
  ])
})

test('a shutdown in order says nothing of it, and leaves no timer', async () => {
  const { clock, lines, end } = server({})
  const ended = end(async () => {})
  await pass(clock, 1)
  await ended
  await pass(clock, 100)
  expect(lines).toEqual(['no new requests are accepted', 'all requests have ended'])
})
