import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { openLmdb } from '../src/store/lmdb/engine.ts'

/**
 * What the engine alone does: conditional durable creates by `callers` at a time, for `seconds`, with values of
 * `valueBytes`.
 */
export async function rawStore(options: {
  readonly callers: number
  readonly seconds: number
  readonly valueBytes: number
}): Promise<{ perSecond: number; cpuMicrosPerOp: number }> {
  const dir = await mkdtemp(join(tmpdir(), 'store-raw-'))
  const engine = await openLmdb({ dir: join(dir, 'store'), clock: systemClock })
  try {
    const value = Buffer.alloc(options.valueBytes, 'x')
    const begun = performance.now()
    const cpu = process.cpuUsage()
    const end = begun + options.seconds * 1000
    let done = 0
    await Promise.all(
      Array.from({ length: options.callers }, async (_, caller) => {
        for (let i = 0; performance.now() < end; i++) {
          await engine.commit([{ key: `/things/ns/${caller}-${i}`, value, ifChangedAt: 0 }])
          done++
        }
      }),
    )
    const used = process.cpuUsage(cpu)
    return {
      perSecond: (done / (performance.now() - begun)) * 1000,
      cpuMicrosPerOp: (used.user + used.system) / done,
    }
  } finally {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  }
}
