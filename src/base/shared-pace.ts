/**
 * The pace of long work that one request waits for, such as a long list in a form that is not kept. Others take several
 * turns of the event loop for a request, so one turn after each part would serve them at the pace of this work:
 *
 *     in the turn after a part       nothing was done        others were served, or were 100 ms ago
 *     then                           it goes on at once      they have the loop as long as the part took, if they need it
 *     the next part                  10 ms                   4 ms
 */
import { leaveTo, thisLoop, type EventLoop } from './loop-share.ts'

/** Milliseconds of a part without other requests, and with them. */
const ALONE_MS = 10
const BESIDE_MS = 4
/** A turn in which nothing was done takes less, milliseconds. */
const QUIET_MS = 0.1
/** After a turn with other requests more are expected for so many milliseconds. */
const BESIDE_FOR_MS = 100

/** The pace of one piece of work: it takes half of the event loop at most while others need it. */
export class SharedPace {
  readonly #loop: EventLoop
  #partMs = ALONE_MS
  #besideUntil = 0
  #since: number

  constructor(loop: EventLoop = thisLoop) {
    this.#loop = loop
    this.#since = loop.now()
  }

  /** Whether this work has taken long since the last pause. */
  get isLong(): boolean {
    return this.#loop.now() - this.#since >= this.#partMs
  }

  /** Gives way when the work has taken long; null when it has not. */
  pause(): Promise<void> | null {
    return this.isLong ? this.giveWay() : null
  }

  /** Gives way: a turn, and longer beside others. */
  async giveWay(): Promise<void> {
    const loop = this.#loop
    const end = loop.now()
    const worked = end - this.#since
    await loop.turn()
    const turn = loop.now() - end
    if (turn >= QUIET_MS) this.#besideUntil = end + BESIDE_FOR_MS
    const isAlone = end >= this.#besideUntil
    if (!isAlone && worked > turn) await leaveTo(loop, worked - turn)
    this.#partMs = isAlone ? ALONE_MS : BESIDE_MS
    this.#since = loop.now()
  }

  /** Waits for something; others have had the loop meanwhile. */
  async wait(event: Promise<void>): Promise<void> {
    const loop = this.#loop
    const begin = loop.now()
    const worked = begin - this.#since
    await event
    const end = loop.now()
    this.#since = end - Math.max(0, worked - (end - begin))
  }
}

/** Does a short work for each of many items. */
export async function eachShared<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  const pace = new SharedPace()
  for (const item of items) {
    work(item)
    const pause = pace.pause()
    if (pause) await pause
  }
}
