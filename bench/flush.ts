import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { OBJECT_BYTES } from './bench.ts'
import { median } from './measure.ts'

const FILE_BYTES = 16 << 20

/** Median time to write one record and have it on disk, milliseconds. */
export function flushMs(folder: string, seconds: number): number {
  const file = openSync(join(folder, 'flush'), 'w')
  try {
    // Written once before: what is measured is the data's way, not the growing of a file.
    writeSync(file, Buffer.alloc(FILE_BYTES, 1))
    fsyncSync(file)
    const record = Buffer.alloc(OBJECT_BYTES, 2)
    const times: number[] = []
    const until = performance.now() + seconds * 1000
    for (let at = 0; performance.now() < until; at = (at + OBJECT_BYTES) % FILE_BYTES) {
      const from = performance.now()
      writeSync(file, record, 0, record.length, at)
      fdatasyncSync(file)
      times.push(performance.now() - from)
    }
    return median(times) ?? 0
  } finally {
    closeSync(file)
  }
}
