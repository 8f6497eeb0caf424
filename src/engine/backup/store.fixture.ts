import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Engine, Item } from '../engine.ts'
import { itemsOf } from './snapshot.ts'

/** A folder that is gone after the tests of a file. */
export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'backup-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Everything in an engine at its newest revision, or at another. */
export async function allOf(engine: Engine, at = engine.revision()): Promise<Item[]> {
  const all: Item[] = []
  for await (const items of itemsOf(engine, at)) all.push(...items)
  return all.map((item) => ({ ...item, value: Buffer.from(item.value) }))
}

/** Makes, changes and deletes keys, some of them together, with values that name their origin. */
export async function writeHistory(engine: Engine, keys: number): Promise<void> {
  const name = (i: number) => `/registry/core/things/ns-${i % 7}/größe-${i}`
  const put = (i: number, round: number) => ({
    key: name(i),
    value: Buffer.from(`${i}.${round}.`.repeat(1 + (i % 40))),
  })
  const all = Array.from({ length: keys }, (_, i) => i)
  await Promise.all(all.map((i) => engine.commit([put(i, 0)])))
  await Promise.all(all.filter((i) => i % 3 === 0).map((i) => engine.commit([put(i, 1)])))
  await Promise.all(
    all.filter((i) => i % 5 === 0).map((i) => engine.commit([{ key: name(i), value: null }])),
  )
  // Several in one transaction, one of them made anew.
  await engine.commit([put(0, 2), put(1, 2), put(2, 2)])
  await engine.commit([{ key: name(keys - 1), value: null }])
}
