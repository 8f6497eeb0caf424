/**
 * The pace of work that no request waits for. With 16 clients that create objects a request takes some turns of the event
 * loop. If work in the background took 20 ms of each of them, they would wait for it most of the time:
 *
 *     work        first 20 ms   then parts of 4 ms, and after each
 *     loop idle   at once       1 ms
 *     loop busy   at once       up to three times as long as the part
 */
import { leaveTo, thisLoop, type EventLoop } from './loop-share.ts'

/** Milliseconds of work that is done at once. */
const SHORT_MS = 20
/** Milliseconds of each part of longer work. */
const PART_MS = 4
/** How many times as long as a part others have the loop while they need it, and milliseconds at most. */
const OTHERS = 3
const MOST_MS = 100
/** The pace of one piece of work in the background: it gives way to others where it took long. */
export class BackgroundPace {
  readonly #loop: EventLoop
  #since: number
  #longMs = SHORT_MS

  constructor(loop: EventLoop = thisLoop) {
    this.#loop = loop
    this.#since = loop.now()
  }

  /** Gives way when this work has taken long since the last time; null when it has not. */
  pause(): Promise<void> | null {
    const worked = this.#loop.now() - this.#since
    return worked < this.#longMs ? null : this.#giveWay(worked)
  }

  async #giveWay(worked: number): Promise<void> {
    await leaveTo(this.#loop, Math.min(worked * OTHERS, MOST_MS))
    this.#longMs = PART_MS
    this.#since = this.#loop.now()
  }
}

/** Does a short work for each of many items, and gives way to others in between. */
export async function inBackground<T>(
  items: Iterable<T>,
  work: (item: T) => void,
  pace = new BackgroundPace(),
): Promise<void> {
  for (const item of items) {
    work(item)
    const pause = pace.pause()
    if (pause) await pause
  }
}
