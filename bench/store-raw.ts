import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { silentLog } from '../src/base/log.ts'
import { openEtcd } from '../src/engine/etcd/engine.ts'
import type { TransportName } from '../src/engine/etcd/transport.ts'
import { openLmdb } from '../src/engine/lmdb/engine.ts'
import type { Engine } from '../src/engine/engine.ts'
import { cpuSeconds } from './machine.ts'
import { median } from './measure.ts'

/** What a run of the engine alone is told. */
export interface RawStoreOptions {
  readonly callers: number
  readonly seconds: number
  readonly valueBytes: number
  /** An etcd to use instead of a folder, and what all keys begin with there. */
  readonly etcd?: {
    readonly url: string
    readonly prefix: string
    readonly pid: number
    readonly transport?: TransportName
  }
}

/** What it came to; CPU is that of its own process, and apart from it that of etcd's. */
export interface RawStoreResult {
  readonly perSecond: number
  readonly cpuMicrosPerOp: number
  readonly storeCpuMicrosPerOp: number | null
  /** Median time that a caller waits for one. */
  readonly p50Ms?: number
}

const TIMEOUT_MS = 10_000

/**
 * What the engine alone does: conditional durable creates by `callers` at a time, for `seconds`, with values of
 * `valueBytes`.
 */
export async function rawStore(options: RawStoreOptions): Promise<RawStoreResult> {
  const { etcd } = options
  const dir = await mkdtemp(join(tmpdir(), 'store-raw-'))
  const engine: Engine =
    etcd === undefined
      ? await openLmdb({ dir: join(dir, 'store'), clock: systemClock })
      : await openEtcd({
          servers: [etcd.url],
          prefix: etcd.prefix,
          transport: etcd.transport,
          requestTimeoutMs: TIMEOUT_MS,
          dialTimeoutMs: TIMEOUT_MS,
          log: silentLog,
          clock: systemClock,
        })
  try {
    const value = Buffer.alloc(options.valueBytes, 'x')
    const begun = performance.now()
    const cpu = process.cpuUsage()
    const storeCpu = etcd === undefined ? 0 : cpuSeconds(etcd.pid)
    const end = begun + options.seconds * 1000
    const times: number[] = []
    await Promise.all(
      Array.from({ length: options.callers }, async (_, caller) => {
        for (let i = 0; performance.now() < end; i++) {
          const from = performance.now()
          await engine.commit([
            { key: `/registry/things/ns/${caller}-${i}`, value, ifChangedAt: 0 },
          ])
          times.push(performance.now() - from)
        }
      }),
    )
    const used = process.cpuUsage(cpu)
    const done = times.length
    return {
      perSecond: (done / (performance.now() - begun)) * 1000,
      p50Ms: median(times) ?? 0,
      cpuMicrosPerOp: (used.user + used.system) / done,
      storeCpuMicrosPerOp:
        etcd === undefined ? null : ((cpuSeconds(etcd.pid) - storeCpu) / done) * 1e6,
    }
  } finally {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  }
}
