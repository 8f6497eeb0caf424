/** Servers die without a word under mixed load, on both stores. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCluster } from '../faults/etcd-cluster.ts'
import { allKilled, killed, killedTwice } from '../faults/faults.ts'
import { seeded } from '../faults/random.ts'
import { subjectOf, type Subject, type SubjectOptions } from '../faults/subject.ts'
import { hasEtcd, NO_ETCD } from '../store/etcd.ts'
import { Closers, type Part, type PartOptions } from './part.ts'
import { runRounds, Sums } from './rounds.ts'

const SERVERS = 2

/** Kills of servers, half of them on each store. */
export const kills: Part = {
  name: 'kills',
  shows:
    'nothing acknowledged is lost, and each watch is complete and in order, when servers are killed',
  unit: 'rounds of kills',
  full: 1_000,
  async run(options) {
    const sums = new Sums()
    const half = (share: number): PartOptions => ({
      ...options,
      rounds: share,
      until: performance.now() + (options.until - performance.now()) / (sums.rounds > 0 ? 1 : 2),
    })
    const first = hasEtcd ? Math.ceil(options.rounds / 2) : options.rounds
    await onStore('lmdb', half(first), sums)
    const embedded = sums.rounds
    if (hasEtcd) await onStore('etcd', half(options.rounds - first), sums)
    return sums.result({
      'rounds on the embedded store': embedded,
      'rounds on etcd': hasEtcd ? sums.rounds - embedded : NO_ETCD,
    })
  },
}

async function onStore(store: 'lmdb' | 'etcd', options: PartOptions, sums: Sums): Promise<void> {
  const closers = new Closers()
  try {
    const dir = await mkdtemp(join(tmpdir(), 'campaign-'))
    closers.add(() => rm(dir, { recursive: true, force: true }))
    const faults = store === 'lmdb' ? [killed, killedTwice] : [killed, allKilled, killedTwice]
    const random = seeded(options.seed)
    if (store === 'lmdb') {
      const subject = await started({ dir, historyMs: 10_000 }, closers)
      await runRounds({ subject, faults, random, disk: null, cluster: null }, options, sums)
      return
    }
    const cluster = await startCluster(SERVERS)
    closers.add(() => cluster.close())
    const etcd = Array.from({ length: SERVERS }, (_, i) => cluster.urls(i))
    const subject = await started({ dir, historyMs: 20_000, etcd }, closers)
    await runRounds({ subject, faults, random, disk: null, cluster }, options, sums)
  } finally {
    await closers.close()
  }
}

/** Servers that run. */
export async function started(options: SubjectOptions, closers: Closers): Promise<Subject> {
  const subject = await subjectOf(options)
  closers.add(() => Promise.all(subject.servers.map((server) => server.kill())))
  await Promise.all(subject.servers.map((server) => server.start()))
  return subject
}
