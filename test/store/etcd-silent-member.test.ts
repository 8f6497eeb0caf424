/** A member of etcd that falls silent with its connections open must not hold up those who write. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { openEtcd, type EtcdEngine } from '../../src/engine/etcd/engine.ts'
import { StoreUnavailable } from '../../src/engine/engine.ts'
import { startCluster, type EtcdCluster, type Member } from '../faults/etcd-cluster.ts'
import { until } from '../faults/waiting.ts'
import { hasEtcd, NO_ETCD } from './etcd.ts'

/** Far below the time that a call may take. */
const BOUND_MS = 8_000
const REQUEST_MS = 30_000

describe.skipIf(!hasEtcd)(hasEtcd ? 'of three members' : `of three members: ${NO_ETCD}`, () => {
  let cluster: EtcdCluster
  beforeAll(async () => {
    cluster = await startCluster(1)
  })
  afterAll(() => cluster.close())

  /** An engine that talks to `first`, and to the others when it must. */
  const open = (first: Member): Promise<EtcdEngine> =>
    openEtcd({
      servers: [first, ...cluster.members.filter((member) => member !== first)].map(
        ({ links }) => `http://127.0.0.1:${links[0]!.port}`,
      ),
      prefix: '/registry',
      dialTimeoutMs: REQUEST_MS,
      requestTimeoutMs: REQUEST_MS,
      log: silentLog,
      clock: systemClock,
    })
  let writes = 0
  /** Whether a write is acknowledged; one whose fate is unknown is not tried again, but another is. */
  const written = async (engine: EtcdEngine): Promise<boolean> => {
    const key = `/registry/configmaps/a/${++writes}`
    try {
      return (await engine.commit([{ key, value: Buffer.from('x'), ifChangedAt: 0 }])).done
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable)
      return false
    }
  }

  test.for([
    { name: 'the leader, which stands still', harm: (member: Member) => member.pause() },
    {
      name: 'one that nothing comes from any more',
      harm: (member: Member) => member.links[0]!.cut('silent'),
    },
  ])('$name', { timeout: 60_000 }, async ({ harm }) => {
    const leader = await cluster.leader()
    const engine = await open(leader)
    const seen: string[] = []
    engine.subscribe((events) => void seen.push(...events.map(({ key }) => key)))
    try {
      expect(await written(engine)).toBe(true)
      harm(leader)
      await until('write within the bound', () => written(engine), BOUND_MS)
      // What is acknowledged was handed over as well, and reads go on.
      expect(seen).toContain(`/registry/configmaps/a/${writes}`)
      expect(await engine.latest()).toBeGreaterThan(0)
    } finally {
      cluster.mend()
      await engine.close()
    }
  })

  test('all of them stand still, and go on', { timeout: 60_000 }, async () => {
    const engine = await open(cluster.members[0]!)
    try {
      for (const member of cluster.members) member.pause()
      await expect(engine.check(1_000)).rejects.toThrow(StoreUnavailable)
      cluster.mend()
      await until('write without a restart', () => written(engine))
    } finally {
      cluster.mend()
      await engine.close()
    }
  })
})
