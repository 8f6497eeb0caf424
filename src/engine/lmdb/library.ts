/**
 * Loads the library of the embedded store without two things that it would do first and that take a twentieth of a start:
 * it would start its search for the C library of the machine with a report on the whole process, and load another library
 * with a native module, for an encoding that the store does not use.
 */
import { readFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { platform } from 'node:process'

type Lmdb = typeof import('lmdb')

/** Encodes values that are no bytes, of which the store has none. */
const ENCODER = 'msgpackr'

/** `open` of the library. */
export const { open } = loaded()

function loaded(): Lmdb {
  const { resolve } = createRequire(import.meta.url)
  // What it requires is found from where it is.
  const require = createRequire(resolve('lmdb'))
  const load = () => require('lmdb') as Lmdb
  return withVariables({ LIBC: cLibrary() }, () => withoutEncoder(require, load))
}

/** Runs something that loads the encoder for values which are no bytes; it is loaded when the first is made. */
function withoutEncoder<T>(require: NodeJS.Require, run: () => T): T {
  const path = require.resolve(ENCODER)
  if (require.cache[path]) return run()
  const late = new Module(path)
  late.loaded = true
  late.exports = {
    Encoder: function (...given: unknown[]) {
      return new (require(ENCODER) as EncoderLibrary).Encoder(...given)
    },
  }
  require.cache[path] = late
  try {
    return run()
  } finally {
    delete require.cache[path]
  }
}

interface EncoderLibrary {
  readonly Encoder: new (...given: unknown[]) => object
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
