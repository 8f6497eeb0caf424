/**
 * Stored forms of the first objects, made by the build (docs/decisions/0093-first-objects-are-made-by-the-build.md). They
 * lack only what differs between servers: a uid and times, which always have the same length.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatTime } from '../../base/time.ts'
import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import type { Change } from '../../engine/engine.ts'
import { keyOf, type WriteDependencies } from '../../registry/context.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** One object: where it is, the bytes of its record, and where in these its uid and its times are. */
export interface PreparedObject {
  readonly namespace: string
  readonly name: string
  readonly bytes: number
  readonly uidAt: number
  readonly timesAt: readonly number[]
}

/** All prepared objects of one resource. */
export interface PreparedResource {
  readonly group: string
  readonly resource: string
  /** The version that the records are in, as they name it (base/storage-tag.ts), base64. */
  readonly tag: string
  readonly objects: readonly PreparedObject[]
}

/** The file of a vocabulary, beside the built program. */
export const preparedFile = (v: Vocabulary): string => `first-objects.${v.name}`

const UID_BYTES = 36
const TIME_BYTES = 20
const LENGTH_BYTES = 4

/** The contents of a file: the length of what follows as JSON, that, and the records in its order. */
export function writePrepared(
  resources: readonly PreparedResource[],
  records: readonly Uint8Array[],
): Buffer {
  const json = Buffer.from(JSON.stringify(resources))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(json.length)
  return Buffer.concat([length, json, ...records])
}

/** Reads prepared objects when they are first asked for; null: all objects are made in the plain way. */
export type Preparation = () => PreparedObjects | null

/** What the build has prepared; nothing when there was no build, as when the program is run from its sources. */
export function preparation(v: Vocabulary): Preparation {
  let read: PreparedObjects | null | undefined
  return () => (read ??= readPrepared(v))
}

function readPrepared(v: Vocabulary): PreparedObjects | null {
  try {
    return new PreparedObjects(readFileSync(join(import.meta.dirname, preparedFile(v))))
  } catch {
    return null
  }
}

/** The prepared objects of one file, which are used once. */
export class PreparedObjects {
  readonly #file: Buffer
  readonly #found = new Map<string, { readonly resource: PreparedResource; readonly at: number }>()

  /** Takes the bytes over. Throws when they are no such file. */
  constructor(file: Buffer) {
    this.#file = file
    let at = LENGTH_BYTES + file.readUInt32LE(0)
    const resources = JSON.parse(file.toString('utf8', LENGTH_BYTES, at)) as PreparedResource[]
    for (const resource of resources) {
      this.#found.set(nameOf(resource), { resource, at })
      for (const { bytes } of resource.objects) at += bytes
    }
    if (at !== file.length) throw new Error('the file of the first objects has another length')
  }

  /**
   * The changes that create the objects of a resource whose keys are wanted; null when they have to be made in the
   * plain way: none are prepared, or in another version.
   */
  creations(
    api: Pick<WriteDependencies, 'clock' | 'ids'>,
    served: ResourceEntry,
    isWanted: (key: string) => boolean = () => true,
  ): Change[] | null {
    const found = this.#found.get(nameOf({ group: served.group, resource: served.resource }))
    if (found?.resource.tag !== served.storage.storageTag.toString('base64')) return null
    const time = formatTime(api.clock.now())
    if (time.length !== TIME_BYTES) return null
    let { at } = found
    const changes: Change[] = []
    for (const { namespace, name, bytes, uidAt, timesAt } of found.resource.objects) {
      const value = this.#file.subarray(at, (at += bytes))
      const key = keyOf(served, namespace, name)
      if (!isWanted(key)) continue
      const uid = api.ids.uid()
      if (uid.length !== UID_BYTES) return null
      value.write(uid, uidAt, 'latin1')
      for (const timeAt of timesAt) value.write(time, timeAt, 'latin1')
      changes.push({ key, value, ifChangedAt: 0 })
    }
    return changes
  }
}

const nameOf = ({ group, resource }: Pick<PreparedResource, 'group' | 'resource'>): string =>
  `${group}/${resource}`
