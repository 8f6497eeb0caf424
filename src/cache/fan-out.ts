/**
 * Writes frames to the watchers of one view. A group numbers its batches (one batch: the frames of one publication), and
 * a receiver knows only how many of them it has. So no receiver has a queue, and a slow round of writes merges what was
 * published meanwhile.
 *
 * Example: A, B and C watch the same view; the bound of writes in one iteration of the event loop is two.
 *
 *     what happens                               batches held   passed   A B C have
 *     revision 7 is published                    7              0        0 0 0
 *     a round begins, it ends at 1: write A, B   7              0        1 1 0
 *     the bound is reached: yield to the event loop
 *     revision 8 is published                    7 8            0        1 1 0
 *     the round goes on: C gets 7+8 in one write 7 8            0        1 1 2
 *     the round is over: batches up to 1 go      8              1        1 1 2
 *     the next round ends at 2: write A, B       8              1        2 2 2
 *     the round is over                          none           2        2 2 2
 *
 * If the write of 8 fills B's socket, B has everything up to revision 8. It leaves the group with that position, and
 * reads the change log from there when the socket drains (`watch-hub.ts`).
 */
import type { Revision } from '../engine/engine.ts'
import type { WatchSink } from './watch-hub.ts'

/** Writes per iteration of the event loop. With TLS they take some three milliseconds. */
export const WRITES_AT_ONCE = 100
/** Maximum bytes of one write: a slow receiver has no more than that in flight. */
export const CHUNK_BYTES = 64 << 10

/** Receives the frames of a group. */
export interface Receiver {
  readonly sink: WatchSink
  /** Number of batches of the group that this receiver has. */
  sent: number
  stop(): void
  fail(error: unknown): void
}

/** Frames of whole revisions. */
interface Batch {
  readonly bytes: Buffer
  /** All frames of the group up to this revision are in this batch or before it. */
  readonly revision: Revision
}

/** Receivers of the same frames, and the frames that some of them do not have yet. */
export class Group<R extends Receiver> {
  readonly receivers = new Set<R>()
  readonly #fellBehind: (receiver: R, revision: Revision) => void
  #batches: Batch[] = []
  /** Number of batches already removed. */
  #passed = 0
  /** The current round of writes; the batches that it started with are removed at its end. */
  #round: { readonly rest: Iterator<R>; readonly end: number } | null = null
  /** Bytes for receivers that have so many batches: built once for all of them. */
  readonly #chunks = new Map<number, { readonly bytes: Buffer; readonly to: number }>()

  /** `fellBehind` is called for a receiver that has everything up to a revision and must drain. */
  constructor(fellBehind: (receiver: R, revision: Revision) => void) {
    this.#fellBehind = fellBehind
  }

  get #end(): number {
    return this.#passed + this.#batches.length
  }

  /** Whether a receiver lacks frames, or may. */
  get owes(): boolean {
    return this.#batches.length > 0
  }

  /** Adds a receiver that has everything so far. */
  join(receiver: R): void {
    receiver.sent = this.#end
    this.receivers.add(receiver)
  }

  /** Adds frames to send, at least one: all frames up to a revision. */
  push(frames: readonly Buffer[], revision: Revision): void {
    const bytes = frames.length === 1 ? frames[0]! : Buffer.concat(frames)
    this.#batches.push({ bytes, revision })
    this.#chunks.clear()
  }

  /** Sends all frames to receivers that lack some, to at most `most` of them now; returns to how many. */
  send(most: number): number {
    let served = 0
    while (served < most) {
      if (this.#round === null) {
        if (!this.owes) break
        this.#round = { rest: this.receivers.values(), end: this.#end }
      }
      const { done, value } = this.#round.rest.next()
      if (done === true) {
        this.#pass(this.#round.end)
        this.#round = null
      } else if (value.sent < this.#end) {
        this.sendTo(value)
        served++
      }
    }
    return served
  }

  /** Sends one receiver everything now, or as much as it accepts. */
  sendTo(receiver: R): void {
    try {
      while (receiver.sent < this.#end) {
        if (receiver.sink.closed) {
          receiver.stop()
          return
        }
        const { bytes, to } = this.#chunkFrom(receiver.sent)
        receiver.sent = to
        if (receiver.sink.write(bytes)) continue
        this.#fellBehind(receiver, this.#batches[to - this.#passed - 1]!.revision)
        return
      }
    } catch (error) {
      receiver.fail(error)
    }
  }

  #pass(end: number): void {
    this.#batches = this.#batches.slice(end - this.#passed)
    this.#passed = end
    this.#chunks.clear()
  }

  #chunkFrom(from: number): { readonly bytes: Buffer; readonly to: number } {
    let chunk = this.#chunks.get(from)
    if (!chunk) this.#chunks.set(from, (chunk = this.#makeChunk(from)))
    return chunk
  }

  #makeChunk(from: number): { readonly bytes: Buffer; readonly to: number } {
    const first = from - this.#passed
    let size = this.#batches[first]!.bytes.length
    let end = first + 1
    for (; end < this.#batches.length; end++) {
      size += this.#batches[end]!.bytes.length
      if (size > CHUNK_BYTES) break
    }
    const parts = this.#batches.slice(first, end)
    const bytes =
      parts.length === 1 ? parts[0]!.bytes : Buffer.concat(parts.map((part) => part.bytes))
    return { bytes, to: this.#passed + end }
  }
}

/**
 * Sends frames and yields to the event loop after every hundred writes: each receiver takes thirty microseconds, and
 * there may be thousands. Frames published meanwhile are merged with those still to send.
 */
export class FanOut<R extends Receiver> {
  readonly #owing = new Set<Group<R>>()
  #isWaiting = false

  /** Sends what groups owe: at once, unless another group is being sent to. */
  take(groups: Iterable<Group<R>>): void {
    for (const group of groups) this.#owing.add(group)
    if (!this.#isWaiting) this.#giveSome()
  }

  #giveSome(): void {
    let left = WRITES_AT_ONCE
    for (const group of this.#owing) {
      left -= group.send(left)
      this.#owing.delete(group)
      // After the other groups, which have waited longer.
      if (group.owes) this.#owing.add(group)
      if (left === 0) break
    }
    if (this.#owing.size === 0) return
    this.#isWaiting = true
    setImmediate(() => {
      this.#isWaiting = false
      this.#giveSome()
    })
  }
}
