import { closeSync, existsSync, fstatSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { UnusableDataDir } from '../engine.ts'
import { DAMAGED, DATA_FILE } from './layout.ts'
import { readNewestMeta, type Meta } from './meta-page.ts'
import { DamagedPage, walkPages, type Walk } from './page-walk.ts'

/** How much of a file is looked at; `small`: all, unless that would take long. */
export type Look = Walk | 'small'

/** Limit of a small file: a few seconds of a slow disk. */
const SMALL_BYTES = 1 << 30
/** How often a file is walked again that a server changes in between. */
const MAX_WALKS = 5

/**
 * Checks the parts that LMDB trusts when it opens a file, and would end the process over: that the file begins as it
 * must and that the pages of its trees are in it. All pages are looked at when the file is shorter than what was ever
 * used of it, or when requested; else those that lead to others. A directory without a file passes. Throws
 * UnusableDataDir.
 */
export async function checkDataFile(dir: string, how: Look = 'branches'): Promise<void> {
  const path = join(dir, DATA_FILE)
  if (!existsSync(path)) return
  const damaged = (what: string) =>
    new UnusableDataDir(`data file ${path} is damaged: ${what}; ${DAMAGED}`)
  const file = openSync(path, 'r')
  try {
    // Left by a first start that is stopped early, but a lost store looks the same.
    if (fstatSync(file).size === 0)
      throw new UnusableDataDir(
        `data file ${path} is empty: remove it if the store was never used, otherwise ${DAMAGED}`,
      )
    for (let walks = 1; ; walks++) {
      const meta = readSteadyMeta(file, damaged)
      const fault = await findFault(file, meta, how)
      if (fault === null) return
      // A server may write in between, and reuse pages of this state.
      if (isDeepStrictEqual(readSteadyMeta(file, damaged), meta)) throw damaged(fault)
      // A server that writes faster than this reads has the file open, and checked it before.
      if (walks === MAX_WALKS) return
    }
  } finally {
    closeSync(file)
  }
}

/** The newest state, read again where a server may have written one of the two first pages while they were read. */
function readSteadyMeta(file: number, damaged: (what: string) => Error): Meta {
  for (let tries = 1; ; tries++) {
    try {
      return readNewestMeta(file, damaged)
    } catch (error) {
      if (tries === MAX_WALKS) throw error
    }
  }
}

async function findFault(fd: number, meta: Meta, how: Look): Promise<string | null> {
  // Read after the state: a file only grows.
  const { size } = fstatSync(fd)
  const { pageBytes, lastPage } = meta
  const pages = Math.floor(size / pageBytes)
  const isShort = lastPage >= pages
  try {
    const isAll = isShort || how === 'all' || (how === 'small' && size <= SMALL_BYTES)
    await walkPages({ fd, meta, pages, how: isAll ? 'all' : 'branches' })
    return null
  } catch (error) {
    if (!(error instanceof DamagedPage)) throw error
    const missing = `; it has ${size} bytes of up to ${(lastPage + 1) * pageBytes}`
    return `${error.message}${isShort ? missing : ''}`
  }
}
