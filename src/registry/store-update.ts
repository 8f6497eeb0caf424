/** Stores an update that passed all steps. */
import type { NowOrLater } from '../admission/now-or-later.ts'
import { modified } from '../meta/errors.ts'
import { sameJson } from '../patch/json-value.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Commit } from '../engine/engine.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { isAllocationKey } from './allocations.ts'
import { storeChanges, storeReached, type Call } from './context.ts'
import { objectChanges } from './object-changes.ts'
import { asVersion, encodeObject, isRecordOf, recordBehindMetadata } from './objects.ts'
import { sameButTimes } from './ownership.ts'
import type { PassedUpdate, UpdateOf } from './passing-update.ts'
import type { Result } from './results.ts'
import { committed, isFinished } from './write.ts'

/** What is done where another writer was first. */
export interface Retry {
  again(): NowOrLater<Result>
}

/** Stores an update, or removes an object without remaining finalizers. Throws and rejects with 409. */
export function storeUpdate(of: UpdateOf, passed: PassedUpdate, retry: Retry): NowOrLater<Result> {
  const { served } = of.call
  if (isFinished(served, passed.next)) return removed(of, passed, retry)
  if (of.source.differs?.(passed.next, passed.old) === true) return stored(of, passed, retry)
  // No change: no write, no event, the same resourceVersion.
  const isSame = isRecordOf(passed.record, passed.live) || isSameButTimes(served, passed)
  return isSame === false ? stored(of, passed, retry) : storedIfStale(of, passed, { isSame, retry })
}

async function removed(of: UpdateOf, passed: PassedUpdate, retry: Retry): Promise<Result> {
  const { api, call, options, key } = of
  const { live, old, record, table, isBound } = passed
  const { served } = call
  const over = live.revision
  const wanted = () => asVersion(record, over)
  if (options.dryRun) return unlessStale(of, passed, { version: wanted(), retry })
  const changes = objectChanges(api, { served, key, old, next: null, record: null, over })
  const commit = await storeChanges(api.cache, call, changes, table)
  if (commit.done) return { is: 'object', status: 200, version: wanted() }
  refuseBound(call, commit, isBound)
  return retry.again()
}

/** Stores an object that may be unchanged only where it is stored in an old form. */
async function storedIfStale(
  of: UpdateOf,
  passed: PassedUpdate,
  { isSame, retry }: { readonly isSame: boolean | Promise<boolean>; readonly retry: Retry },
): Promise<Result> {
  const { api, options, key } = of
  const { live } = passed
  if ((await isSame) && (options.dryRun || !(live.isOutdated || (await api.isStale?.(key)))))
    return unlessStale(of, passed, { version: live, retry })
  return stored(of, passed, retry)
}

/**
 * Answers with a version that was not stored. A commit is refused where another server has changed the object; this has to
 * look whether one has.
 */
function unlessStale(
  { api, call, key }: UpdateOf,
  { live, table }: PassedUpdate,
  { version, retry }: { readonly version: StoredObject; readonly retry: Retry },
): NowOrLater<Result> {
  const result: Result = { is: 'object', status: 200, version }
  const waiting = call.isOwn ? null : storeReached(api.cache, call)
  return waiting ? waiting.then(() => (table.get(key) === live ? result : retry.again())) : result
}

function stored(of: UpdateOf, passed: PassedUpdate, retry: Retry): NowOrLater<Result> {
  const { api, call, options, key } = of
  const { served } = call
  const { live, old, hot, next, record, table, isBound, parts } = passed
  const over = live.revision
  if (options.dryRun) return unlessStale(of, passed, { version: asVersion(record, over), retry })
  const changes = objectChanges(api, { served, key, old, next, record, over })
  return storeChanges(api.cache, call, changes, table).then((commit) => {
    if (!commit.done) {
      if (!isAllocationKey(commit.key)) refuseBound(call, commit, isBound)
      return retry.again()
    }
    const version = committed(table, changes[0], commit.at)
    if (version.revision === commit.at) {
      const kept = api.hot?.keep(served, version, next, hot)
      if (kept && parts) kept.alike = parts.alike
      if (of.source.isRepeated !== true) parts?.settle()
    }
    return { is: 'object', status: 200, version }
  })
}

/** Whether the objects differ only in managedFields times: that alone is no change. */
function isSameButTimes(served: ResourceEntry, passed: PassedUpdate): boolean | Promise<boolean> {
  const { next, old, live, record, pace } = passed
  const { managedFields } = next.metadata
  const before = old.metadata.managedFields
  if (managedFields === before || !before) return false
  // Most writes change labels, or bytes after the metadata, which is cheap to detect.
  if (differ(next.metadata.labels, old.metadata.labels)) return false
  if (differ(next.metadata.annotations, old.metadata.annotations)) return false
  if (!recordBehindMetadata(record).equals(behindMetadata(live))) return false
  if (!sameButTimes(managedFields, before)) return false
  const pause = pace.pause()
  const compare = () => isSameWithOwners(served, passed)
  return pause ? pause.then(compare) : compare()
}

const differ = (
  a: Readonly<Record<string, string>> = {},
  b: Readonly<Record<string, string>> = {},
) => !sameJson(a, b)

/** Whether an object with the managedFields before is the stored one. */
function isSameWithOwners(served: ResourceEntry, { next, old, live }: PassedUpdate): boolean {
  const managedFields = old.metadata.managedFields!
  const same = { ...next, metadata: { ...next.metadata, managedFields } }
  return isRecordOf(encodeObject(served, same), live)
}

const behindMetadata = (version: StoredObject) =>
  version.json().subarray(version.metaStart + version.metaLength)

/** A refused commit leads to a retry, which finds nothing where the object is gone. Throws 409. */
function refuseBound(
  call: Call,
  { found }: Commit & { readonly done: false },
  isBound: boolean,
): void {
  if (found && isBound) throw modified(call.served.name, call.name)
}
