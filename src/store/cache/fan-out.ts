import type { Revision } from '../store.ts'
import type { WatchSink } from './watch-hub.ts'

/** Writes of one turn. With TLS they take some three milliseconds, and then others have theirs. */
export const WRITES_AT_ONCE = 100

/** Who gets the frames of a group. */
export interface Receiver {
  readonly sink: WatchSink
  /** How many frames the group had when this one had all of them. */
  sent: number
  stop(): void
  fail(error: unknown): void
}

/** Receivers of the same frames, and those frames that some of them do not have yet. */
export class Group<R extends Receiver> {
  readonly receivers = new Set<R>()
  readonly #fellBehind: (receiver: R, revision: Revision) => void
  #frames: Buffer[] = []
  /** Frames that were made before those. */
  #passed = 0
  /** Everything up to here that concerns the group is in a frame. */
  #revision: Revision = 0
  /** Where the giving out has come to; frames that it began with are passed when it is through. */
  #round: { readonly rest: Iterator<R>; readonly end: number } | null = null
  #chunk: { readonly from: number; readonly end: number; readonly bytes: Buffer } | null = null

  /** `fellBehind` is told of whoever was given everything up to a revision and should be given time. */
  constructor(fellBehind: (receiver: R, revision: Revision) => void) {
    this.#fellBehind = fellBehind
  }

  get #end(): number {
    return this.#passed + this.#frames.length
  }

  /** Whether somebody lacks a frame, or may. */
  get owes(): boolean {
    return this.#frames.length > 0
  }

  /** Takes in somebody who has everything so far. */
  join(receiver: R): void {
    receiver.sent = this.#end
    this.receivers.add(receiver)
  }

  /** Adds frames to give out: all that there is up to a revision. */
  push(frames: readonly Buffer[], revision: Revision): void {
    for (const frame of frames) this.#frames.push(frame)
    this.#revision = revision
  }

  /** Gives everything to as many as lack something, `most` of them now; returns to how many. */
  give(most: number): number {
    let given = 0
    while (given < most) {
      if (this.#round === null) {
        if (!this.owes) break
        this.#round = { rest: this.receivers.values(), end: this.#end }
      }
      const { done, value } = this.#round.rest.next()
      if (done === true) {
        this.#pass(this.#round.end)
        this.#round = null
      } else if (value.sent < this.#end) {
        this.giveTo(value)
        given++
      }
    }
    return given
  }

  /** Gives one of them everything now. */
  giveTo(receiver: R): void {
    if (receiver.sent === this.#end) return
    const chunk = this.#chunkFrom(receiver.sent)
    receiver.sent = this.#end
    try {
      if (receiver.sink.closed) receiver.stop()
      else if (!receiver.sink.write(chunk)) this.#fellBehind(receiver, this.#revision)
    } catch (error) {
      receiver.fail(error)
    }
  }

  #pass(end: number): void {
    this.#frames = this.#frames.slice(end - this.#passed)
    this.#passed = end
    if (!this.owes) this.#chunk = null
  }

  /** Made once for neighbours, who lack the same. */
  #chunkFrom(from: number): Buffer {
    const end = this.#end
    if (this.#chunk?.from !== from || this.#chunk.end !== end) {
      const frames = this.#frames.slice(from - this.#passed)
      this.#chunk = { from, end, bytes: frames.length === 1 ? frames[0]! : Buffer.concat(frames) }
    }
    return this.#chunk.bytes
  }
}

/**
 * Gives frames out so that others have a turn after every hundred writes: thousands of receivers take as many times
 * thirty microseconds. What comes up meanwhile goes with what is still to be given.
 */
export class FanOut<R extends Receiver> {
  readonly #owing = new Set<Group<R>>()
  #isWaiting = false

  /** Gives out what groups owe: at once, unless others are being given theirs. */
  take(groups: Iterable<Group<R>>): void {
    for (const group of groups) this.#owing.add(group)
    if (!this.#isWaiting) this.#giveSome()
  }

  #giveSome(): void {
    let left = WRITES_AT_ONCE
    for (const group of this.#owing) {
      left -= group.give(left)
      this.#owing.delete(group)
      // Behind the others, who have waited longer.
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
