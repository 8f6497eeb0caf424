import { TransformError } from '../engine/encryption/unreadable.ts'
import type { Revision } from '../engine/engine.ts'
import type { WatchCache } from './watch-cache.ts'
import { FanOut, Group, type Receiver } from './fan-out.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { Selectable, StoredObject } from './stored-object.ts'

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/**
 * Selection and encoding of a watch. Watchers with the same `id` share the work: each frame is made once for all of
 * them.
 */
export interface WatchView {
  readonly id: string
  /** Prefix of the watched keys. */
  readonly prefix: string
  /** null: everything under the prefix. */
  readonly matches: ((object: Selectable) => boolean) | null
  /** The bytes of one event, none if it needs none. For DELETED, `revision` is that of the deletion. */
  frame(type: ChangeType, version: StoredObject, revision: Revision): Buffer
  /**
   * Set when events need asynchronous preparation: prepares the events of the given versions, until the next call. Such
   * a watcher never gets frames as they are published, but reads the change log at its own pace.
   */
  readonly prepare?: (versions: readonly StoredObject[]) => Promise<void>
  /** Counts a frame and its receivers; absent: not counted. */
  readonly sent?: (bytes: number, receivers: number) => void
}

/** Destination of frames. */
export interface WatchSink {
  /** False when the receiver is full and must drain. */
  write(chunk: Buffer): boolean
  /** Resolves when it can accept more, or has closed. */
  drained(): Promise<void>
  readonly closed: boolean
}

const CATCH_UP_EVENTS = 256
const CATCH_UP_BYTES = 256 << 10

/** Where a watcher starts, and what it reports. */
interface WatcherOptions {
  readonly from: Revision
  /** Whether `expire` ends it; followers inside the server go on. */
  readonly expires?: boolean
  readonly onLost: (oldest: Revision) => void
  /** Called each time it has sent everything that there is. */
  readonly onLive?: (() => void) | undefined
}

/** Live watchers of one view. */
interface Shared {
  readonly view: WatchView
  readonly group: Group<Watcher>
}

/**
 * Fan-out of changes. A watcher is live (it gets frames as they are published) or catching up (it
 * reads the change log at the pace of its receiver). One that cannot keep up goes back to the log; nothing is buffered
 * for it beyond the buffer of its socket.
 */
export class WatchHub {
  readonly #cache: WatchCache
  /** Live watchers by key prefix, then by view. */
  readonly #live = new Map<string, Map<string, Shared>>()
  readonly #fanOut = new FanOut<Watcher>()
  readonly #all = new Set<Watcher>()
  /** Watchers that have reached the end of the change log, by resource cache. */
  readonly #asleep = new Map<ResourceCache, Set<Watcher>>()
  #closed = false
  /** No client may watch any more. */
  #isForFollowers = false
  #ownViews = 0

  constructor(cache: WatchCache) {
    this.#cache = cache
  }

  /** An id for a view that is not shared. */
  ownView(): string {
    return `own ${++this.#ownViews}`
  }

  /** Number of watchers. */
  get size(): number {
    return this.#all.size
  }

  /**
   * Sends changes after `from` until stopped. `from` may precede the history of the resource cache; the engine's
   * history fills the gap. `onLost` is called, and the watcher ended, when that history does not reach back far enough.
   */
  watch(
    resourceCache: ResourceCache,
    view: WatchView,
    sink: WatchSink,
    options: WatcherOptions & { onEnd: () => void },
  ): Watcher {
    const watcher = new Watcher(resourceCache, view, sink, options)
    this.#all.add(watcher)
    watcher.onStop = () => {
      this.#leave(watcher)
      this.#all.delete(watcher)
      if (watcher.asleep) this.#rouse(watcher)
      options.onEnd()
    }
    const isRefused = this.#closed || (this.#isForFollowers && watcher.expires)
    if (isRefused || resourceCache.retired) watcher.stop()
    else void this.#catchUp(watcher)
    return watcher
  }

  /** Passes new versions of one resource cache to its live watchers. */
  publish(resourceCache: ResourceCache, versions: readonly StoredObject[]): void {
    const publication = new Publication()
    const tablePrefix = resourceCache.prefix
    // Most batches touch one prefix of each depth.
    let prefix = ''
    for (const version of versions) {
      const { key } = version
      publication.add(this.#live.get(tablePrefix), version)
      const slash = key.indexOf('/', tablePrefix.length)
      if (slash !== -1) {
        if (prefix.length !== slash + 1 || !key.startsWith(prefix)) prefix = key.slice(0, slash + 1)
        publication.add(this.#live.get(prefix), version)
      }
      publication.add(this.#live.get(key), version)
    }
    const { batches, failed } = publication
    if (batches !== null) this.#send(batches, versions.at(-1)!.revision)
    if (failed !== null) giveUp(failed)
    if (this.#asleep.size > 0) this.#wake(resourceCache)
  }

  #send(batches: ReadonlyMap<Shared, readonly Buffer[]>, position: Revision): void {
    const groups: Group<Watcher>[] = []
    for (const [{ group }, frames] of batches) {
      group.push(frames, position)
      groups.push(group)
    }
    this.#fanOut.take(groups)
  }

  /** Wakes watchers that prepare their events. */
  #wake(resourceCache: ResourceCache): void {
    const watchers = this.#asleep.get(resourceCache) ?? []
    this.#asleep.delete(resourceCache)
    for (const watcher of watchers) {
      watcher.asleep = false
      void this.#catchUp(watcher)
    }
  }

  #rouse(watcher: Watcher): void {
    watcher.asleep = false
    const watchers = this.#asleep.get(watcher.resourceCache)
    watchers?.delete(watcher)
    if (watchers?.size === 0) this.#asleep.delete(watcher.resourceCache)
  }

  #sleep(watcher: Watcher): void {
    const watchers = this.#asleep.get(watcher.resourceCache) ?? new Set()
    this.#asleep.set(watcher.resourceCache, watchers.add(watcher))
    watcher.asleep = true
  }

  /** Ends the watches of a retired resource cache, after the events that they still lack. */
  end(resourceCache: ResourceCache): void {
    this.#asleep.delete(resourceCache)
    for (const watcher of [...this.#all]) {
      if (watcher.resourceCache !== resourceCache) continue
      watcher.bringUpToDate()
      watcher.stop()
    }
  }

  /** Ends watches of clients as if history did not reach back far enough: all, or those of the given key prefixes. */
  expire(isChosen: (resourcePrefix: string) => boolean = () => true): void {
    for (const watcher of [...this.#all])
      if (watcher.expires && isChosen(watcher.resourceCache.prefix)) {
        watcher.bringUpToDate()
        watcher.lost(this.#cache.revision)
      }
  }

  /** Ends the watches of clients and takes no new ones; what follows the cache in this process goes on. */
  endClients(): void {
    this.#isForFollowers = true
    for (const watcher of [...this.#all]) if (watcher.expires) watcher.stop()
  }

  close(): void {
    this.#closed = true
    for (const watcher of [...this.#all]) watcher.stop()
  }

  #fallBehind(watcher: Watcher, position: Revision): void {
    this.#leave(watcher)
    watcher.position = position
    void watcher.sink.drained().then(() => this.#catchUp(watcher))
  }

  async #catchUp(watcher: Watcher): Promise<void> {
    const { resourceCache, view, sink } = watcher
    try {
      for (;;) {
        if (watcher.stopped) return
        if (sink.closed) return watcher.stop()
        const versions = resourceCache.changesAfter(watcher.position, CATCH_UP_EVENTS)
        if (versions === null) {
          // Older than the memory window, but perhaps within the engine's history.
          const to = resourceCache.floor
          for await (const older of this.#cache.history(resourceCache, view.prefix, {
            from: watcher.position,
            to,
          })) {
            if (watcher.stopped) return
            if (view.prepare) await view.prepare(shownIn(view, older))
            if (watcher.stopped) return
            await send(sink, framesOf(view, older))
          }
          watcher.position = to
          continue
        }
        const last = versions.at(-1)
        if (!last) {
          if (view.prepare) this.#sleep(watcher)
          else this.#join(watcher)
          watcher.onLive?.()
          return
        }
        if (view.prepare) {
          await view.prepare(shownIn(view, versions))
          if (watcher.stopped) return
        }
        const frames = framesOf(view, versions)
        watcher.position = last.revision
        await send(sink, frames)
      }
    } catch (error) {
      if (error instanceof Error && error.name === 'Compacted') watcher.lost(this.#cache.oldest)
      else watcher.fail(error)
    }
  }

  #join(watcher: Watcher): void {
    const { view } = watcher
    let views = this.#live.get(view.prefix)
    if (!views) this.#live.set(view.prefix, (views = new Map()))
    let shared = views.get(view.id)
    if (!shared) {
      const group = new Group<Watcher>((behind, position) => this.#fallBehind(behind, position))
      views.set(view.id, (shared = { view, group }))
    }
    shared.group.join(watcher)
    watcher.group = shared.group
  }

  #leave(watcher: Watcher): void {
    const { group } = watcher
    if (!group) return
    watcher.group = null
    group.receivers.delete(watcher)
    if (group.receivers.size > 0) return
    const views = this.#live.get(watcher.view.prefix)
    views?.delete(watcher.view.id)
    if (views?.size === 0) this.#live.delete(watcher.view.prefix)
  }
}

/** What live watchers of one resource cache get of some changes, by view. */
class Publication {
  /** Null: nothing. */
  batches: Map<Shared, Buffer[]> | null = null
  /** Views that cannot show all changes; null: there is none. */
  failed: Map<Shared, TransformError> | null = null

  /** Adds a change for the views of one prefix. */
  add(views: ReadonlyMap<string, Shared> | undefined, version: StoredObject): void {
    if (views === undefined) return
    for (const shared of views.values()) {
      if (this.failed?.has(shared) === true) continue
      const frame = frameOrError(shared.view, version)
      if (frame instanceof TransformError) (this.failed ??= new Map()).set(shared, frame)
      else if (frame !== null && frame.length > 0) this.#addFrame(shared, frame)
    }
  }

  #addFrame(shared: Shared, frame: Buffer): void {
    shared.view.sent?.(frame.length, shared.group.receivers.size)
    const batches = (this.batches ??= new Map())
    const frames = batches.get(shared)
    if (frames) frames.push(frame)
    else batches.set(shared, [frame])
  }
}

/** Ends the watchers of views that cannot show a change, after the frames before it. */
function giveUp(failed: ReadonlyMap<Shared, TransformError>): void {
  for (const [{ group }, error] of failed) {
    for (const watcher of [...group.receivers]) {
      group.sendTo(watcher)
      watcher.fail(error)
    }
  }
}

/** One client's stream of changes. */
export class Watcher implements Receiver {
  readonly resourceCache: ResourceCache
  readonly view: WatchView
  readonly sink: WatchSink
  /** Revision up to which everything was sent, while catching up. */
  position: Revision
  /** Group that gets frames as they are published; null while catching up. */
  group: Group<Watcher> | null = null
  /** Whether it has sent everything, and waits for changes. */
  asleep = false
  sent = 0
  stopped = false
  readonly expires: boolean
  onStop: () => void = () => {}
  readonly onLive: (() => void) | undefined
  readonly #onLost: (oldest: Revision) => void
  error: unknown

  constructor(
    resourceCache: ResourceCache,
    view: WatchView,
    sink: WatchSink,
    options: WatcherOptions,
  ) {
    this.expires = options.expires ?? false
    this.resourceCache = resourceCache
    this.view = view
    this.sink = sink
    this.position = options.from
    this.#onLost = options.onLost
    this.onLive = options.onLive
  }

  /** Sends the missing events. False while it is catching up: then more are missing. */
  bringUpToDate(): boolean {
    this.group?.sendTo(this)
    return this.group !== null || this.asleep
  }

  /** Ends the watch; may be called twice. */
  stop(): void {
    if (this.stopped) return
    this.stopped = true
    this.onStop()
  }

  lost(oldest: Revision): void {
    if (this.stopped) return
    this.#onLost(oldest)
    this.stop()
  }

  fail(error: unknown): void {
    this.error = error
    this.stop()
  }
}

async function send(sink: WatchSink, frames: readonly Buffer[]): Promise<void> {
  let batch: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    if (batch.length === 0 || sink.closed) return
    const ok = sink.write(batch.length === 1 ? batch[0]! : Buffer.concat(batch))
    batch = []
    bytes = 0
    if (!ok) await sink.drained()
  }
  for (const frame of frames) {
    batch.push(frame)
    bytes += frame.length
    if (bytes >= CATCH_UP_BYTES) await flush()
  }
  await flush()
}

function framesOf(view: WatchView, versions: readonly StoredObject[]): Buffer[] {
  const frames: Buffer[] = []
  for (const version of versions) {
    if (!version.key.startsWith(view.prefix)) continue
    const frame = frameOf(view, version)
    if (!frame) continue
    view.sent?.(frame.length, 1)
    frames.push(frame)
  }
  return frames
}

/** The objects in the events of changes. */
function shownIn(view: WatchView, versions: readonly StoredObject[]): StoredObject[] {
  return versions.flatMap((version) => {
    if (!version.key.startsWith(view.prefix)) return []
    if (!version.deleted && accepts(view, version)) return version
    const { prev } = version
    return prev !== null && !prev.deleted && accepts(view, prev) ? prev : []
  })
}

/** The event of a change in a view: objects that enter or leave a selection are added or deleted. */
function frameOf(view: WatchView, version: StoredObject): Buffer | null {
  const { prev } = version
  const was = prev !== null && !prev.deleted && accepts(view, prev)
  const is = !version.deleted && accepts(view, version)
  if (is) return view.frame(was ? 'MODIFIED' : 'ADDED', version, version.revision)
  return was ? view.frame('DELETED', prev, version.revision) : null
}

function frameOrError(view: WatchView, version: StoredObject): Buffer | TransformError | null {
  try {
    return frameOf(view, version)
  } catch (error) {
    if (error instanceof TransformError) return error
    throw error
  }
}

const accepts = (view: WatchView, version: StoredObject) =>
  view.matches === null || view.matches(version)
