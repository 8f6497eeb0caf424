/**
 * Loads the library of the embedded store without two things that it would do first and that take a twentieth of a start:
 * it would start its search for the C library of the machine with a report on the whole process, and load a second
 * native module, which speeds up an encoding that the store does not use.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { platform } from 'node:process'

type Lmdb = typeof import('lmdb')

/** `open` of the library. */
export const { open } = loaded()

function loaded(): Lmdb {
  const load = () => createRequire(import.meta.url)('lmdb') as Lmdb
  return withVariables({ LIBC: cLibrary(), MSGPACKR_NATIVE_ACCELERATION_DISABLED: 'true' }, load)
}

/** Runs something with additional environment variables; those that are set already stay as they are. */
function withVariables<T>(variables: Record<string, string | null>, run: () => T): T {
  const added = Object.entries(variables).filter(
    ([name, value]) => value !== null && process.env[name] === undefined,
  )
  for (const [name, value] of added) process.env[name] = value!
  try {
    return run()
  } finally {
    for (const [name] of added) delete process.env[name]
  }
}

/** The C library of this process; null: unknown. */
function cLibrary(): 'glibc' | 'musl' | null {
  if (platform !== 'linux') return null
  try {
    const maps = readFileSync('/proc/self/maps', 'latin1')
    if (maps.includes('/ld-musl-')) return 'musl'
    return maps.includes('/libc.so.6') ? 'glibc' : null
  } catch {
    return null
  }
}
