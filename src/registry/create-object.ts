/** The steps of a create, in their order. The kind provides the hooks. */
import { formatTime } from '../base/time.ts'
import { Pace } from '../base/event-loop.ts'
import {
  alreadyExists,
  badRequest,
  createWhileLeaving,
  generatedNameTaken,
  plainError,
} from '../meta/errors.ts'
import { whenKnown, type NowOrLater } from '../admission/now-or-later.ts'
import { checkMetadata } from '../meta/check-metadata.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { WrittenParts } from '../meta/known-parts.ts'
import type { ObjectMeta, Typed } from '../meta/object-meta.ts'
import type { HookContext } from '../catalogue/resource.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { Change } from '../engine/engine.ts'
import { CallAttributes } from './admission.ts'
import { isAllocationKey } from './allocations.ts'
import {
  contextWith,
  keyOf,
  storeChanges,
  storeReached,
  type WriteDependencies,
  type Call,
} from './context.ts'
import type { CreateModel } from './create-model.ts'
import { isLikeable } from './hot-objects.ts'
import { copyJson } from '../codec/json-clone.ts'
import { parseJson } from '../codec/json-text.ts'
import { encodeObject, unversioned } from './objects.ts'
import { objectChanges } from './object-changes.ts'
import type { WriteOptions } from './options.ts'
import { wipeSystemFields } from './system-fields.ts'
import { meansUnset } from './named-revision.ts'
import { recordOwners } from './ownership.ts'
import { ownViolations } from './own-rules.ts'
import { unlessLeft } from './left-behind.ts'
import { passed, type Step } from './steps.ts'
import type { Result } from './results.ts'
import {
  takeNamespace,
  allocated,
  checked,
  prepared,
  guarded,
  mutated,
  refuseInvalid,
  metadataRules,
  dedupOwners,
  committed,
} from './write.ts'

const MAX_GENERATED_BASE = 58

const SUFFIX = 5

/** Options of a create, and the origin of the object. */
export interface CreateOptions extends WriteOptions {
  /** The object already contains its managedFields. */
  readonly tracked?: boolean
  /** An update creates it. */
  readonly isUpdate?: boolean
  /** What the object was made by, where it is like earlier ones. */
  readonly model?: CreateModel | undefined
}

/**
 * Creates an object of the storage version. Throws and rejects with 4xx. Nothing waits for a promise as long as no step
 * has one: the first that most creates have is that of the commit. What waits is in functions of its own here: one that
 * has closures makes a context for them, whether they are made or not.
 */
export function createObject(
  api: WriteDependencies,
  call: Call,
  sent: Typed,
  options: CreateOptions,
): Result | Promise<Result> {
  const creation = creationOf(api, call, sent, options)
  return creation instanceof Promise
    ? storedLater(api, call, creation, options)
    : stored(api, call, creation, options)
}

const storedLater = (
  api: WriteDependencies,
  call: Call,
  waiting: Promise<Creation>,
  options: CreateOptions,
): Promise<Result> => waiting.then((creation) => stored(api, call, creation, options))

function stored(
  api: WriteDependencies,
  call: Call,
  creation: Creation,
  options: CreateOptions,
): Result | Promise<Result> {
  const changes = creation.changes()
  return changes instanceof Promise
    ? changesStoredLater(api, call, { creation, waiting: changes }, options)
    : changesStored(api, call, { creation, changes }, options)
}

const changesStoredLater = (
  api: WriteDependencies,
  call: Call,
  { creation, waiting }: { readonly creation: Creation; readonly waiting: Promise<Changes> },
  options: CreateOptions,
): Promise<Result> =>
  waiting.then((changes) => changesStored(api, call, { creation, changes }, options))

function changesStored(
  api: WriteDependencies,
  call: Call,
  { creation, changes }: { readonly creation: Creation; readonly changes: Changes },
  options: CreateOptions,
): Result | Promise<Result> {
  const { table, taken } = creation
  const [{ key, value: record }] = changes
  if (asksFirst(api, options, changes)) {
    const present = table.get(key)
    if (present) throw taken(present)
  }
  if (options.dryRun) return triedOut(api, call, { creation, record: record as Buffer, key })
  // Without allocations there is only one attempt; the object is released before the wait for the disk.
  if (changes.length === 1) return createdOnce(api, call, { table, changes, taken })
  return createdAtLast(api, call, creation, { options, changes })
}

/** What a create would make. No store refuses it, so that what another server made has to be looked for. */
function triedOut(
  { cache }: WriteDependencies,
  call: Call,
  { creation, record, key }: { readonly creation: Creation; readonly record: Buffer; key: string },
): Result | Promise<Result> {
  const result: Result = { is: 'object', status: 201, version: unversioned(record) }
  const waiting = storeReached(cache, call)
  if (!waiting) return result
  const { table, taken } = creation
  return waiting.then(() => {
    const present = table.get(key)
    if (present) throw taken(present)
    return result
  })
}

/**
 * Whether to look for an object of this name before the commit, which refuses to write over one. Where the store is another
 * process, that spares a request; here the look would be one more among many keys, each in memory that was not used lately.
 */
const asksFirst = (
  { cache }: WriteDependencies,
  { dryRun }: CreateOptions,
  changes: Changes,
): boolean => dryRun || cache.isShared || changes.length > 1

/** Commits a new object with allocations: another writer may take a picked value first. The next round sees that. */
const createdAtLast = (
  api: WriteDependencies,
  call: Call,
  creation: Creation,
  { options, changes }: { readonly options: CreateOptions; readonly changes: Changes },
): Promise<Result> => {
  const { table, taken } = creation
  return created(api, call, { table, changes, taken }).then(
    (made) => made ?? stored(api, call, creation, options),
  )
}

/** Changes of which the first is that of the object. */
type Changes = [Change, ...Change[]]

/** A create that passed all steps up to the store. */
interface Creation {
  readonly table: ResourceCache
  /** Allocates values, runs validating admission, and returns the changes to commit. Throws 4xx. */
  changes(): NowOrLater<Changes>
  /** The error when an object already exists. */
  readonly taken: Taken
}

/** The error of a create whose place an object has, which may be gone again. */
type Taken = (present: StoredObject | null) => Error

/** Takes a new object through hooks, admission, checks and managedFields. Throws and rejects with 4xx. */
export function creationOf(
  api: WriteDependencies,
  call: Call,
  sent: Typed,
  options: CreateOptions,
): NowOrLater<Creation> {
  // An apply that creates, of which the path does not tell.
  if (call.served.isLeaving) throw createWhileLeaving(call.served)
  return passed(new PassingCreate(api, call, sent, options), STEPS)
}

/** What a new object passes up to the store, in this order. */
const STEPS: readonly Step<PassingCreate>[] = [
  (creation) => creation.own(),
  (creation) => creation.admit(),
  (creation) => creation.guard(),
  (creation) => creation.complete(),
  (creation) => creation.check(),
  (creation) => creation.finish(),
]

/**
 * Whether no step can take long: what is made like earlier ones has a short body, and built-in kinds that share parts have no
 * rules of users.
 */
const isShort = ({ served }: Call, { model }: CreateOptions): boolean =>
  model?.sharesParts === true && isLikeable(served) && !served.strategy.prepare

/** A create on its way through the steps. */
class PassingCreate implements Creation {
  readonly pace: Pace
  readonly #api: WriteDependencies
  readonly #call: Call
  readonly #options: CreateOptions
  /** As sent, and then as mutating admission left it. */
  #object: Typed
  /** As the client sent it. */
  readonly #resourceVersion: string | undefined
  #attributes: CallAttributes | null = null
  #parts: WrittenParts | undefined
  #isGenerated = false
  #table: ResourceCache | null = null
  #taken: Taken | null = null

  constructor(api: WriteDependencies, call: Call, sent: Typed, options: CreateOptions) {
    this.#api = api
    this.#call = call
    this.#options = options
    this.#object = sent
    this.pace = isShort(call, options) ? Pace.unlimited : new Pace()
    this.#resourceVersion = sent.metadata.resourceVersion
  }

  get table(): ResourceCache {
    return this.#table!
  }
  get taken(): Taken {
    return this.#taken!
  }

  /** Removes the metadata that only the server sets, sets the namespace, and records field managers. */
  own(): void | Promise<void> {
    const call = this.#call
    const { metadata } = this.#object
    const { tracked, model } = this.#options
    takeNamespace(call, this.#object)
    if (model?.isClean !== true) {
      wipeSystemFields(metadata)
      dedupOwners(call, metadata)
    }
    const c = call.context()
    if (tracked === true || model?.setOwners(metadata, c.now) === true) return
    const { forms } = this.#api
    const recording = recordOwners(call, this.#options, {
      next: this.#object,
      before: null,
      forms,
      c,
    })
    return model ? keptOwners(model, metadata, recording) : recording
  }

  /** Mutating admission. */
  admit(): void | Promise<void> {
    this.#attributes = new CallAttributes(this.#api, this.#call, {
      operation: 'CREATE',
      object: this.#object,
      old: null,
      dryRun: this.#options.dryRun,
    })
    const { model } = this.#options
    if (model?.sharesParts === true) this.#shareParts(this.#attributes)
    const admitted = mutated(this.#api, this.#call, this.#attributes)
    if (admitted instanceof Promise) return this.#admittedLater(admitted)
    this.#object = admitted
  }

  async #admittedLater(admitted: Promise<Typed>): Promise<void> {
    this.#object = await admitted
  }

  /** Plugins must not change parts that the object shares with others. */
  #shareParts(attributes: CallAttributes): void {
    // Members of objects that are made by a model are their own where hooks set them.
    const hasOwnMembers = this.#call.served.strategy.prepareForCreate !== undefined
    if (this.#api.admission.mayChangeParts(attributes, hasOwnMembers))
      attributes.settle(copyJson(this.#object))
    else attributes.sharesParts = true
  }

  guard(): void | Promise<void> {
    const call = this.#call
    const object = this.#object
    if (this.#options.isUpdate === true && object.metadata.name !== call.name)
      throw otherName(call.name, object.metadata.name)
    return guarded(this.#api, { call, object, old: null })
  }

  /** Sets uid, time and name, and runs the hooks. */
  complete(): void | Promise<void> {
    const { served } = this.#call
    const { ids } = this.#api
    const c = this.#call.context()
    const object = this.#object
    const { metadata } = object
    metadata.creationTimestamp = formatTime(c.now)
    metadata.uid = ids.uid()
    served.strategy.prepareForCreate?.(object, c)
    if (metadata.name === undefined && metadata.generateName !== undefined) {
      this.#isGenerated = true
      metadata.name = metadata.generateName.slice(0, MAX_GENERATED_BASE) + ids.suffix(SUFFIX)
    }
    return prepared(served, object, c, this.pace)
  }

  /** Checks the object. Throws 422. */
  check(): void | Promise<void> {
    const { served } = this.#call
    const object = this.#object
    const { metadata } = object
    const errors = new FieldErrors()
    const parts = this.#knowParts()
    const passed = parts && this.#options.model?.passed
    const rules = metadataRules(served, this.#api, parts, passed?.metadata)
    const found = ownViolations(object)
    const checking = checked(this.pace, [
      () => checkMetadata(metadata, errors.at('metadata'), rules),
      () => (found ? errors.addAll(found) : served.check(object, errors, passed ?? undefined)),
      () => (found ? undefined : served.strategy.validate?.(object, errors, this.#context())),
    ])
    if (checking) return checking.then(() => refuseInvalid(served, metadata.name ?? '', errors))
    refuseInvalid(served, metadata.name ?? '', errors)
  }

  /** What is known of the parts of the object; undefined: all of it has to be checked. */
  #knowParts(): WrittenParts | undefined {
    const { model } = this.#options
    if (model?.sharesParts === true)
      this.#parts = this.#api.hot?.newPartsFor(this.#call.served, model.passed)
    return this.#parts
  }

  /** The context of hooks that check the object. */
  #context(): HookContext {
    const c = this.#call.context()
    return this.#parts ? contextWith(c, this.#parts) : c
  }

  finish(): void | Promise<void> {
    const call = this.#call
    const { served } = call
    const object = this.#object
    const c = this.#context()
    const warnings = served.strategy.warn?.(object, null, c)
    if (warnings) for (const text of warnings) call.warn(text)
    served.strategy.canonicalize?.(object, c)
    this.#taken = takenBy(call, {
      name: object.metadata.name ?? '',
      generated: this.#isGenerated,
    })
    const { cache } = this.#api
    const loaded = cache.loaded(served.storage)
    if (!loaded) return this.#foundLater(cache.resourceCache(served.storage))
    this.#table = loaded
  }

  async #foundLater(table: Promise<ResourceCache>): Promise<void> {
    this.#table = await table
  }

  changes(): NowOrLater<Changes> {
    const next = allocated(this.#api, this.#call, this.#object, null)
    return next instanceof Promise
      ? next.then((one) => this.#admittedChanges(one))
      : this.#admittedChanges(next)
  }

  #admittedChanges(next: Typed): NowOrLater<Changes> {
    const waiting = this.#api.admission.validate(this.#attributes!.settle(next))
    return waiting ? waiting.then(() => this.#encodedChanges(next)) : this.#encodedChanges(next)
  }

  #encodedChanges(next: Typed): NowOrLater<Changes> {
    const { isUpdate, dryRun } = this.#options
    if (isUpdate !== true && !dryRun && !meansUnset(this.#resourceVersion)) {
      throw plainError('resourceVersion should not be set on objects to be created')
    }
    const pause = this.pace.pause()
    return pause ? pause.then(() => this.#encode(next)) : this.#encode(next)
  }

  #encode(next: Typed): Changes {
    const { served, namespace } = this.#call
    const { model } = this.#options
    const key = keyOf(served, namespace, this.#object.metadata.name ?? '')
    const record = encodeObject(served, next, model?.passed)
    model?.settle(next, this.#parts)
    return objectChanges(this.#api, { served, key, old: null, next, record, over: 0 })
  }
}

/** Keeps the owners of an object when they are found out. */
const keptOwners = (
  model: CreateModel,
  metadata: ObjectMeta,
  recording: void | Promise<void>,
): void | Promise<void> => whenKnown(recording, () => model.keepOwners(metadata))

/** A plugin has changed the name of an object that has its place already. */
const otherName = (wanted: string, name = '') =>
  badRequest(`the name of the object (${name}) does not match the name on the URL (${wanted})`)

/** A separate function, so that it does not retain the object that is created. */
const takenBy =
  ({ served }: Call, { name, generated }: { name: string; generated: boolean }): Taken =>
  (present) => {
    if (generated) return generatedNameTaken(served.name, name)
    // Only the metadata is decoded: the rest may be large.
    const terminating =
      present?.fault === null &&
      (parseJson(present.metadata()) as ObjectMeta).deletionTimestamp !== undefined
    return alreadyExists(served.name, name, terminating)
  }

/** What is left of a create that passed all steps: nothing of its object, which is released before the wait. */
interface PassedCreate extends Pick<Creation, 'table' | 'taken'> {
  readonly changes: readonly [Change, ...Change[]]
}

/** Commits a new object; null when an allocation conflicts with another object's. Rejects with 409 with `taken`. */
function created(
  api: WriteDependencies,
  call: Call,
  { table, changes, taken }: PassedCreate,
): Promise<Result | null> {
  return storeChanges(api.cache, call, changes, table).then((commit) => {
    const [change] = changes
    if (commit.done)
      return { is: 'object', status: 201, version: committed(table, change, commit.at) }
    if (isAllocationKey(commit.key)) return null
    throw taken(table.get(change.key))
  })
}

/** Commits a new object that allocates nothing. */
function createdOnce(api: WriteDependencies, call: Call, create: PassedCreate): Promise<Result> {
  const result = created(api, call, create)
  if (!call.served.mayLeave) return result as Promise<Result>
  const [{ key }] = create.changes
  return result.then((made) => unlessLeft(api, call.served, { key, made }))
}
