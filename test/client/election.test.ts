/** Leader election over each transport, at times that the test moves. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ManualClock } from '../../src/base/clock.ts'
import type { Client } from '../../src/client/client.ts'
import { LeaderElector, type ElectionLease } from '../../src/client/leader-election.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { clientOf, transports } from './clients.fixture.ts'

const LEASES = { group: 'coordination.orch.io', version: 'v1', resource: 'leases' }
const START = '2024-01-02T03:04:05.000000Z'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ controllers: false })
})
afterAll(() => server.close())

/** One candidate, and what it has come to. */
function candidate(client: Client, clock: ManualClock, name: string, identity: string) {
  const ending = new AbortController()
  const said: string[] = []
  const elector = new LeaderElector({
    client,
    leases: LEASES,
    namespace: 'default',
    name,
    identity,
    clock,
    ids: { fraction: () => 0 },
    onNewLeader: (leader) => said.push(leader),
  })
  let begin = () => {}
  const leads = new Promise<void>((resolve) => (begin = resolve))
  const over = elector.run(ending.signal, async (signal) => {
    begin()
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  })
  return { elector, leads, over, said, end: () => ending.abort() }
}

for (const transport of transports) {
  describe(transport, () => {
    let client: Client
    beforeAll(async () => {
      client = await clientOf(server, transport)
    })
    afterAll(() => client.close())
    const spec = async (name: string) =>
      (await client.resource<ElectionLease>(LEASES).in('default').get(name)).spec
    /** Moves time on until something is so. */
    const until = async (clock: ManualClock, isSo: () => boolean, stepMs = 2_000) => {
      while (!isSo()) {
        clock.advance(stepMs)
        await new Promise<void>((resolve) => setTimeout(resolve, 5))
      }
    }

    test('the first leads, the next waits and leads when the first gives up', async () => {
      const name = `released-${transport.length}`
      const clock = new ManualClock()
      const a = candidate(client, clock, name, 'a')
      await a.leads
      expect(await spec(name)).toEqual({
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        acquireTime: START,
        renewTime: START,
        leaseTransitions: 0,
      })
      const b = candidate(client, clock, name, 'b')
      await until(clock, () => b.elector.leader === 'a')
      expect([a.elector.isLeader, b.elector.isLeader]).toEqual([true, false])
      a.end()
      await a.over
      expect(await spec(name)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
      await until(clock, () => b.elector.isLeader)
      await b.leads
      expect(await spec(name)).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
      b.end()
      await b.over
    })

    test('a leader that falls silent is followed when its lease is over, not before', async () => {
      const name = `silent-${transport.length}`
      const clock = new ManualClock()
      await client
        .resource<ElectionLease>(LEASES)
        .in('default')
        .create({
          metadata: { name },
          // Its clock is an hour ahead: that does not count.
          spec: {
            holderIdentity: 'gone',
            leaseDurationSeconds: 15,
            renewTime: '2024-01-02T04:04:05.000000Z',
            leaseTransitions: 4,
          },
        })
      const b = candidate(client, clock, name, 'b')
      const start = clock.now()
      await until(clock, () => b.elector.isLeader, 1_000)
      await b.leads
      expect(clock.now() - start).toBeGreaterThanOrEqual(15_000)
      expect(b.said).toEqual(['gone', 'b'])
      expect(await spec(name)).toMatchObject({ holderIdentity: 'b', leaseTransitions: 5 })
      b.end()
      await b.over
    })

    test('a leader whose lease another took leads no longer', async () => {
      const name = `taken-${transport.length}`
      const clock = new ManualClock()
      const a = candidate(client, clock, name, 'a')
      await a.leads
      const held = client.resource<ElectionLease>(LEASES).in('default')
      await held.patch(name, { spec: { holderIdentity: 'thief' } })
      await until(clock, () => !a.elector.isLeader)
      await a.over
      // What is another's is not given up.
      expect(await spec(name)).toMatchObject({ holderIdentity: 'thief' })
    })
  })
}

test('times that do not fit together are refused', async () => {
  const client = await server.client()
  const options = { client, leases: LEASES, namespace: 'default', name: 'x', identity: 'x' }
  const clock = new ManualClock()
  const make = (times: object) => () =>
    new LeaderElector({ ...options, clock, ids: { fraction: () => 0 }, ...times })
  expect(make({ leaseDurationMs: 10_000 })).toThrow(
    'the lease duration must be greater than the renew deadline',
  )
  expect(make({ retryPeriodMs: 9_000 })).toThrow(
    'the renew deadline must be greater than 1.2 times the retry period',
  )
})
