/**
 * Loaded into a server before all else: while the file that `SLOW_DISK` names exists, writes and flushes of Node.js to files
 * take up to as many milliseconds longer as it says. What native libraries write is not slowed down.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module'
import type * as NodeFs from 'node:fs'

const fs = createRequire(import.meta.url)('node:fs') as typeof NodeFs
const { readFileSync, write, writeSync, fsync, fdatasync, fsyncSync } = fs
const control = process.env['SLOW_DISK'] ?? ''

/** By how much the next write is late, milliseconds. */
function delayMs(): number {
  try {
    return Math.random() * Number(readFileSync(control, 'utf8'))
  } catch {
    return 0
  }
}

/** A function that begins later; its last argument is called back. */
const later = (call: (...args: never[]) => void) =>
  function (...args: unknown[]) {
    const ms = delayMs()
    const run = () => Reflect.apply(call, fs, args)
    if (ms > 0) setTimeout(run, ms)
    else run()
  }

/** A function that takes longer, with everything waiting. */
const held = (call: (...args: never[]) => unknown) =>
  function (...args: unknown[]): unknown {
    const ms = delayMs()
    if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    return Reflect.apply(call, fs, args)
  }

Object.assign(fs, {
  write: later(write),
  fsync: later(fsync),
  fdatasync: later(fdatasync),
  writeSync: held(writeSync),
  fsyncSync: held(fsyncSync),
})
syncBuiltinESMExports()
