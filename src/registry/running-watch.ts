import { expired, internalError, StatusError } from '../meta/errors.ts'
import { TransformError, unreadableAmong } from '../engine/encryption/unreadable.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { Requirement } from '../cache/selector-indexes.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Watcher, WatchSink, WatchView } from '../cache/watch-hub.ts'
import type { WatchDependencies } from './context.ts'
import { batchesOf } from './conversion.ts'
import type { EventForm } from './event-form.ts'

// Interval of bookmarks, and the time by which the last one precedes the end.
const BOOKMARK_MS = 60_000
const LAST_BOOKMARK_MS = 2_000

/** Objects, start and duration of a watch. */
export interface WatchPlan extends Pick<WatchView, 'prefix' | 'matches'> {
  readonly table: ResourceCache
  /** Equal texts select the same objects under the prefix. */
  readonly selection: string
  /** What selected objects have. */
  readonly requires: readonly Requirement[]
  /** Revision to continue from; 0: start with the present objects. */
  readonly from: number
  readonly timeoutMs: number
  readonly sendsBookmarks: boolean
}

/** The client of a watch. */
export interface WatchClient {
  readonly form: EventForm
  readonly sink: WatchSink
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Called when the initial events have been sent; perhaps again later. */
  readonly initialized?: (() => void) | undefined
}

/** A watch from start to end. It ends once: by timeout, by the client, by the server or with a failure. */
export class RunningWatch {
  readonly #api: Pick<WatchDependencies, 'cache' | 'clock' | 'ids'>
  readonly #plan: WatchPlan
  readonly #client: WatchClient
  readonly #cancels: (() => void)[] = []
  /** Null until it receives changes. */
  #watcher: Watcher | null = null
  #ended = false
  #resolve: () => void = () => {}
  #reject: (error: Error) => void = () => {}

  constructor(
    api: Pick<WatchDependencies, 'cache' | 'clock' | 'ids'>,
    plan: WatchPlan,
    client: WatchClient,
  ) {
    this.#api = api
    this.#plan = plan
    this.#client = client
  }

  /** Sends events to the client; resolves at the end, and rejects with errors that the client does not see. */
  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#client.signal.addEventListener('abort', this.#stop)
      this.#after(this.#plan.timeoutMs, this.#stop)
      this.#begin().catch((error: unknown) => this.#finish(error ?? new Error('watch failed')))
    })
  }

  async #begin(): Promise<void> {
    const { cache } = this.#api
    let { from } = this.#plan
    if (from === 0) {
      from = cache.revision
      await sendInitial(this.#client, this.#present())
      this.#client.initialized?.()
    } else if (from > cache.revision && !(await this.#reached(from))) return
    if (!this.#ended) this.#follow(from)
  }

  /** The objects at the start. */
  #present(): readonly StoredObject[] {
    const { table, prefix, matches, requires } = this.#plan
    if (!matches) return table.collect(prefix)
    const known = table.among(requires, prefix)
    if (known) return known.filter(matches)
    const present: StoredObject[] = []
    let examined = 0
    for (const version of table.range(prefix)) {
      examined++
      if (matches(version)) present.push(version)
    }
    table.indexes?.note(requires, examined, present.length)
    return present
  }

  /** Waits for a future revision. False when the watch ends before that. */
  #reached(revision: number): Promise<boolean> {
    return Promise.race([
      this.#api.cache.reached(revision),
      new Promise<boolean>((done) => this.#cancels.push(() => done(false))),
    ])
  }

  #follow(from: number): void {
    const { form, sink, initialized } = this.#client
    const watcher = this.#api.cache.hub.watch(this.#plan.table, this.#view(), sink, {
      from,
      onLive: initialized,
      expires: true,
      onLost: (oldest) => {
        const status = expired(`too old resource version: ${from} (${oldest})`).toStatus()
        sink.write(form.error(status))
      },
      // The watcher may end before it is assigned; that is checked below.
      onEnd: () => {
        if (this.#watcher) this.#finish(this.#watcher.error)
      },
    })
    this.#watcher = watcher
    if (watcher.stopped) this.#finish(watcher.error)
    else if (this.#plan.sendsBookmarks) this.#sendBookmarks()
  }

  #view(): WatchView {
    const { form } = this.#client
    const { prefix, matches, selection } = this.#plan
    return {
      id: form.perStream === true ? this.#api.ids.uid() : `${form.id}\0${selection}`,
      prefix,
      matches,
      frame: (type, version, at) => form.event(type, version, at),
      ...(form.prepare ? { prepare: form.prepare } : {}),
      ...(form.counts ? { sent: (bytes, n) => form.counts!.sent(bytes, n) } : {}),
    }
  }

  #sendBookmarks(): void {
    const { timeoutMs } = this.#plan
    const again = () => {
      this.#bookmark()
      this.#after(BOOKMARK_MS, again)
    }
    this.#after(BOOKMARK_MS, again)
    if (timeoutMs > LAST_BOOKMARK_MS)
      this.#after(timeoutMs - LAST_BOOKMARK_MS, () => this.#bookmark())
  }

  #bookmark(): void {
    const { form, sink } = this.#client
    if (!sink.closed && this.#watcher?.bringUpToDate() === true)
      sink.write(form.bookmark(this.#api.cache.revision))
  }

  #after(ms: number, call: () => void): void {
    this.#cancels.push(this.#api.clock.after(ms, call))
  }

  readonly #stop = (): void => {
    if (this.#watcher) this.#watcher.stop()
    else this.#finish()
  }

  #finish(error?: unknown): void {
    if (this.#ended) return
    this.#ended = true
    for (const cancel of this.#cancels) cancel()
    const { form, sink, signal } = this.#client
    signal.removeEventListener('abort', this.#stop)
    const shown = shownError(error)
    if (shown !== null) sink.write(form.error(shown.toStatus()))
    if (shown !== null || error === undefined) this.#resolve()
    else this.#reject(error instanceof Error ? error : new Error(String(error)))
  }
}

/** The last event, for a failure; null: none. */
function shownError(error: unknown): StatusError | null {
  if (error instanceof TransformError)
    return internalError(unreadableAmong(error.key, error.reason).message)
  return error instanceof StatusError ? error : null
}

const INITIAL_BYTES = 256 << 10

async function sendInitial(
  { form, sink }: WatchClient,
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
  form.counts?.initial(versions.length)
  let batch: Buffer[] = []
  let bytes = 0
  for (const version of versions) {
    const frame = form.event('ADDED', version, version.revision)
    form.counts?.sent(frame.length, 1)
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
