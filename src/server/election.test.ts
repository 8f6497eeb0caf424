import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../base/log.ts'
import type { Api } from '../registry/context.ts'
import { inProcess } from './in-process.fixture.ts'
import { takePart, type Election } from './election.ts'
import { StoreUnavailable } from '../engine/engine.ts'

const PLACE = ['coordination{api}/v1', 'leases', 'default', 'work'] as const
const SECOND = 1_000

let context: Awaited<ReturnType<typeof inProcess>>
let said: string[]
let candidates: Map<string, Candidate>
beforeEach(async () => {
  context = await inProcess()
  said = []
  candidates = new Map()
})
afterEach(async () => {
  for (const { election } of candidates.values()) await election.stop()
  await context.close()
})

interface Candidate {
  readonly election: Election
  /** While true, none of its writes arrive. */
  isCut: boolean
  /** Whether its clock is stopped. */
  isFrozen: boolean
}

/** Joins the election as the given candidate; records when leadership begins and ends. */
async function enter(identity: string): Promise<void> {
  const self = { isCut: false, isFrozen: false }
  const { api, clock } = context
  const cache = new Proxy(api.cache, {
    get(target, name) {
      if (name === 'commit' && self.isCut)
        return () => Promise.reject(new StoreUnavailable('nobody there'))
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const own: Api = {
    ...api,
    cache,
    clock: {
      now: () => clock.now(),
      after: (ms, call) => clock.after(ms, () => (self.isFrozen ? undefined : call())),
    },
  }
  const election = await takePart({
    api: own,
    audit: null,
    log: { ...silentLog, warn: (text) => said.push(`${identity}: ${text}`) },
    namespace: 'default',
    name: 'work',
    identity,
    async start() {
      said.push(`${identity} begins`)
      return { idle: async () => {}, stop: async () => void said.push(`${identity} ends`) }
    },
  })
  candidates.set(identity, Object.assign(self, { election }))
}

/** Advances the time; returns the records since. */
async function pass(seconds: number): Promise<string[]> {
  for (let i = 0; i < seconds; i++) {
    context.clock.advance(SECOND)
    for (const { election } of candidates.values()) await election.idle()
  }
  return said.splice(0)
}

const spec = async () => (await context.hand.get(PLACE)).spec

test('the first is elected and stays so', async () => {
  await enter('a')
  await enter('b')
  expect(await pass(0)).toEqual(['a begins'])
  expect(await spec()).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 12,
    acquireTime: '2024-01-02T03:04:05.000000Z',
    renewTime: '2024-01-02T03:04:05.000000Z',
    leaseTransitions: 0,
  })
  expect(await pass(60)).toEqual([])
  expect(await spec()).toEqual({
    holderIdentity: 'a',
    leaseDurationSeconds: 12,
    acquireTime: '2024-01-02T03:04:05.000000Z',
    renewTime: '2024-01-02T03:05:05.000000Z',
    leaseTransitions: 0,
  })
})

test('a server is elected where requests are not served leases', async () => {
  vi.spyOn(context.catalogue, 'find').mockReturnValue(undefined)
  await enter('a')
  vi.restoreAllMocks()
  expect([await pass(0), (await spec()).holderIdentity]).toEqual([['a begins'], 'a'])
})

test('a candidate that joins a free election waits for one other only', async () => {
  await Promise.all(['a', 'b', 'c'].map(enter))
  const [begins, ...others] = await pass(30)
  expect([begins, others]).toEqual([expect.stringMatching(/^[abc] begins$/), []])
})

describe('the holder', () => {
  beforeEach(async () => {
    await enter('a')
    await enter('b')
    await pass(4)
  })

  test('freezes: another begins after the lease duration and a retry', async () => {
    candidates.get('a')!.isFrozen = true
    expect(await pass(11)).toEqual([])
    expect(await pass(3)).toEqual(['b begins'])
    expect(await spec()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
  })

  test('cannot write: it ends before another begins, and says so once', async () => {
    candidates.get('a')!.isCut = true
    expect(await pass(14)).toEqual(['a: leader election failed, retrying', 'a ends', 'b begins'])
    candidates.get('a')!.isCut = false
    expect(await pass(20)).toEqual([])
  })

  test('cannot write, nor can others: one begins again when it can', async () => {
    for (const one of candidates.values()) one.isCut = true
    const trouble = await pass(60)
    expect(trouble.sort()).toEqual([
      'a ends',
      'a: leader election failed, retrying',
      'b: leader election failed, retrying',
    ])
    for (const one of candidates.values()) one.isCut = false
    const begun = await pass(4)
    expect(begun).toEqual([expect.stringMatching(/^[ab] begins$/)])
  })

  test('stops: another begins with its next look', async () => {
    await candidates.get('a')!.election.stop()
    expect((await spec()).holderIdentity).toBe('')
    expect(await pass(2)).toEqual(['a ends', 'b begins'])
  })

  test('loses it to a manual change', async () => {
    await context.hand.patch(PLACE, { spec: { holderIdentity: 'someone' } })
    expect(await pass(4)).toEqual(['a ends'])
    await context.hand.delete(PLACE)
    expect(await pass(4)).toEqual([expect.stringMatching(/^[ab] begins$/)])
  })
})
