import { Pace } from '../base/event-loop.ts'
import { badRequest, expired, tooNewVersion } from '../meta/errors.ts'
import { unreadableAmong } from '../engine/encryption/unreadable.ts'
import { Compacted, FutureRevision } from '../engine/engine.ts'
import type { ListState } from '../cache/watch-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import { decodeContinue, encodeContinue } from './continue-token.ts'
import { keyOf, type ReadDependencies, type Call } from './context.ts'
import { waitForRevision } from './get.ts'
import { listOptions, parseRevision, type ListOptions } from './options.ts'
import type { ListResult } from './results.ts'
import { selection, type Selection } from './selection.ts'

/** Reads a collection or a chunk of it. Throws 400, 410, 422 and 504. */
export async function list(api: ReadDependencies, call: Call): Promise<ListResult> {
  const options = listOptions(call.query, api.v)
  const chosen = selection(call.served, options.labelSelector, options.fieldSelector)
  return select(api, call, options, chosen)
}

interface Start {
  /** undefined: the latest state. */
  readonly at: number | undefined
  /** First key, without the prefix of the collection; empty: from the start. */
  readonly from: string
  readonly limit: number
}

/** The objects that a list or deletecollection selects. */
export async function select(
  api: ReadDependencies,
  call: Call,
  options: ListOptions,
  chosen: Selection,
): Promise<ListResult> {
  const { served } = call
  const prefix = keyOf(served, call.namespace, '')
  const start = await startOf(api, options)
  const only = call.name !== '' ? call.name : chosen.name
  const isOnePlace = !served.namespaced || call.namespace !== ''
  const read = async () => {
    try {
      return await api.cache.list(served.storage, prefix, {
        ...(start.at === undefined ? {} : { at: start.at }),
        ...(start.from === '' ? {} : { start: prefix + start.from }),
        ...(only !== undefined && isOnePlace
          ? { only: prefix + only }
          : { requires: chosen.requires }),
      })
    } catch (error) {
      throw historyError(error, api, options, start)
    }
  }
  let state = await read()
  if (start.limit === 0) {
    let found = await allInParts(state, only)
    if (!found) {
      state = await read()
      found = allOf(state.all(), only)
    }
    const items = await chosenOf(found.items, chosen.matches)
    state.examined?.(found.examined, items.length)
    return listResult(state, items, found.examined)
  }
  // With a selector the remaining items are not counted: that would evaluate it for all of them.
  const isCounted = chosen.matches === null && only === undefined
  const { items, next, examined } = isCounted
    ? firstOf(state, start.limit)
    : firstChosen(state, chosen, { limit: start.limit, only })
  if (!next) return listResult(state, items, examined)
  const behind = () =>
    api.cache.loaded(served.storage)?.countAfter(prefix, next.key, state.at) ??
    state.all().length - start.limit - 1
  return {
    ...listResult(state, items, examined),
    continueToken: encodeContinue(
      { revision: state.at, start: next.key.slice(prefix.length) },
      api.v,
    ),
    remaining: isCounted ? behind() + 1 : undefined,
  }
}

/** Some objects, and the key of the next one. */
interface Chunk {
  readonly items: readonly StoredObject[]
  readonly next: StoredObject | undefined
  readonly examined: number
}

function firstOf(state: ListState, limit: number): Chunk {
  const found = state.all(limit + 1)
  const items = found.slice(0, limit)
  refuseUnreadable(items)
  return { items, next: found[limit], examined: items.length }
}

function firstChosen(
  state: ListState,
  { matches }: Selection,
  { limit, only }: { readonly limit: number; readonly only: string | undefined },
): Chunk {
  const items: StoredObject[] = []
  const hasName = only === undefined ? null : isNamed(only)
  let examined = 0
  let next: StoredObject | undefined
  for (const version of state.items) {
    examined++
    if (hasName && !hasName(version)) continue
    const isFull = items.length >= limit
    if (version.fault !== null && (matches || !isFull))
      throw unreadableAmong(version.key, version.fault)
    if (matches && !matches(version)) continue
    if (isFull) {
      next = version
      break
    }
    items.push(version)
  }
  state.examined?.(examined, items.length)
  return { items, next, examined }
}

const listResult = (
  { at, isIndexed = false }: ListState,
  items: readonly StoredObject[],
  examined: number,
): ListResult => ({
  is: 'list',
  status: 200,
  revision: at,
  items,
  continueToken: '',
  remaining: undefined,
  search: { examined, isIndexed },
})

/** What a whole list looked at, and what it found. */
type All = Omit<Chunk, 'next'>

/** The objects of a name, or all. Throws where one cannot be read. */
function allOf(versions: readonly StoredObject[], only: string | undefined): All {
  const items = only === undefined ? versions : versions.filter(isNamed(only))
  refuseUnreadable(items)
  return { items, examined: versions.length }
}

/** The same of a state, with yields to the event loop; null: the state is gone. */
async function allInParts(state: ListState, only: string | undefined): Promise<All | null> {
  if (!state.part) return allOf(state.all(), only)
  const pace = new Pace(SHORT_MS)
  const found: StoredObject[] = []
  let after = ''
  for (let examined = 0; ;) {
    const part = state.part(after, PART)
    if (!part) return null
    const { items } = allOf(part, only)
    examined += part.length
    if (examined < PART) return { items, examined }
    for (const version of items) found.push(version)
    if (part.length < PART) return { items: found, examined }
    after = part.at(-1)!.key
    const pause = pace.pause()
    if (pause) await pause
  }
}

async function chosenOf(
  versions: readonly StoredObject[],
  matches: Selection['matches'],
): Promise<readonly StoredObject[]> {
  if (!matches) return versions
  // A selector may have thousands of conditions, and there may be any number of objects.
  const pace = new Pace()
  const chosen: StoredObject[] = []
  for (const [i, version] of versions.entries()) {
    if (matches(version)) chosen.push(version)
    const pause = i % EACH === 0 ? pace.pause() : null
    if (pause) await pause
  }
  return chosen
}

/** Objects to collect between two looks at the clock. */
const PART = 1_000
/** Collecting is a part of each whole list, and yields more often than what is seldom. */
const SHORT_MS = 0.25
/** Objects to match between two looks at the clock. */
const EACH = 16

function refuseUnreadable(versions: readonly StoredObject[]): void {
  const unreadable = versions.find(({ fault }) => fault !== null)
  if (unreadable) throw unreadableAmong(unreadable.key, unreadable.fault!)
}

function isNamed(name: string): (version: StoredObject) => boolean {
  const end = `/${name}`
  return ({ key }) => key.endsWith(end)
}

async function startOf(api: ReadDependencies, options: ListOptions): Promise<Start> {
  const { resourceVersion, match, continueToken, limit } = options
  if (continueToken !== '') {
    if (resourceVersion !== '' && resourceVersion !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue')
    }
    const token = decodeContinue(continueToken, api.v)
    // The first page may come from another server.
    if (token.revision === -1) await api.cache.fresh()
    else await waitForRevision(api, token.revision)
    return { at: token.revision === -1 ? undefined : token.revision, from: token.start, limit }
  }
  // Any state will do: a complete response, as such clients expect.
  if (resourceVersion === '0') return { at: undefined, from: '', limit: 0 }
  if (resourceVersion === '') return { at: undefined, from: '', limit }
  const revision = parseRevision(resourceVersion)
  if (revision === 0) return { at: undefined, from: '', limit: 0 }
  await waitForRevision(api, revision)
  const exact = match === 'Exact' || (match === '' && limit > 0)
  return { at: exact ? revision : undefined, from: '', limit }
}

function historyError(
  error: unknown,
  api: ReadDependencies,
  options: ListOptions,
  start: Start,
): unknown {
  if (error instanceof FutureRevision) return tooNewVersion(start.at ?? 0, error.current)
  if (!(error instanceof Compacted)) return error
  if (options.continueToken === '')
    return expired('The resourceVersion for the provided list is too old.')
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    encodeContinue({ revision: -1, start: start.from }, api.v),
  )
}
