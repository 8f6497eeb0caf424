/** Runs a script with the V8 code cache from its build, which saves compiling it at each start. */
import { channel } from 'node:diagnostics_channel'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { READING_CODE } from '../base/reading-code.ts'

/** A script, and the function that runs it. */
export interface CachedScript {
  /** Whether its code was there already. */
  readonly isCached: boolean
  /** Runs it once; returns its exports. */
  run(): unknown
  /** The code of everything that has run by now, for a later start. */
  code(): Buffer
}

/** Suffix of the code cache of a script. */
export const CODE_SUFFIX = '.code'

/** Of the script, of the code, and of the runtime that made it, each the sum of a CRC-32. */
const SUM_BYTES = 4
/** V8 copies code that does not begin at a multiple of eight. */
const SEAL_BYTES = 16

/**
 * A build of Node.js. Distributions build a release with engines of their own, and code differs per processor
 * architecture. CPU features are left out: cached code is that of V8's interpreter.
 */
export const thisRuntime = (): string =>
  [process.version, process.platform, process.arch, JSON.stringify(process.config)].join(' ')

/**
 * Reads a script and the code cache beside it. A cache of another runtime, or of another script, counts as absent. The
 * script is a function of the arguments of a CommonJS module, its URL, and a function that imports a package. Its
 * `require` also takes `SCRIPT#MODULE`, a module of another script in the same folder.
 */
export function openScript(path: string, runtime = thisRuntime()): CachedScript {
  return new OpenScript(path, runtime, new Map())
}

/** What a script exports by name for other scripts. */
type Parts = Readonly<Record<string, () => unknown>>

class OpenScript implements CachedScript {
  readonly isCached: boolean
  readonly #path: string
  readonly #runtime: string
  readonly #seal: Seal
  readonly #script: Script
  /** Null before it has run. */
  #parts: Parts | null = null
  /** Those of the folder that have run, by name. */
  readonly #others: Map<string, OpenScript>
  /** Modules that other scripts have imported. */
  readonly #imported = new Map<string, unknown>()

  constructor(path: string, runtime: string, others: Map<string, OpenScript>) {
    this.#path = path
    this.#runtime = runtime
    this.#others = others
    const source = new FileBytes(path)
    this.#seal = { script: crc32(source.bytes), runtime: crc32(runtime) }
    const code = sealedCode(path, this.#seal)
    const cachedData = code?.bytes.subarray(SEAL_BYTES)
    const reading = others.size === 0 ? null : channel(READING_CODE)
    reading?.publish(true)
    this.#script = new Script(source.bytes.toString('latin1'), {
      filename: path,
      ...(cachedData === undefined ? {} : { cachedData }),
    })
    reading?.publish(false)
    this.isCached = cachedData !== undefined && this.#script.cachedDataRejected === false
    source.free()
    code?.free()
  }

  run(): unknown {
    const path = this.#path
    this.#others.set(basename(path), this)
    const module = { exports: {} as { parts?: Parts } }
    const main = this.#script.runInThisContext() as (...given: unknown[]) => void
    const required = (name: string): unknown => {
      if (name.startsWith('node:')) return process.getBuiltinModule(name as 'node:module')
      const at = name.indexOf('#')
      if (at > 0) return this.#part(name.slice(0, at), name.slice(at + 1))
      // Not imported above: it loads what only modules need.
      return process.getBuiltinModule('node:module').createRequire(path)(name)
    }
    const load = (name: string) => import(name) as Promise<unknown>
    main(module.exports, required, module, path, dirname(path), pathToFileURL(path).href, load)
    this.#parts = module.exports.parts ?? null
    return module.exports
  }

  code(): Buffer {
    return sealed(this.#seal, this.#script.createCachedData())
  }

  #part(script: string, name: string): unknown {
    let other = this.#others.get(script)
    if (!other) {
      other = new OpenScript(join(dirname(this.#path), script), this.#runtime, this.#others)
      other.run()
    }
    const imported = other.#imported
    if (!imported.has(name)) imported.set(name, other.#parts![name]!())
    return imported.get(name)
  }
}

interface Seal {
  readonly script: number
  readonly runtime: number
}

/** Node's own name for the switch of its cache of compiled modules: `1` turns this one off as well. */
const SWITCH = 'NODE_DISABLE_COMPILE_CACHE'

/** What the types of ECMAScript 2023 lack. */
interface Resizable extends ArrayBuffer {
  resize(bytes: number): void
}
const ResizableBuffer = ArrayBuffer as unknown as new (
  bytes: number,
  options: { readonly maxByteLength: number },
) => Resizable

/**
 * The bytes of a file, in memory of its own mapping. Memory of such a size that the C library gets back makes it keep more of what
 * is freed from then on: on Linux twice as much in the heap of each thread.
 */
class FileBytes {
  readonly bytes: Buffer
  readonly #memory: Resizable

  /** Throws when the file cannot be read. */
  constructor(path: string) {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      this.#memory = new ResizableBuffer(size, { maxByteLength: size })
      this.bytes = Buffer.from(this.#memory, 0, size)
      let at = 0
      for (let got = 1; got > 0 && at < size; at += got)
        got = readSync(file, this.bytes, at, size - at, null)
      if (at < size) throw new Error(`${path} became shorter while it was read`)
    } finally {
      closeSync(file)
    }
  }

  /** Gives the memory back to the system; the bytes are gone. */
  free(): void {
    this.#memory.resize(0)
  }
}

/** V8 itself checks only the numbers of its version and the length of the script. */
function sealedCode(path: string, { script, runtime }: Seal): FileBytes | null {
  if (process.env[SWITCH] === '1') return null
  let file: FileBytes
  try {
    file = new FileBytes(path + CODE_SUFFIX)
  } catch {
    return null
  }
  const { bytes } = file
  if (bytes.length >= SEAL_BYTES) {
    const sums = [script, crc32(bytes.subarray(SEAL_BYTES)), runtime]
    if (sums.every((sum, i) => bytes.readUInt32LE(SUM_BYTES * i) === sum)) return file
  }
  file.free()
  return null
}

function sealed({ script, runtime }: Seal, code: Buffer): Buffer {
  const seal = Buffer.alloc(SEAL_BYTES)
  for (const [i, sum] of [script, crc32(code), runtime].entries())
    seal.writeUInt32LE(sum, SUM_BYTES * i)
  return Buffer.concat([seal, code])
}
