import { systemClock } from '../../base/clock.ts'
import { Compacted, type Revision } from '../engine.ts'
import type { Connection } from './connection.ts'
import { EtcdUnavailable } from './errors.ts'
import { encodeWatch, type WatchedChange, type WatchRequest } from './messages.ts'

/** Past changes, each request with a watch of its own. */
export class History {
  readonly #connection: Connection
  readonly #timeoutMs: number

  constructor(connection: Connection, timeoutMs: number) {
    this.#connection = connection
    this.#timeoutMs = timeoutMs
  }

  /**
   * Changes from a revision on up to `to`, which must be the revision of a change in the range or
   * have one after it. Throws Compacted.
   */
  async *read(
    request: Omit<WatchRequest, 'before'>,
    to: Revision,
  ): AsyncGenerator<readonly WatchedChange[]> {
    const { server, stream } = this.#connection.watch()
    let late = false
    const limit = (): (() => void) =>
      systemClock.after(this.#timeoutMs, () => {
        late = true
        stream.cancel()
      })
    let unlimit = limit()
    let incomplete: WatchedChange[] = []
    try {
      stream.send(encodeWatch({ ...request, before: true }))
      for await (const frame of stream) {
        unlimit()
        if (frame.canceled) {
          if (frame.compacted > 0) throw new Compacted(frame.compacted)
          throw new EtcdUnavailable(`etcd at ${server} ended a watch: ${frame.reason}`)
        }
        for (const change of frame.changes) incomplete.push(change)
        if (!frame.fragment && incomplete.length > 0) {
          const complete = incomplete
          incomplete = []
          const last = complete.at(-1)!.item.changed
          const wanted = last > to ? complete.filter(({ item }) => item.changed <= to) : complete
          if (wanted.length > 0) yield wanted
          if (last >= to) return
        }
        unlimit = limit()
      }
      throw new EtcdUnavailable(`etcd at ${server} ended a watch`)
    } catch (error) {
      if (error instanceof Compacted || error instanceof EtcdUnavailable) throw error
      throw new EtcdUnavailable(
        late
          ? `etcd at ${server} did not answer within ${this.#timeoutMs} ms`
          : `etcd at ${server} ended a watch: ${error instanceof Error ? error.message : ''}`,
        'none',
        { cause: error },
      )
    } finally {
      unlimit()
      // A cancelled stream ends with an error, which is expected here.
      stream.on('error', () => {})
      stream.cancel()
    }
  }

  /** First revision of the history of a store that was compacted. */
  async floor(key: string): Promise<Revision> {
    try {
      // No revision is that high: only the refusal ends this watch before it runs out of time.
      for await (const _changes of this.read({ key, from: 1 }, Number.MAX_SAFE_INTEGER));
    } catch (error) {
      if (error instanceof Compacted) return error.oldest
      throw error
    }
    return 0
  }
}
