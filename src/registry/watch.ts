import { badRequest } from '../meta/errors.ts'
import type { WatchSink } from '../cache/watch-hub.ts'
import { first, keyOf, type WatchDependencies, type Call } from './context.ts'
import type { EventForm } from './event-form.ts'
import { listOptions, parseRevision, type ListOptions } from './options.ts'
import { RunningWatch } from './running-watch.ts'
import { selection, type Selection } from './selection.ts'

/** A watch that was checked and may start. */
export interface WatchStart {
  /** Sends events until the time is up, the client is gone or the server closes. */
  run(form: EventForm, sink: WatchSink): Promise<void>
}

/** Checks a watch (seed 1, Resource version semantics for watch). Throws 400 and 422. */
export async function watch(api: WatchDependencies, call: Call): Promise<WatchStart> {
  const options = listOptions(call.query, api.v)
  const { served } = call
  const chosen = selection(served, options.labelSelector, fieldSelectorOf(call, options))
  const wanted = first(call.query, 'resourceVersion') ?? ''
  const from = wanted === '' || wanted === '0' ? 0 : parseRevision(wanted)
  const plan = {
    table: await api.cache.table(served.storage),
    ...watchedKeys(call, chosen),
    selection: chosen.id,
    from,
    timeoutMs: timeoutOf(api, options),
    sendsBookmarks: options.allowBookmarks,
  }
  return {
    run: (form, sink) => new RunningWatch(api, plan, { form, sink, signal: call.signal() }).run(),
  }
}

/** The field selector of a watch; one of a single object selects its name. Throws 400 when it names another. */
function fieldSelectorOf({ served, name }: Call, { fieldSelector }: ListOptions): string {
  if (name === '') return fieldSelector
  const given = fieldSelector === '' ? undefined : selection(served, '', fieldSelector).name
  if (given === name) return fieldSelector
  if (given !== undefined)
    throw badRequest("fieldSelector metadata.name doesn't match requested name")
  return `metadata.name=${name}${fieldSelector === '' ? '' : `,${fieldSelector}`}`
}

/** Which keys are looked at, and what is wanted of them: a single object of a known place has its own key. */
function watchedKeys(
  { served, namespace }: Call,
  { name, matches }: Selection,
): { readonly prefix: string; readonly matches: Selection['matches'] } {
  if (name === undefined || (namespace === '' && served.namespaced))
    return { prefix: keyOf(served, namespace, ''), matches }
  const key = keyOf(served, namespace, name)
  return { prefix: key, matches: (object) => object.key === key && (matches?.(object) ?? true) }
}

/** Milliseconds that a watch lasts at most; the server's own time is spread, so that not all end together. */
function timeoutOf(
  { ids, minRequestTimeoutMs }: WatchDependencies,
  { timeoutSeconds = 0 }: ListOptions,
): number {
  return timeoutSeconds > 0 ? timeoutSeconds * 1000 : minRequestTimeoutMs * (1 + ids.fraction())
}
