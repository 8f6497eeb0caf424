/** Updates of objects: attempts until one is stored. The steps of one are in `passing-update.ts`. */
import { refusal } from '../authz/refusal.ts'
import type { NowOrLater } from '../admission/now-or-later.ts'
import { modified, notFound } from '../meta/errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { keyOf, storeReached, type WriteDependencies, type Call } from './context.ts'
import { createObject } from './create-object.ts'
import type { HotObject } from './hot-objects.ts'
import { namedRevision } from './named-revision.ts'
import type { WriteOptions } from './options.ts'
import { otherUid, passedUpdate, type UpdateOf } from './passing-update.ts'
import type { Result } from './results.ts'
import { storeUpdate, type Retry } from './store-update.ts'
import type { Source } from './update-source.ts'

/**
 * Updates an object or a status-like sub-resource. A write without a resourceVersion is retried when the object changed
 * meanwhile. Throws and rejects with 4xx.
 */
export function updateObject(
  api: WriteDependencies,
  call: Call,
  source: Source,
  options: WriteOptions,
): Promise<Result> {
  const { served } = call
  const key = source.key ?? keyOf(served, call.namespace, call.name)
  call.shows?.({ next: (hot, live) => shownNext(source, hot, live), options })
  const loaded = api.cache.loaded(served.storage)
  const update = (table: ResourceCache) =>
    api.mutex.take(key, (release) =>
      attempt(new Attempts({ api, call, source, options, key, release }, table)),
    )
  return loaded ? update(loaded) : api.cache.resourceCache(served.storage).then(update)
}

/** What the source of an update makes of another version of the object. */
const shownNext = async (source: Source, hot: HotObject, live: StoredObject): Promise<Typed> =>
  source.next({
    live,
    hot,
    old: hot.object,
    document: () => hot.storage.codec.plain(hot.object as never),
    release() {},
  })

/** Attempts to update until one succeeds. */
class Attempts implements Retry {
  readonly of: UpdateOf
  readonly table: ResourceCache
  #left: number

  constructor(of: UpdateOf, table: ResourceCache) {
    this.of = of
    this.table = table
    this.#left = of.source.attempts ?? Infinity
  }

  /**
   * The next one, since the object changed meanwhile and the write may be retried. Throws 409 and rejects with it. Where
   * another server changed it, this one may not have heard of that yet.
   */
  again(): NowOrLater<Result> {
    const { api, call } = this.of
    this.#left--
    if (this.#left <= 0 || call.signal().aborted) throw modified(call.served.name, call.name)
    const waiting = storeReached(api.cache, call)
    return waiting ? waiting.then(() => attempt(this)) : attempt(this)
  }
}

function attempt(attempts: Attempts): NowOrLater<Result> {
  const { of, table } = attempts
  const live = table.get(of.key)
  if (!live) return created(of)
  const passed = passedUpdate(of, live)
  return passed instanceof Promise
    ? passed.then((update) => storeUpdate(of, update, attempts))
    : storeUpdate(of, passed, attempts)
}

/** The object does not exist: a few kinds are made by an update. */
async function created({ api, call, source, options, key }: UpdateOf): Promise<Result> {
  const { served } = call
  if (source.uid !== undefined) throw otherUid(call, key, source.uid, '')
  if (!source.fresh || call.subresource !== '') throw notFound(served.name, call.name)
  await mayCreate(api, call)
  const object = await source.fresh()
  namedRevision(object.metadata.resourceVersion)
  const { tracked = false } = source
  return createObject(api, call, object, { ...options, tracked, isUpdate: true })
}

/** An update that makes the object needs the right to create it. Throws 403. */
async function mayCreate(api: WriteDependencies, call: Call): Promise<void> {
  if (call.isOwn) return
  const { served, namespace, name, user } = call
  const { group, version, resource } = served
  const asked = { isResource: true, verb: 'create', path: '', subresource: '' }
  const attributes = { ...asked, group, version, resource, namespace, name }
  const { verdict, reason } = await api.authorizer.authorize(user, attributes)
  if (verdict !== 'allow') throw refusal(user, attributes, reason)
}
