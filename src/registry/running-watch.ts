import { expired, internalError, StatusError } from '../meta/errors.ts'
import { TransformError, unreadableAmong } from '../engine/encryption/unreadable.ts'
import type { ResourceCache } from '../cache/resource-cache.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { Watcher, WatchSink, WatchView } from '../cache/watch-hub.ts'
import type { WatchDependencies } from './context.ts'
import { batchesOf } from './conversion.ts'
import type { EventForm } from './event-form.ts'

// Between bookmarks, and before the end at which a last one is sent.
const BOOKMARK_MS = 60_000
const LAST_BOOKMARK_MS = 2_000

/** What a watch looks at, from when on, and for how long. */
export interface WatchPlan extends Pick<WatchView, 'prefix' | 'matches'> {
  readonly table: ResourceCache
  /** Same text, same objects under the prefix. */
  readonly selection: string
  /** Revision to go on from; 0: begins with what is there. */
  readonly from: number
  readonly timeoutMs: number
  readonly sendsBookmarks: boolean
}

/** Who watches. */
export interface WatchClient {
  readonly form: EventForm
  readonly sink: WatchSink
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
}

/** A watch from its start to its end, which comes once: with the time, the client, the server or a failure. */
export class RunningWatch {
  readonly #api: Pick<WatchDependencies, 'cache' | 'clock' | 'ids'>
  readonly #plan: WatchPlan
  readonly #client: WatchClient
  readonly #cancels: (() => void)[] = []
  /** Null until it follows what changes. */
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

  /** Sends events to the client; resolves at the end, and rejects with what the client is not told of. */
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
    } else if (from > cache.revision && !(await this.#reached(from))) return
    if (!this.#ended) this.#follow(from)
  }

  /** The objects that are there at the start. */
  #present(): readonly StoredObject[] {
    const { table, prefix, matches } = this.#plan
    const present: StoredObject[] = []
    for (const version of table.range(prefix))
      if (!matches || matches(version)) present.push(version)
    return present
  }

  /** From the future: nothing happens until time gets there. False when the watch ends before that. */
  #reached(revision: number): Promise<boolean> {
    return Promise.race([
      this.#api.cache.reached(revision),
      new Promise<boolean>((done) => this.#cancels.push(() => done(false))),
    ])
  }

  #follow(from: number): void {
    const { form, sink } = this.#client
    const watcher = this.#api.cache.hub.watch(this.#plan.table, this.#view(), sink, {
      from,
      onLost: (oldest) => {
        const status = expired(`too old resource version: ${from} (${oldest})`).toStatus()
        sink.write(form.error(status))
      },
      // One that ends before it is known here is looked at below.
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

/** What the client is told of a failure, as the last event; null: nothing. */
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
