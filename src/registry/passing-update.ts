/** The steps of one attempt of an update, in their order. The kind provides the hooks. */
import { BRIEF, Pace, yieldToEventLoop } from '../base/event-loop.ts'
import { paced, type Steps } from '../base/steps.ts'
import type { NowOrLater } from '../admission/now-or-later.ts'
import { checkMetadata, checkMetadataUpdate } from '../meta/check-metadata.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { WrittenParts } from '../meta/known-parts.ts'
import { conflict, invalid, modified } from '../meta/errors.ts'
import { copyJson } from '../codec/json-clone.ts'
import { parseJson } from '../codec/json-text.ts'
import type { ObjectMeta, Typed } from '../meta/object-meta.ts'
import type { HookContext, PartSubresource } from '../catalogue/resource.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { CallAttributes } from './admission.ts'
import { contextWith, type WriteDependencies, type Call } from './context.ts'
import { isLikeable, shareAgain, type HotObject } from './hot-objects.ts'
import { decodeDocumentSteps, encodeObject } from './objects.ts'
import { namedRevision } from './named-revision.ts'
import type { WriteOptions } from './options.ts'
import { recordOwners } from './ownership.ts'
import { ownViolations } from './own-rules.ts'
import type { Present, Source } from './update-source.ts'
import { passed, type Step } from './steps.ts'
import {
  allocated,
  checked,
  prepared,
  guarded,
  mutated,
  refuseInvalid,
  metadataRules,
  dedupOwners,
} from './write.ts'
import { keepParts, takePart } from './write-parts.ts'

/** What an update is to change, and how. */
export interface UpdateOf {
  readonly api: WriteDependencies
  readonly call: Call
  readonly source: Source
  readonly options: WriteOptions
  readonly key: string
  /** Lets other writers of the object go first. */
  readonly release: () => void
}

/**
 * Takes the new object through hooks, admission, checks and managedFields, up to its record; without a promise as long as
 * no step waits. Throws and rejects with 4xx.
 */
export const passedUpdate = (of: UpdateOf, live: StoredObject): NowOrLater<PassedUpdate> =>
  passed(new PassingUpdate(of, live), STEPS)

/** An update that is about to be stored. */
export interface PassedUpdate {
  readonly live: StoredObject
  readonly old: Typed
  readonly hot: HotObject | null
  readonly next: Typed
  readonly record: Buffer
  readonly table: ResourceCache
  /** The client named the resourceVersion that it changes. */
  readonly isBound: boolean
  readonly pace: Pace
  readonly parts: WrittenParts | undefined
}

/** What a new object passes up to the store, in this order. */
const STEPS: readonly Step<PassingUpdate>[] = [
  (update) => update.read(),
  (update) => update.make(),
  (update) => update.own(),
  (update) => update.admit(),
  (update) => update.guard(),
  (update) => update.prepare(),
  (update) => update.check(),
  (update) => update.finish(),
  (update) => update.validate(),
  (update) => update.encode(),
]

/** What is checked of a new object, in this order. */
const CHECKS: readonly ((update: PassingUpdate) => void | Steps<void>)[] = [
  (update) => update.checkMetadata(),
  (update) => update.checkShape(),
  (update) => update.checkKind(),
  (update) => update.checkChange(),
]

/** Bytes of a stored object whose repetition is too short a work to look at the clock. */
const BRIEF_BYTES = 32 * 1024

/** Bytes of a stored object whose update begins in a turn of the event loop of its own. */
const LARGE_BYTES = 256 * 1024

/** An update on its way through the steps. */
class PassingUpdate implements PassedUpdate, Present {
  readonly pace: Pace
  readonly live: StoredObject
  readonly hot: HotObject | null
  parts: WrittenParts | undefined = undefined
  isBound = false
  readonly #of: UpdateOf
  readonly #part: PartSubresource<Typed> | null
  readonly #errors = new FieldErrors()
  #old: Typed | null
  #document: unknown = undefined
  /** As the source made it, then as admission left it, then with allocated values. */
  #next: Typed | null = null
  #record: Buffer | null = null
  #table: ResourceCache | null = null
  #attributes: CallAttributes | null = null
  #c: HookContext | null = null

  constructor(of: UpdateOf, live: StoredObject) {
    this.#of = of
    this.live = live
    const isBrief = of.source.isRepeated === true && live.jsonBytes < BRIEF_BYTES
    this.pace = isBrief ? BRIEF : new Pace()
    this.hot = of.api.hot?.find(of.call.served, live) ?? null
    this.#old = this.hot && this.hot.object
    this.#part = partOf(of)
  }

  get old(): Typed {
    return this.#old!
  }
  get next(): Typed {
    return this.#next!
  }
  get record(): Buffer {
    return this.#record!
  }
  get table(): ResourceCache {
    return this.#table!
  }
  get release(): () => void {
    return this.#of.release
  }
  document(): unknown {
    const { hot } = this
    return hot ? hot.storage.codec.plain(hot.object as never) : this.#document
  }

  /** Decodes the present object, where it is not known. */
  read(): void | Promise<void> {
    if (this.hot) return
    // What led here may have taken long in this turn, such as the event of the same object.
    if (this.live.jsonBytes > LARGE_BYTES) return yieldToEventLoop().then(() => this.#parse())
    return this.#parse()
  }

  #parse(): void | Promise<void> {
    this.#document = parseJson(this.live.json())
    const pause = this.pace.pause()
    return pause ? pause.then(() => this.#decode()) : this.#decode()
  }

  #decode(): void | Promise<void> {
    const { served, context } = this.#of.call
    const steps = decodeDocumentSteps(served, this.#document, context())
    const old = paced(steps, this.pace)
    if (old instanceof Promise)
      return old.then((object) => {
        this.#old = object
      })
    this.#old = old
  }

  /** Gets the new object from the source. */
  make(): void | Promise<void> {
    const { call, source, key } = this.#of
    if (source.uid !== undefined) {
      const uid = this.old.metadata.uid ?? ''
      if (source.uid !== uid) throw otherUid(call, key, source.uid, uid)
    }
    const sent = source.next(this)
    if (sent instanceof Promise)
      return sent.then((object) => {
        this.#next = object
      })
    this.#next = sent
  }

  /** Sets managedFields. */
  own(): void | Promise<void> {
    const { call, source, options } = this.#of
    dedupOwners(call, this.next.metadata)
    if (source.tracked === true) return
    return recordOwners(call, options, {
      next: this.next,
      before: this.old,
      hot: this.hot,
      c: call.context(),
    })
  }

  /** Mutating admission. */
  admit(): void | Promise<void> {
    const { api, call, source, options, release } = this.#of
    if (source.isAdmitted) return
    if (source.attributes) {
      this.#attributes = source.attributes()
      return
    }
    const attributes = new CallAttributes(api, call, {
      operation: 'UPDATE',
      object: this.next,
      old: this.old,
      dryRun: options.dryRun,
      release,
    })
    this.#attributes = attributes
    // Plugins may change parts that the object shares with the present one.
    const sharesParts =
      this.hot !== null && (source.sharesParts === true || isLikeable(call.served))
    if (sharesParts && api.admission.mayChangeParts(attributes))
      attributes.settle(copyJson(this.next))
    const object = mutated(api, call, attributes)
    if (object instanceof Promise) return object.then((one) => this.#take(one))
    this.#take(object)
  }

  #take(object: Typed): void {
    const sent = this.next
    if (object === sent) return
    this.#next = object
    this.#of.source.replaced?.(sent, object)
  }

  guard(): void | Promise<void> {
    const { api, call } = this.#of
    if (call.subresource === '') return guarded(api, { call, object: this.next, old: this.old })
  }

  /** Takes over what this write must not change, and runs the hooks. */
  prepare(): void | Promise<void> {
    const { api, call, source } = this.#of
    const { served } = call
    const { strategy } = served
    const { next, old } = this
    const isConditional = checkVersion(call, next.metadata, old.metadata)
    this.isBound = isConditional && source.versionless !== true && call.versionless !== true
    this.parts = api.hot?.partsFor(served, this.hot)
    const c = (this.#c = this.parts ? contextWith(call.context(), this.parts) : call.context())
    const part = this.#part
    if (part) takePart(next, old, part, strategy.sharesParts === true)
    else keepParts(next, old, served)
    ;(part ?? strategy).prepareForUpdate?.(next, old, c)
    // Hooks may have set members of their copies until here.
    if (this.parts && this.hot) shareAgain(next, old)
    if (!part) return prepared(served, next, c, this.pace)
  }

  /** Checks the object. Throws 422. */
  check(): void | Promise<void> {
    const checking = checked(this.pace, CHECKS, this)
    if (checking) return checking.then(() => this.#refuse())
    this.#refuse()
  }

  #refuse(): void {
    refuseInvalid(this.#of.call.served, this.next.metadata.name ?? '', this.#errors)
  }

  checkMetadata(): void {
    const { api, call } = this.#of
    const { next, old, hot, parts } = this
    const rules = metadataRules(call.served, api, parts, hot?.object.metadata)
    const errors = this.#errors.at('metadata')
    checkMetadata(next.metadata, errors, rules)
    checkMetadataUpdate(next.metadata, old.metadata, errors)
  }

  checkShape(): void {
    const { next, hot, parts } = this
    const found = ownViolations(next)
    if (found) this.#errors.addAll(found)
    else this.#of.call.served.check(next, this.#errors, parts && hot?.object)
  }

  checkKind(): void | Steps<void> {
    const { strategy } = this.#of.call.served
    const { next, old } = this
    const part = this.#part
    if (part) return part.validate?.(next, this.#errors, this.#c!)
    // Only the storage version has the present object to compare with.
    if ((ownViolations(next)?.length ?? 0) > 0) return
    return strategy.validate?.(next, this.#errors, this.#c!, old)
  }

  checkChange(): void | Steps<void> {
    const hooks = this.#part ?? this.#of.call.served.strategy
    return hooks.validateUpdate?.(this.next, this.old, this.#errors, this.#c!)
  }

  /** Warns, and allocates. */
  finish(): void | Promise<void> {
    const { api, call } = this.#of
    const { strategy } = call.served
    const { next, old } = this
    const c = this.#c!
    const warnings = (this.#part ?? strategy).warn?.(next, old, c)
    if (warnings) for (const text of warnings) call.warn(text)
    strategy.canonicalize?.(next, c)
    const made = allocated(api, call, next, old)
    if (made instanceof Promise)
      return made.then((object) => {
        this.#next = object
      })
    this.#next = made
  }

  /** Validating admission. */
  validate(): void | Promise<void> {
    const attributes = this.#attributes
    if (!attributes) return
    const { api, source } = this.#of
    const { next, old } = this
    const { view } = source
    return api.admission.validate(
      view ? attributes.settle(view(next), view(old)) : attributes.settle(next, old),
    )
  }

  /** Makes the record, and finds where it is to be stored: others may have taken the place of a resource meanwhile. */
  encode(): void | Promise<void> {
    const { api, call } = this.#of
    const { served } = call
    this.#record = encodeObject(served, this.next, this.hot && this.hot.object)
    const loaded = api.cache.loaded(served.storage)
    if (loaded) {
      this.#table = loaded
      return
    }
    return api.cache.resourceCache(served.storage).then((table) => {
      this.#table = table
    })
  }
}

/** Checks the resourceVersion of an update; returns whether it names one. Throws 409, and 422 where one is required. */
function checkVersion(call: Call, metadata: ObjectMeta, old: ObjectMeta): boolean {
  const { served } = call
  const { resourceVersion: found } = old
  const isFound = metadata.resourceVersion === found
  const named = isFound ? null : namedRevision(metadata.resourceVersion)
  const conditional = named !== 0n
  if (!conditional && served.strategy.needsVersionOnUpdate === true) throw versionless(call)
  if (conditional && named !== null && named !== namedRevision(found)) {
    throw modified(served.name, call.name)
  }
  metadata.resourceVersion = old.resourceVersion!
  keepSystemFields(metadata, old)
  return conditional
}

function keepSystemFields(metadata: ObjectMeta, old: ObjectMeta): void {
  metadata.uid ??= old.uid!
  // To delete what is absent costs as much as to delete it.
  if (metadata.selfLink !== undefined) delete metadata.selfLink
  if (metadata.generation !== old.generation) copy(metadata, old, 'generation')
  if (metadata.creationTimestamp !== old.creationTimestamp) copy(metadata, old, 'creationTimestamp')
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp
  const { deletionGracePeriodSeconds } = old
  if (deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds
}

function copy<K extends keyof ObjectMeta>(to: ObjectMeta, from: ObjectMeta, name: K): void {
  if (from[name] === undefined) delete to[name]
  else to[name] = from[name]
}

/** The object with this name has another uid, or does not exist. */
export const otherUid = (call: Call, key: string, wanted: string, found: string) =>
  conflict(
    call.served.name,
    call.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  )

/** An update without a version of a kind that needs one: the reference names the resource here, not the kind. */
function versionless({ served, name }: Call) {
  const message = 'Invalid value: 0x0: must be specified for an update'
  const field = 'metadata.resourceVersion'
  const { group, resource } = served
  return invalid({ group, kind: resource }, name, [{ field, reason: 'FieldValueInvalid', message }])
}

/** The status-like sub-resource that is written; null for the whole object and for fields of the main endpoint. */
function partOf({ call, source }: UpdateOf): PartSubresource<Typed> | null {
  if (source.part) return source.part
  if (call.subresource === '') return null
  const subresource = call.served.subresources.get(call.subresource)
  return subresource?.serves === 'part' ? subresource : null
}
