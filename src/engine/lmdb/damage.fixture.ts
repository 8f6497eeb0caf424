/** Where what lies in a data file, found without the code that is tested. */
import { readFileSync } from 'node:fs'

/** Bytes of a page of the store. */
export const PAGE = 16_384

/** A page, or a run of them, that the newest state needs. */
export interface Needed {
  readonly kind: 'branch' | 'leaf' | 'overflow'
  readonly page: number
  readonly count: number
}

/** Which of the two first pages of a file is the newer. */
export function newestMeta(bytes: Buffer): 0 | 1 {
  const age = (meta: number) => bytes.readBigUInt64LE(meta * PAGE + 152)
  return age(1) > age(0) ? 1 : 0
}

/** Everything that the newest state of a file needs, but for its two first pages. */
export function neededPages(path: string): readonly Needed[] {
  const bytes = readFileSync(path)
  const needed: Needed[] = []
  const tree = (record: number): void => {
    const root = bytes.readBigUInt64LE(record + 40)
    if (root !== 0xffff_ffff_ffff_ffffn) visit(Number(root))
  }
  const visit = (page: number): void => {
    const start = page * PAGE
    const isLeaf = bytes.readUInt16LE(start + 18) === 2
    needed.push({ kind: isLeaf ? 'leaf' : 'branch', page, count: 1 })
    for (let at = 0; at < bytes.readUInt16LE(start + 20); at += 2) {
      const entry = start + 24 + bytes.readUInt16LE(start + 24 + at)
      const value = entry + 8 + bytes.readUInt16LE(entry + 6)
      const flags = bytes.readUInt16LE(entry + 4)
      if (!isLeaf) visit(bytes.readUIntLE(entry, 6))
      else if (flags === 2) tree(value)
      else if (flags === 1) {
        const [first, count] = [value, value + 16].map((p) => Number(bytes.readBigUInt64LE(p)))
        needed.push({ kind: 'overflow', page: first!, count: count! })
      }
    }
  }
  const meta = newestMeta(bytes) * PAGE
  tree(meta + 48)
  tree(meta + 96)
  return needed
}
