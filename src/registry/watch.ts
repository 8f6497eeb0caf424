import type { WaitingConversion } from '../catalogue/entry.ts'
import { badRequest, expired, internalError, StatusError } from '../meta/errors.ts'
import { TransformError, unreadableAmong } from '../engine/encryption/unreadable.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ChangeType, Watcher, WatchSink } from '../cache/watch-hub.ts'
import { first, keyOf, type Api, type Call } from './context.ts'
import { batchesOf, shownVersions } from './conversion.ts'
import { listOptions, parseRevision } from './options.ts'
import { selection, type Selection } from './selection.ts'

/** How events look in the form that was asked for. */
export interface EventForm {
  /** Same text, same bytes. */
  readonly id: string
  /** One event. For DELETED, `revision` is that of the deletion. */
  event(type: ChangeType, version: StoredObject, revision: number): Buffer
  bookmark(revision: number): Buffer
  error(status: unknown): Buffer
  /** Set when events of one stream differ by their place, so that frames are not shared. */
  readonly perStream?: boolean
  /** Set when objects have to be waited for: makes ready the events of these, and of no others. Rejects with StatusError. */
  readonly prepare?: (versions: readonly StoredObject[]) => Promise<void>
}

/** A watch that was checked and may start. */
export interface WatchStart {
  /** Sends events until the time is up, the client is gone or the server closes. */
  run(form: EventForm, sink: WatchSink): Promise<void>
}

// Between bookmarks, and before the end at which a last one is sent.
const BOOKMARK_MS = 60_000
const LAST_BOOKMARK_MS = 2_000

/** Checks a watch (seed 1, Resource version semantics for watch). Throws 400 and 422. */
export async function watch(api: Api, call: Call): Promise<WatchStart> {
  const options = listOptions(call.query, api.v)
  const { served } = call
  let fields = options.fieldSelector
  if (call.name !== '') {
    const given = fields === '' ? undefined : selection(served, '', fields).name
    if (given !== undefined && given !== call.name) {
      throw badRequest("fieldSelector metadata.name doesn't match requested name")
    }
    if (given === undefined)
      fields = `metadata.name=${call.name}${fields === '' ? '' : `,${fields}`}`
  }
  const chosen = selection(served, options.labelSelector, fields)
  const wanted = first(call.query, 'resourceVersion') ?? ''
  const revision = wanted === '' || wanted === '0' ? 0 : parseRevision(wanted)
  const table = await api.cache.table(served.storage)
  // A single object of a known place is looked for under its own key.
  const oneKey = chosen.name !== undefined && (call.namespace !== '' || !served.namespaced)
  const prefix = keyOf(served, call.namespace, oneKey ? chosen.name! : '')
  const matches: Selection['matches'] = oneKey
    ? (object) => object.key === prefix && (chosen.matches?.(object) ?? true)
    : chosen.matches
  const timeoutMs =
    options.timeoutSeconds !== undefined && options.timeoutSeconds > 0
      ? options.timeoutSeconds * 1000
      : api.minRequestTimeoutMs * (1 + api.ids.fraction())

  return {
    run: (form, sink) =>
      new Promise<void>((resolve, reject) => {
        const cancels: (() => void)[] = []
        let ended = false
        let stop = () => finish()
        const finish = (error?: unknown) => {
          if (ended) return
          ended = true
          for (const cancel of cancels) cancel()
          call.signal().removeEventListener('abort', onAbort)
          if (error instanceof TransformError) {
            const { message } = unreadableAmong(error.key, error.reason)
            sink.write(form.error(internalError(message).toStatus()))
            resolve()
          } else if (error instanceof StatusError) {
            sink.write(form.error(error.toStatus()))
            resolve()
          } else if (error === undefined) resolve()
          else reject(error instanceof Error ? error : new Error(String(error)))
        }
        const onAbort = () => stop()
        call.signal().addEventListener('abort', onAbort)
        cancels.push(api.clock.after(timeoutMs, () => stop()))
        const view = {
          id: form.perStream === true ? api.ids.uid() : `${form.id}\0${chosen.id}`,
          prefix,
          matches,
          frame: (type: ChangeType, version: StoredObject, at: number) =>
            form.event(type, version, at),
          ...(form.prepare ? { prepare: form.prepare } : {}),
        }
        const begin = async () => {
          let from = revision
          if (from === 0) {
            from = api.cache.revision
            const initial: StoredObject[] = []
            for (const version of table.range(prefix)) {
              if (!matches || matches(version)) initial.push(version)
            }
            await sendInitial(sink, form, initial)
          } else if (from > api.cache.revision) {
            // From the future: nothing happens until time gets there.
            const reached = await Promise.race([
              api.cache.reached(from),
              new Promise<boolean>((done) => cancels.push(() => done(false))),
            ])
            if (!reached) return
          }
          if (ended) return
          let joined: Watcher | null = null
          const watcher = api.cache.hub.watch(table, view, sink, {
            from,
            onLost: (oldest) => {
              const status = expired(`too old resource version: ${from} (${oldest})`).toStatus()
              sink.write(form.error(status))
            },
            // One that ends before it is known here is looked at below.
            onEnd: () => {
              if (joined) finish(joined.error)
            },
          })
          joined = watcher
          stop = () => watcher.stop()
          if (watcher.stopped) return finish(watcher.error)
          if (options.allowBookmarks) {
            const bookmark = () => {
              if (!sink.closed && watcher.bringUpToDate())
                sink.write(form.bookmark(api.cache.revision))
            }
            const again = () => {
              bookmark()
              cancels.push(api.clock.after(BOOKMARK_MS, again))
            }
            cancels.push(api.clock.after(BOOKMARK_MS, again))
            if (timeoutMs > LAST_BOOKMARK_MS) {
              cancels.push(api.clock.after(timeoutMs - LAST_BOOKMARK_MS, bookmark))
            }
          }
        }
        begin().catch((error: unknown) => finish(error ?? new Error('watch failed')))
      }),
  }
}

const INITIAL_BYTES = 256 << 10

async function sendInitial(
  sink: WatchSink,
  form: EventForm,
  versions: readonly StoredObject[],
): Promise<void> {
  if (!form.prepare) return sendAdded(sink, form, versions)
  for (const batch of batchesOf(versions)) {
    if (sink.closed) return
    await form.prepare(batch)
    await sendAdded(sink, form, batch)
  }
}

async function sendAdded(
  sink: WatchSink,
  form: EventForm,
  versions: readonly StoredObject[],
): Promise<void> {
  let batch: Buffer[] = []
  let bytes = 0
  for (const version of versions) {
    const frame = form.event('ADDED', version, version.revision)
    batch.push(frame)
    bytes += frame.length
    if (bytes < INITIAL_BYTES) continue
    if (sink.closed) return
    const ok = sink.write(Buffer.concat(batch))
    batch = []
    bytes = 0
    if (!ok) await sink.drained()
  }
  if (batch.length > 0 && !sink.closed && !sink.write(Buffer.concat(batch))) await sink.drained()
}

/** Events of objects that have to be waited for, in the form of those that are in their version already. */
export function convertedEvents(waiting: WaitingConversion, form: EventForm): EventForm {
  let ready: ReadonlyMap<StoredObject, StoredObject> = new Map()
  return {
    id: form.id,
    perStream: true,
    bookmark: (revision) => form.bookmark(revision),
    error: (status) => form.error(status),
    async prepare(versions) {
      const shown = await shownVersions(waiting, versions)
      ready = new Map(versions.map((version, i) => [version, shown[i]!]))
    },
    event(type, version, revision) {
      const shown = ready.get(version)
      if (!shown) throw new Error(`an event of ${version.key} was not made ready`)
      return form.event(type, shown, revision)
    },
  }
}
