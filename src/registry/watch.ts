import { badRequest } from '../meta/errors.ts'
import type { WatchSink } from '../cache/watch-hub.ts'
import { first, keyOf, type WatchDependencies, type Call } from './context.ts'
import type { EventForm } from './event-form.ts'
import { listOptions, parseRevision, type ListOptions } from './options.ts'
import { RunningWatch } from './running-watch.ts'
import { selection, type Selection } from './selection.ts'

/** A validated watch that may start. */
export interface WatchStart {
  /** Sends events until the timeout, or until the client or the server closes. */
  run(form: EventForm, sink: WatchSink): Promise<void>
}

/** Validates a watch. Throws 400 and 422. */
export async function watch(api: WatchDependencies, call: Call): Promise<WatchStart> {
  const options = listOptions(call.query, api.v)
  const { served } = call
  const chosen = selection(served, options.labelSelector, fieldSelectorOf(call, options))
  const wanted = first(call.query, 'resourceVersion') ?? ''
  const from = wanted === '' || wanted === '0' ? 0 : parseRevision(wanted)
  const plan = {
    table: await api.cache.resourceCache(served.storage),
    ...watchedKeys(call, chosen),
    selection: chosen.id,
    requires: chosen.requires,
    from,
    timeoutMs: timeoutOf(api, options),
    sendsBookmarks: options.allowBookmarks,
  }
  return {
    run: (form, sink) =>
      new RunningWatch(api, plan, {
        form,
        sink,
        signal: call.signal(),
        initialized: call.initialized,
      }).run(),
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

/** The prefix of a watch and its selector: a single object in a known namespace is watched by its key. */
function watchedKeys(
  { served, namespace }: Call,
  { name, matches }: Selection,
): { readonly prefix: string; readonly matches: Selection['matches'] } {
  if (name === undefined || (namespace === '' && served.namespaced))
    return { prefix: keyOf(served, namespace, ''), matches }
  const key = keyOf(served, namespace, name)
  return { prefix: key, matches: (object) => object.key === key && (matches?.(object) ?? true) }
}

/** Maximum duration of a watch, milliseconds; the default is randomized so that watches do not all end together. */
function timeoutOf(
  { ids, minRequestTimeoutMs }: WatchDependencies,
  { timeoutSeconds = 0 }: ListOptions,
): number {
  return timeoutSeconds > 0 ? timeoutSeconds * 1000 : minRequestTimeoutMs * (1 + ids.fraction())
}
