import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { RootDatabase } from 'lmdb'
import { open } from './library.ts'
import { UnusableDataDir, type Item, type Revision } from '../engine.ts'
import { DATA_FILE, databases, FORMAT_VERSION, META, openOptions } from './layout.ts'
import { LOCK_FILE, lockDir } from './lock.ts'
import { encodeHead, encodeValue, placeKey } from './value-record.ts'

/** Contents of a new store. */
export interface Contents {
  /** Directory of the store, made when absent; must hold nothing. */
  readonly dir: string
  readonly format?: Readonly<Record<string, string>>
  /** Newest revision of the store, and the floor of its history: no item may be above. */
  readonly revision: Revision
  readonly timeMs: number
  /** In any order. */
  readonly items: AsyncIterable<readonly Item[]>
}

/**
 * Makes an embedded store whose items have the revisions that they are given with. Nothing is left of it when it
 * fails. Resolves with how many there are. Throws UnusableDataDir.
 */
export async function fillLmdb(contents: Contents): Promise<number> {
  const { dir, format = {}, revision, timeMs } = contents
  const lock = lockDir(dir)
  const path = join(dir, DATA_FILE)
  if (readdirSync(dir).some((name) => name !== LOCK_FILE)) {
    lock.release()
    throw new UnusableDataDir(`directory ${dir} holds other files; choose an empty one`)
  }
  let root: RootDatabase<Buffer, Buffer> | undefined
  try {
    root = open(openOptions(path)) as RootDatabase<Buffer, Buffer>
    lock.holdData()
    const { values, heads, meta } = databases(root)
    /** How many items came with each revision: their places in its transaction. */
    const places = new Map<Revision, number>()
    let count = 0
    for await (const items of contents.items) {
      await root.transaction(() => {
        for (const { key, value, created, changed } of items) {
          if (changed > revision || created > changed || created < 1)
            throw new Error(`${key} has revisions that cannot be: ${created}, ${changed}`)
          const index = places.get(changed) ?? 0
          places.set(changed, index + 1)
          values.putSync(
            placeKey(changed, index),
            encodeValue({ deleted: false, created, prev: null, timeMs, key, value }),
          )
          heads.putSync(
            Buffer.from(key),
            encodeHead({ revision: changed, index, created, deleted: false }),
          )
          count++
        }
      })
    }
    await root.transaction(() => {
      meta.putSync(META.floor, Buffer.from(String(revision)))
      const words = { ...format, version: FORMAT_VERSION }
      meta.putSync(META.format, Buffer.from(JSON.stringify(words)))
    })
    await root.close()
    lock.release()
    return count
  } catch (error) {
    await root?.close().catch(() => {})
    lock.removeStore()
    lock.release()
    throw error
  }
}
