/** Makes the stored forms of the first objects in the plain way. A part of the build: it opens nothing but memory. */
import { admissionChain } from '../../admission/chain.ts'
import { alwaysAllow } from '../../authz/always.ts'
import { ManualClock } from '../../base/clock.ts'
import { IterationQueue } from '../../base/iteration-queue.ts'
import { formatTime } from '../../base/time.ts'
import { WatchCache } from '../../cache/watch-cache.ts'
import { buildCatalogue } from '../../catalogue/catalogue.ts'
import { openMemory } from '../../engine/memory/engine.ts'
import type { Change } from '../../engine/engine.ts'
import { defaultGate } from '../../kinds/gates.ts'
import { resources } from '../../kinds/index.ts'
import { serviceAllocators } from '../../registry/allocations.ts'
import { KeyedMutex, placeOf, type WriteDependencies } from '../../registry/context.ts'
import { InternalWriter, type NewObject } from '../../registry/internal-writer.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import { serviceRanges } from '../options/server-options.ts'
import { policyObjects, systemNamespaces } from './first-objects.ts'
import { preparedFile, writePrepared, type PreparedResource } from './prepared-objects.ts'
import { systemPriorities } from './system-priorities.ts'

/** What is written over later, and is found nowhere else. */
const UID = 'ffffffff-0000-4000-8000-fedcba987654'
const NOW = Date.parse('2001-02-03T04:05:06Z')

/** The contents of the file of each vocabulary, by its name. */
export async function preparedFiles(): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>()
  for (const v of Object.values(vocabularies)) files.set(preparedFile(v), await preparedOf(v))
  return files
}

async function preparedOf(v: Vocabulary): Promise<Buffer> {
  const { api, changes, close } = recordingApi(v)
  try {
    const objects = [
      ...systemNamespaces(api),
      ...(await policyObjects(api)),
      ...systemPriorities(api),
    ]
    if (!(await new InternalWriter(api).createAll(objects)) || changes.length !== objects.length)
      throw new Error('the first objects cannot be prepared')
    const made = objects.map((object, i) => ({ object, change: changes[i]! }))
    const sets = new Map(
      objects.map(({ served }) => [served, made.filter((one) => one.object.served === served)]),
    )
    const prepared = [...sets].map(([served, all]): PreparedResource => ({
      group: served.group,
      resource: served.resource,
      tag: served.storage.storageTag.toString('base64'),
      objects: all.map(({ object, change }) => preparedObject(object, change)),
    }))
    const inOrder = [...sets.values()].flat()
    return writePrepared(
      prepared,
      inOrder.map(({ change }) => change.value!),
    )
  } finally {
    await close()
  }
}

function preparedObject({ served }: NewObject, { key, value }: Change) {
  const record = Buffer.from(value!)
  const [uidAt, ...more] = placesOf(record, UID)
  const timesAt = placesOf(record, formatTime(NOW))
  if (uidAt === undefined || more.length > 0 || timesAt.length === 0)
    throw new Error(`the uid and times of ${key} cannot be found`)
  return { ...placeOf(served, key), bytes: record.length, uidAt, timesAt }
}

function placesOf(record: Buffer, text: string): number[] {
  const places: number[] = []
  for (let at = record.indexOf(text); at !== -1; at = record.indexOf(text, at + 1)) places.push(at)
  return places
}

/** What writes need, over a store in memory, and the changes that they make. No admission plugin concerns these objects. */
function recordingApi(v: Vocabulary) {
  const clock = new ManualClock(NOW)
  const engine = openMemory({ clock })
  const cache = new WatchCache(engine, { clock, historyMs: 1 })
  const changes: Change[] = []
  const commit = cache.commit.bind(cache)
  cache.commit = (made) => {
    changes.push(...made)
    return commit(made)
  }
  const ranges = serviceRanges({})
  const api: WriteDependencies = {
    v,
    clock,
    ids: { uid: () => UID, suffix: () => '', fraction: () => 0 },
    cache,
    largeWork: new IterationQueue(),
    catalogue: buildCatalogue(resources, v),
    admission: admissionChain([], clock),
    gate: defaultGate,
    allowPrivileged: false,
    authorizer: alwaysAllow,
    allocators: serviceAllocators(ranges.addresses, ranges.ports),
    mutex: new KeyedMutex(),
  }
  const close = async () => {
    cache.close()
    await engine.close()
  }
  return { api, changes, close }
}
