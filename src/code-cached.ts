/** Runs a script with the code that V8 made of it when it was built, which saves compiling it at each start. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

/** A script, and what runs it. */
export interface CachedScript {
  /** Whether its code was there already. */
  readonly isCached: boolean
  /** Runs it once; gives what it exports. */
  run(): unknown
  /** The code of everything that has run by now, for a later start. */
  code(): Buffer
}

/** What follows the name of a script in that of its code. */
export const CODE_SUFFIX = '.code'

const SEAL_BYTES = 8

/**
 * Reads a script, and its code beside it. Code of another release of V8, or of another script, is as if it were not
 * there. The script is a function of what a CommonJS module gets, its URL, and what imports a package.
 */
export function openScript(path: string): CachedScript {
  const bytes = readFileSync(path)
  const cachedData = sealedCode(path, bytes)
  const script = new Script(bytes.toString('latin1'), {
    filename: path,
    ...(cachedData === null ? {} : { cachedData }),
  })
  return {
    isCached: cachedData !== null && script.cachedDataRejected === false,
    run() {
      const module = { exports: {} }
      const main = script.runInThisContext() as (...given: unknown[]) => void
      const url = pathToFileURL(path).href
      const load = (name: string) => import(name) as Promise<unknown>
      main(module.exports, createRequire(path), module, path, dirname(path), url, load)
      return module.exports
    },
    code: () => sealed(bytes, script.createCachedData()),
  }
}

/** V8 itself looks at its version and at the length of the script alone. */
function sealedCode(path: string, script: Buffer): Buffer | null {
  let file: Buffer
  try {
    file = readFileSync(path + CODE_SUFFIX)
  } catch {
    return null
  }
  if (file.length < SEAL_BYTES) return null
  const code = file.subarray(SEAL_BYTES)
  const isWhole = file.readUInt32LE(0) === crc32(script) && file.readUInt32LE(4) === crc32(code)
  return isWhole ? code : null
}

function sealed(script: Buffer, code: Buffer): Buffer {
  const seal = Buffer.alloc(SEAL_BYTES)
  seal.writeUInt32LE(crc32(script), 0)
  seal.writeUInt32LE(crc32(code), 4)
  return Buffer.concat([seal, code])
}
