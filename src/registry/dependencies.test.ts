import { IterationQueue } from '../base/iteration-queue.ts'
import { afterEach, expect, test } from 'vitest'
import { admissionChain } from '../admission/chain.ts'
import { alwaysAllow } from '../authz/always.ts'
import { ManualClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { WatchCache } from '../cache/watch-cache.ts'
import { buildCatalogue } from '../catalogue/catalogue.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { openMemory } from '../engine/memory/engine.ts'
import { defaultGate } from '../kinds/gates.ts'
import { resources } from '../kinds/index.ts'
import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'
import {
  contextOnce,
  KeyedMutex,
  type Call,
  type HookDependencies,
  type ReadDependencies,
  type WriteDependencies,
} from './context.ts'
import { create } from './create.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import type { Result } from './results.ts'

const v = vocabularies[defaultVocabulary]
const clock = new ManualClock()
const engine = openMemory({ clock })
const catalogue = buildCatalogue(resources, v)
const cache = new WatchCache(engine, { clock, historyMs: 300_000 })
const served = catalogue.find('', 'v1', 'configmaps')!

afterEach(async () => {
  cache.close()
  await engine.close()
})

const user = { name: 'alice', uid: '', groups: [], extra: {} }

function callOf(api: HookDependencies, entry: ResourceEntry, name: string, body = {}): Call {
  return {
    served: entry,
    subresource: '',
    namespace: 'default',
    name,
    query: new Map(),
    user,
    userAgent: 'test',
    body: async () => ({ bytes: Buffer.from(JSON.stringify(body)), mediaType: '' }),
    context: contextOnce(api, user, entry),
    warn: () => {},
    signal: () => new AbortController().signal,
  }
}

function namesIn(result: Result): unknown {
  const versions = result.is === 'list' ? [...result.items] : []
  if (result.is === 'object') versions.push(result.version)
  return versions.map((version) => JSON.parse(version.json().toString()).metadata.name)
}

test('reads and writes need only their own dependencies', async () => {
  const reads: ReadDependencies = {
    v,
    clock,
    gate: defaultGate,
    allowPrivileged: false,
    cache,
    largeWork: new IterationQueue(),
  }
  const writes: WriteDependencies = {
    ...reads,
    ids: randomIds,
    catalogue,
    admission: admissionChain([], clock),
    authorizer: alwaysAllow,
    allocators: { families: [], ranges: new Map() },
    mutex: new KeyedMutex(),
  }
  for (const name of ['a', 'b'])
    await create(writes, callOf(writes, served, '', { metadata: { name } }))
  expect(namesIn(await get(reads, callOf(reads, served, 'b')))).toEqual(['b'])
  expect(namesIn(await list(reads, callOf(reads, served, '')))).toEqual(['a', 'b'])
})
