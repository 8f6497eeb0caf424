/**
 * Servers in trouble: what every client saw is recorded, and checked when the rounds are over. One round of a
 * few faults by default; FAULT_ROUNDS=60 for so many over all of them (`npm run test:faults`), FAULT_SEED for
 * another course. See docs/faults.md.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasEtcd, NO_ETCD } from '../store/etcd.ts'
import { lineOf, runCampaign } from './campaign.ts'
import { diskFull, diskFullKilled, readOnlyDisk } from './disk-faults.ts'
import { DISK_PREFIX, mountDisk, unmountForgotten, type Disk } from './disk.ts'
import { startCluster, type EtcdCluster } from './etcd-cluster.ts'
import {
  allCut,
  allPaused,
  followerKilled,
  leaderKilled,
  leaderPaused,
  memberCut,
  memberPaused,
  memberSilent,
  quorumKilled,
  serverCut,
} from './etcd-faults.ts'
import { allKilled, killed, killedTwice, paused, stopped } from './faults.ts'
import { seeded } from './random.ts'
import type { Fault } from './scene.ts'
import { subjectOf, type Subject, type SubjectOptions } from './subject.ts'

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? '0')
const SEED = Number(process.env['FAULT_SEED'] ?? '1')
const SERVERS = Number(process.env['FAULT_SERVERS'] ?? '2')
const LONG = ROUNDS > 0
/** Of the data directory; the store itself needs a small part of it. */
const DISK_BYTES = 64 << 20

const EMBEDDED = [killed, killedTwice, stopped, paused]
const ON_DISK = [diskFull, diskFullKilled, readOnlyDisk]
const ON_ETCD = [
  leaderKilled,
  leaderPaused,
  followerKilled,
  memberPaused,
  memberCut,
  memberSilent,
  quorumKilled,
  allPaused,
  allCut,
  serverCut,
  killed,
  allKilled,
  paused,
]
const KINDS = EMBEDDED.length + ON_DISK.length + ON_ETCD.length
const PER_KIND = LONG ? Math.ceil(ROUNDS / KINDS) : 1
/** Most time that one round may take; nothing is said of how long it should. */
const ROUND_MS = 120_000

/** What the faults of a store have in common. */
interface Stage {
  readonly subject: Subject
  readonly disk: Disk | null
  readonly cluster: EtcdCluster | null
}

const random = seeded(SEED)
let campaigns = 0

async function passes(fault: Fault, { subject, disk, cluster }: Stage): Promise<void> {
  const number = ++campaigns
  const figures = await runCampaign({
    ...{ subject, disk, cluster, random, fault },
    rounds: PER_KIND,
    seed: SEED * 1000 + number,
    prefix: `k${number}-`,
  })
  if (LONG) process.stderr.write(`${lineOf(figures)}\n`)
  if (process.env['FAULT_STATUSES'] !== undefined)
    process.stderr.write(`${JSON.stringify(figures.statuses)}\n`)
  expect(figures.violations.slice(0, 20)).toEqual([])
  expect(figures.operations).toBeGreaterThan(20)
  expect(figures.events).toBeGreaterThan(20)
}

const closers: (() => unknown)[] = []
afterAll(async () => {
  const failed: unknown[] = []
  // One that fails does not keep the rest from being cleaned up.
  for (const close of closers.splice(0).reverse()) {
    try {
      await close()
    } catch (error) {
      failed.push(error)
    }
  }
  expect(failed).toEqual([])
})

/** A folder that goes when all is over. */
async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), `${DISK_PREFIX}${process.pid}-`))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function start(options: SubjectOptions): Promise<Subject> {
  const subject = await subjectOf(options)
  closers.push(() => Promise.all(subject.servers.map((server) => server.kill())))
  await Promise.all(subject.servers.map((server) => server.start()))
  return subject
}

let whyNoDisk = ''

async function embedded(): Promise<Stage> {
  const dir = await folder()
  const disk = LONG ? mountDisk(dir, DISK_BYTES) : 'FAULT_ROUNDS is not set'
  if (typeof disk === 'string') {
    whyNoDisk = `no file system of its own: ${disk}`
    if (LONG) process.stderr.write(`faults of a disk are skipped, ${whyNoDisk}\n`)
  } else closers.push(() => disk.unmount())
  const subject = await start({ dir, historyMs: 10_000 })
  return { subject, disk: typeof disk === 'string' ? null : disk, cluster: null }
}

async function overEtcd(): Promise<Stage> {
  const cluster = await startCluster(SERVERS)
  closers.push(() => cluster.close())
  const etcd = Array.from({ length: SERVERS }, (_, i) => cluster.urls(i))
  const subject = await start({ dir: await folder(), historyMs: 20_000, etcd })
  return { subject, disk: null, cluster }
}

const stages: { lmdb?: Stage; etcd?: Stage } = {}
// All servers at once: what takes time is their start.
beforeAll(async () => {
  unmountForgotten()
  const started = await Promise.allSettled([
    embedded().then((stage) => (stages.lmdb = stage)),
    hasEtcd && overEtcd().then((stage) => (stages.etcd = stage)),
  ])
  // Not before each has settled, so that whatever did start is ended.
  for (const one of started) if (one.status === 'rejected') throw one.reason
})

const options = { timeout: PER_KIND * ROUND_MS }

describe('the embedded store', () => {
  test.for(LONG ? EMBEDDED : [killed])('$name', options, (fault) => passes(fault, stages.lmdb!))
  test.for(ON_DISK)('$name', options, (fault, { skip }) => {
    skip(whyNoDisk !== '', whyNoDisk)
    return passes(fault, stages.lmdb!)
  })
})

describe.skipIf(!hasEtcd)(hasEtcd ? 'etcd' : `etcd: ${NO_ETCD}`, () => {
  test.for(LONG ? ON_ETCD : [leaderKilled, allPaused])('$name', options, (fault) =>
    passes(fault, stages.etcd!),
  )
})
