/**
 * Writes of the server itself: the same steps as requests, with hooks, admission, checks and managedFields, under its
 * own user name. They are not authorized.
 */
import { Decoding, type JsonObject } from '../codec/codec.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { copyJson } from '../codec/json-clone.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { PartSubresource } from '../catalogue/resource.ts'
import { contextOnce, type WriteDependencies, type Call, type User } from './context.ts'
import { deleteObject, deletionFrom, type Given } from './delete.ts'
import { decodeStored } from './objects.ts'
import { commitAll } from './object-changes.ts'
import type { WriteOptions } from './options.ts'
import type { OwnWrite, OwnWrites } from './own-writes.ts'
import type { Result } from './results.ts'
import { StatusError } from '../meta/errors.ts'
import { createObject, creationOf } from './create-object.ts'
import { updateObject } from './update-object.ts'
import type { Source } from './update-source.ts'

/** The server as a user. */
const SERVER: User = { name: 'system:apiserver', uid: '', groups: ['system:masters'], extra: {} }
const NEVER = new AbortController().signal

/** The object, or sub-resource of an object, to write. */
export interface WritePlace {
  readonly served: ResourceEntry
  /** Empty for cluster scope. */
  readonly namespace: string
  readonly name: string
  readonly subresource?: string
}

/** An object to create, as JSON without its type, with its name. */
export interface NewObject {
  readonly served: ResourceEntry
  readonly namespace: string
  readonly object: object
}

/** Options of a change. */
export interface ChangeOptions {
  /** Nothing is stored. */
  readonly dryRun?: boolean
  /** Attempts while others write the object; without: until it succeeds. */
  readonly attempts?: number
  /**
   * Fields that an action of the API writes, for which admission already ran and which get no owner; without: the
   * object, or the sub-resource that the place names.
   */
  readonly action?: PartSubresource<Typed>
}

/** Creates a new object from the present one, or changes the copy that it gets. */
export type ChangeObject<T extends Typed> = (present: T) => T | void

/** How a writer writes. */
interface InternalWriterOptions {
  /** The field manager of the writes; that of the server by default. */
  readonly manager?: string
  /** The writes are a part of a request, or of another write: they are no requests of their own. */
  readonly isPart?: boolean
}

/** Writes as the server's own user. Every method throws StatusError when it is refused. */
export class InternalWriter {
  readonly #api: WriteDependencies
  readonly #agent: string
  readonly #own: OwnWrites | null

  constructor(api: WriteDependencies, options: InternalWriterOptions = {}) {
    const { manager = api.v.resolve('{system}-apiserver'), isPart = false } = options
    this.#api = api
    this.#agent = manager
    this.#own = isPart ? null : (api.ownWrites ?? null)
  }

  /** Creates an object. */
  async create<T extends Typed>({ served, namespace, object }: NewObject): Promise<T> {
    const call = this.#call({ served, namespace, name: '' })
    const result = await this.#run({ verb: 'create', call, object }, async (told) =>
      createObject(this.#api, told, this.#decoded(served, object, told), OPTIONS),
    )
    return this.#object(call, result)
  }

  /**
   * Creates objects in as few transactions as the store allows, if no object of a transaction exists; returns whether
   * all were created. They hold no allocated values.
   */
  async createAll(objects: readonly NewObject[]): Promise<boolean> {
    if (this.#own) return this.#createEach(objects)
    const changes = []
    for (const { served, namespace, object } of objects) {
      const call = this.#call({ served, namespace, name: '' })
      const creation = await creationOf(
        this.#api,
        call,
        this.#decoded(served, object, call),
        OPTIONS,
      )
      changes.push(...(await creation.changes()))
    }
    return commitAll(this.#api.cache, changes)
  }

  /** Changes an object; `change` runs again when the object changed meanwhile, and throws to abort. */
  async change<T extends Typed>(
    place: WritePlace,
    change: ChangeObject<T>,
    { dryRun = false, attempts, action }: ChangeOptions = {},
  ): Promise<T> {
    const call = this.#call(place)
    const update: Source = {
      async next({ old }) {
        const present = copyJson(old) as T
        return change(present) ?? present
      },
      fresh: null,
      ...(attempts === undefined ? {} : { attempts }),
      ...(action === undefined ? {} : { part: action, tracked: true, isAdmitted: true }),
    }
    const result = await this.#run({ verb: 'update', call }, (told) =>
      updateObject(this.#api, told, update, { ...OPTIONS, dryRun }),
    )
    return this.#object(call, result)
  }

  /** Deletes an object. */
  async delete(place: WritePlace, given: Given = {}): Promise<void> {
    const call = this.#call(place)
    await this.#run({ verb: 'delete', call }, (told) =>
      deleteObject(this.#api, told, deletionFrom(this.#api, given)),
    )
  }

  #run(write: OwnWrite, work: (call: Call) => Promise<Result>): Promise<Result> {
    return this.#own ? this.#own.run(write, work) : work(write.call)
  }

  /** Each is a request of its own; they share flushes, since none waits for another. */
  async #createEach(objects: readonly NewObject[]): Promise<boolean> {
    const made = await Promise.allSettled(objects.map((object) => this.create(object)))
    let isWhole = true
    for (const one of made) {
      if (one.status === 'fulfilled') continue
      const { reason: error } = one as { readonly reason: unknown }
      if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists') throw error
      isWhole = false
    }
    return isWhole
  }

  #decoded(served: ResourceEntry, object: object, call: Call): Typed {
    const { kind, groupVersion: apiVersion } = served
    const typed = served.codec.decode(
      { kind, apiVersion, ...(object as JsonObject) },
      new Decoding(),
    ) as unknown as Typed
    served.strategy.setDefaults?.(typed, call.context())
    return typed
  }

  #object<T extends Typed>({ served, context }: Call, result: Result): T {
    if (result.is !== 'object')
      throw new Error(`a write of ${served.resource} answers with no object`)
    return decodeStored<T>(served, result.version, context())
  }

  #call({ served, namespace, name, subresource = '' }: WritePlace): Call {
    return {
      served,
      subresource,
      namespace,
      name,
      query: NO_QUERY,
      user: SERVER,
      userAgent: this.#agent,
      isOwn: true,
      versionless: true,
      body: () => Promise.reject(new Error('the server sends no body to itself')),
      context: contextOnce(this.#api, SERVER, served),
      // The server does not read its own warnings.
      warn: () => {},
      signal: () => NEVER,
    }
  }
}

const NO_QUERY: Call['query'] = new Map()
const OPTIONS: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Ignore' }
