import { describe, expect, test } from 'vitest'
import type { Change } from '../../engine/engine.ts'
import type { Ids } from '../../base/ids.ts'
import type { Api } from '../../registry/context.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { inProcess } from '../in-process.fixture.ts'
import { writeFirstObjects } from './first-objects.ts'
import { preparedFiles } from './prepare-objects.ts'
import { preparedFile, PreparedObjects, type Preparation } from './prepared-objects.ts'
import { ensureSystemPriorities } from './system-priorities.ts'

const files = await preparedFiles()
const readAnew = (v: Vocabulary) => new PreparedObjects(Buffer.from(files.get(preparedFile(v))!))

/** Uids in the order in which they are asked for. */
function countingIds(length = 12): Ids {
  let n = 0
  const uid = () => `11111111-2222-4333-8444-${String(++n).padStart(length, '0')}`
  return { uid, suffix: () => '', fraction: () => 0 }
}

/** All changes of the first writes to an empty store, and how often something was prepared. */
async function firstChanges(v: Vocabulary, prepared: PreparedObjects | null, ids = countingIds()) {
  const context = await inProcess({ vocabulary: v.name })
  try {
    const { cache } = context.api
    const { keyPrefix } = context.hand.served(['v1', 'namespaces'])
    const table = await cache.resourceCache(keyPrefix)
    const present = table.collect(keyPrefix, {}).map(({ key }) => ({ key, value: null }))
    await cache.commit(present)
    const changes: Change[] = []
    const commit = cache.commit.bind(cache)
    cache.commit = (made) => {
      changes.push(...made.map(({ value, ...more }) => ({ ...more, value: Buffer.from(value!) })))
      return commit(made)
    }
    const api: Api = { ...context.api, ids }
    let times = 0
    const preparation: Preparation = () => {
      times++
      return prepared
    }
    expect(await writeFirstObjects(api, { rbac: true, prepared: preparation })).toBe(true)
    await ensureSystemPriorities(api, preparation)
    const again = times
    await writeFirstObjects(api, { rbac: true, prepared: preparation })
    await ensureSystemPriorities(api, preparation)
    // A store that has them needs nothing that was prepared.
    expect(times).toBe(again)
    return changes
  } finally {
    await context.close()
  }
}

describe.each(Object.values(vocabularies))('the first objects of $name', (v) => {
  test('are to the byte what the plain way makes', async () => {
    const plain = await firstChanges(v, null)
    const prepared = await firstChanges(v, readAnew(v))
    expect(prepared.map(({ key }) => key)).toEqual(plain.map(({ key }) => key))
    expect(prepared).toEqual(plain)
  })

  test('are made in the plain way when uids have another length', async () => {
    const plain = await firstChanges(v, null, countingIds(13))
    const uids = (changes: readonly Change[]) =>
      changes.map(({ value }) => /"uid":"[^"]+"/.exec(Buffer.from(value!).toString())![0].length)
    const others = await firstChanges(v, readAnew(v), countingIds(13))
    expect(uids(others)).toEqual(uids(plain))
  })
})

test('records of another version are not taken', async () => {
  const context = await inProcess()
  const served = context.hand.served(['v1', 'namespaces'])
  const prepared = readAnew(context.api.v)
  const later = { ...served, storage: { ...served, storageTag: Buffer.from('later') } }
  expect(prepared.creations(context.api, later)).toBeNull()
  expect(prepared.creations(context.api, context.hand.served(['v1', 'pods']))).toBeNull()
  expect(prepared.creations(context.api, served, (key) => key.endsWith('/default'))).toHaveLength(1)
  await context.close()
})

test('a file that ends early is none', () => {
  const [file] = files.values()
  expect(() => new PreparedObjects(file!.subarray(0, -1))).toThrow('another length')
})
