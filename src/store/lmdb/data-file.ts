import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { DAMAGED, DATA_FILE } from './layout.ts'
import { UnusableDataDir } from '../store.ts'

/** Where things stand in the two pages that an LMDB file begins with. */
const MAGIC = 0xbeefc0de
const AT = { magic: 24, pageBytes: 48, roots: [88, 136], transaction: 152 } as const
const META_BYTES = 160
const NO_PAGE = 0xffff_ffff_ffff_ffffn

/**
 * Looks at what LMDB takes on trust when it opens a file, and would end the process over: that the file begins as it
 * must and that the roots of its trees are in it. A directory without a file passes. Throws UnusableDataDir.
 */
export async function checkDataFile(dir: string): Promise<void> {
  const path = join(dir, DATA_FILE)
  if (!existsSync(path)) return
  const damaged = (what: string) =>
    new UnusableDataDir(`data file ${path} is damaged: ${what}; ${DAMAGED}`)
  const file = await open(path, 'r')
  try {
    // What a first start leaves that is stopped early, but also what a lost store looks like.
    if ((await file.stat()).size === 0)
      throw new UnusableDataDir(
        `data file ${path} is empty: remove it if the store was never used, otherwise ${DAMAGED}`,
      )
    const meta = async (at: number) => {
      const bytes = Buffer.alloc(META_BYTES)
      const { bytesRead } = await file.read(bytes, 0, META_BYTES, at)
      if (bytesRead < META_BYTES || bytes.readUInt32LE(AT.magic) !== MAGIC)
        throw damaged('it does not begin as a store does')
      return bytes
    }
    const first = await meta(0)
    const pageBytes = first.readUInt32LE(AT.pageBytes)
    if (pageBytes < 256 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0)
      throw damaged('the size of its pages cannot be read')
    const second = await meta(pageBytes)
    const age = (bytes: Buffer) => bytes.readBigUInt64LE(AT.transaction)
    const newest = age(second) > age(first) ? second : first
    // A server may write meanwhile: the size is read last, and a file only grows.
    const { size } = await file.stat()
    const isWithin = (root: bigint) => root === NO_PAGE || (root + 1n) * BigInt(pageBytes) <= size
    if (!AT.roots.every((at) => isWithin(newest.readBigUInt64LE(at))))
      throw damaged('its end is missing')
  } finally {
    await file.close()
  }
}
