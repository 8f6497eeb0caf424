/**
 * Writes that changed nothing. Most applies of deployment tools do: they send the same configuration every few minutes.
 * The same request for the same object is then answered from memory, without reading its body.
 */
import { createHash } from 'node:crypto'
import { whenKnown, type NowOrLater } from '../admission/now-or-later.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import { CallAttributes } from './admission.ts'
import {
  keyOf,
  storeReached,
  type Body,
  type Call,
  type ShownUpdate,
  type WriteDependencies,
} from './context.ts'
import type { Result } from './results.ts'

/** Requests that left an object as it is, of the newest that were met. */
interface Known {
  readonly served: ResourceEntry
  readonly revision: number
  /** The newest last. */
  readonly requests: UnchangedWrite[]
}

/** A request that left an object as it is. */
interface UnchangedWrite {
  readonly digest: string
  /** What the audit record says of the object in the body; null for patches. */
  readonly identity: ObjectMeta | null
}

/** Objects of one generation; an object costs about 300 bytes. */
const MOST_OBJECTS = 8_192
/** Requests for one object: those of its manager, and of few others. */
const MOST_REQUESTS = 4

/** What is known of requests that changed nothing; bounded. */
export class UnchangedWrites {
  #young = new Map<string, Known>()
  #old: ReadonlyMap<string, Known> = new Map()
  readonly #most: number

  constructor(most = MOST_OBJECTS) {
    this.#most = most
  }

  /** The request that left this very version of the object unchanged; `digest` is called when there is one. */
  find(served: ResourceEntry, live: StoredObject, digest: () => string): UnchangedWrite | null {
    const young = this.#young.get(live.key)
    const known = young ?? this.#old.get(live.key)
    if (known?.revision !== live.revision || known.served !== served) return null
    const wanted = digest()
    const found = known.requests.find((one) => one.digest === wanted)
    if (found && !young) this.#set(live.key, known)
    return found ?? null
  }

  /** Remembers a request that left this version of the object unchanged. */
  add(served: ResourceEntry, live: StoredObject, request: UnchangedWrite): void {
    const { key, revision } = live
    const present = this.#young.get(key) ?? this.#old.get(key)
    const known =
      present?.revision === revision && present.served === served
        ? present
        : { served, revision, requests: [] }
    if (known.requests.length === MOST_REQUESTS) known.requests.shift()
    known.requests.push(request)
    this.#set(key, known)
  }

  #set(key: string, known: Known): void {
    this.#young.set(key, known)
    if (this.#young.size < this.#most) return
    this.#old = this.#young
    this.#young = new Map()
  }
}

/** Does a write in full. */
export type WholeWrite = (api: WriteDependencies, call: Call) => Promise<Result>

/**
 * Runs a write of one object, or answers it from memory: the same request changed nothing before and said nothing, the
 * object has still the same revision, and no part of admission could decide otherwise now.
 */
export function unlessUnchanged(
  api: WriteDependencies,
  call: Call,
  write: WholeWrite,
): Promise<Result> {
  const { unchanged } = api
  const { served } = call
  if (!unchanged || !isSelfContained(api, served)) return write(api, call)
  return call.body().then((body) => {
    const known = (table: ResourceCache) =>
      unlessKnown(unchanged, { api, call, body, table, write })
    const loaded = api.cache.loaded(served.storage)
    return loaded ? known(loaded) : api.cache.resourceCache(served.storage).then(known)
  })
}

/** A write whose body is there. */
interface SentWrite {
  readonly api: WriteDependencies
  readonly call: Call
  readonly body: Body
  readonly table: ResourceCache
  readonly write: WholeWrite
}

/** The same with what is known; without a promise as long as nothing waits. */
function unlessKnown(unchanged: UnchangedWrites, sent: SentWrite): NowOrLater<Result> {
  const { api, call, body, table, write } = sent
  const { served } = call
  const key = keyOf(served, call.namespace, call.name)
  const live = table.get(key)
  if (!live || live.isOutdated) return write(api, call)
  const found = unchanged.find(served, live, () => digestOf(call, body))
  if (!found) return repeatedOrWhole(unchanged, sent, live)
  // Another server may have changed the object, or what admission goes by.
  return whenKnown(storeReached(api.cache, call) ?? undefined, () =>
    whenKnown(isSettled(api, call, key), (isStill) => {
      // The object may change while admission is asked.
      if (!isStill || table.get(key) !== live) return repeatedOrWhole(unchanged, sent, live)
      if (found.identity) body.decoded?.(found.identity)
      return { is: 'object', status: 200, version: live }
    }),
  )
}

function repeatedOrWhole(
  unchanged: UnchangedWrites,
  sent: SentWrite,
  live: StoredObject,
): Promise<Result> {
  const { api, call, body } = sent
  const whole = () => wholeWrite(unchanged, sent, live)
  return api.repeated?.repeat(api, call, body, { live, whole }) ?? whole()
}

/** Does a write in full, and remembers it. */
async function wholeWrite(
  unchanged: UnchangedWrites,
  { api, call, body, write }: SentWrite,
  live: StoredObject,
): Promise<Result> {
  const { repeated } = api
  const { served } = call
  const before = (repeated && api.hot?.find(served, live)) ?? null
  const heard = new HeardWrite(call, body)
  const result = await write(api, heard.call)
  if (repeated) await repeated.heard(api, heard, { body, live, result, before })
  const isSame = result.is === 'object' && result.version === live
  // What admission changed back is not known to stay the same.
  if (isSame && heard.isSilent && (await isSettled(api, call, live.key)))
    unchanged.add(served, live, { digest: digestOf(call, body), identity: heard.identity })
  return result
}

/** A write that is listened to: whether it tells the client or the audit record anything. */
export class HeardWrite {
  readonly call: Call
  isSilent = true
  identity: ObjectMeta | null = null
  /** It was answered: later reports are ignored. */
  isOver = false
  /** How it makes its object, where it is an update. */
  shown: ShownUpdate | null = null

  constructor(call: Call, body: Body) {
    const told = () => {
      this.isSilent = false
    }
    const { decoded, readAs } = body
    const heard: Body = {
      ...body,
      ...(decoded && {
        decoded: (metadata: ObjectMeta) => {
          if (this.isOver) return
          this.identity = identityOf(metadata)
          decoded(metadata)
        },
      }),
      ...(readAs && {
        readAs: (value: unknown) => {
          told()
          readAs(value)
        },
      }),
    }
    // What is added to a spread gives each call a hidden class of its own, which makes every access to it slow.
    this.call = Object.assign({}, call, {
      body: () => Promise.resolve(heard),
      shows: (update: ShownUpdate) => {
        this.shown = update
      },
      warn: (text: string) => {
        told()
        if (!this.isOver) call.warn(text)
      },
      annotate: (...annotation: Parameters<NonNullable<Call['annotate']>>) => {
        told()
        if (!this.isOver) call.annotate?.(...annotation)
      },
    })
  }
}

/** The members of an object's metadata that identify it. */
function identityOf({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  const identity: ObjectMeta = {}
  if (name !== undefined) identity.name = name
  if (namespace !== undefined) identity.namespace = namespace
  if (uid !== undefined) identity.uid = uid
  if (resourceVersion !== undefined) identity.resourceVersion = resourceVersion
  return identity
}

/** Whether the result of a write depends on nothing but the request, the object and admission. */
const isSelfContained = ({ guards }: WriteDependencies, served: ResourceEntry): boolean =>
  !served.strategy.allocate &&
  !served.conversion?.waiting &&
  guards?.has(`${served.group}/${served.resource}`) !== true

/** Whether admission would let the object pass unchanged again, and the store has no reason to rewrite it. */
function isSettled(api: WriteDependencies, call: Call, key: string): NowOrLater<boolean> {
  const asked = { operation: 'UPDATE', object: null, old: null, dryRun: false } as const
  return whenKnown(api.admission.passesAgain(new CallAttributes(api, call, asked)), (passes) => {
    if (!passes || !api.isStale) return passes
    return api.isStale(key).then((isStale) => !isStale)
  })
}

/** Identifies a request for an object: who sends what how. */
function digestOf(call: Call, { bytes, mediaType }: Body): string {
  const { subresource, user, userAgent, query, isOwn = false } = call
  const { name, uid, groups, extra } = user
  const who = [name, uid, groups, extra, userAgent, isOwn]
  // The head is one line, so that it ends where the body begins.
  const head = JSON.stringify([subresource, mediaType, who, query.size === 0 ? null : [...query]])
  return createHash('sha256').update(`${head}\n`).update(bytes).digest('base64')
}
