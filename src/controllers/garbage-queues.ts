/** The queues of the garbage collector. */
import type { WorkQueue } from '../client/work-queue.ts'
import { workQueue, type StartingContext } from './controller.ts'

/**
 * What became of an object. `unsettled`: the state of an owner is unknown as yet. `elsewhere`: other servers have to be
 * asked.
 */
export type Outcome = 'settled' | 'unsettled' | 'elsewhere'

/** Works on one object; asks other servers only if it may. */
type WorkOn = (id: string, asksOthers: boolean) => Promise<Outcome>

/**
 * Work on objects by their ids. Work for which other servers are asked has a queue of its own: one that does not answer
 * holds nothing else.
 */
export class GarbageQueues {
  readonly #context: StartingContext
  readonly #name: string
  readonly #work: WorkOn
  readonly #here: WorkQueue
  /** Made with the first object that needs it. */
  #elsewhere: WorkQueue | null = null
  readonly #unsettled = new Set<string>()
  #isStopped = false

  constructor(context: StartingContext, name: string, work: WorkOn) {
    this.#context = context
    this.#name = name
    this.#work = work
    this.#here = this.#queue(name, false)
  }

  add(id: string): void {
    this.#here.add(id)
  }

  /** Adds the objects whose owners were unknown, or could not be asked for. */
  lookAgain(): void {
    for (const id of this.#unsettled) this.#here.add(id)
  }

  get isIdle(): boolean {
    return this.#here.isIdle && (this.#elsewhere?.isIdle ?? true)
  }

  async idle(): Promise<void> {
    while (!this.isIdle) {
      await this.#here.idle()
      await this.#elsewhere?.idle()
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([this.#here.stop(), this.#elsewhere?.stop()])
  }

  #queue(name: string, asksOthers: boolean): WorkQueue {
    return workQueue(this.#context, name, {
      workers: this.#context.settings.garbageWorkers,
      work: (id) => this.#run(id, asksOthers),
    })
  }

  async #run(id: string, asksOthers: boolean): Promise<void> {
    this.#unsettled.delete(id)
    try {
      const outcome = await this.#work(id, asksOthers)
      if (outcome === 'unsettled') this.#unsettled.add(id)
      else if (outcome === 'elsewhere' && !this.#isStopped)
        (this.#elsewhere ??= this.#queue(`${this.#name}-elsewhere`, true)).add(id)
    } catch (error) {
      // Not only after the wait that grows with each failure: its server may be back before.
      if (asksOthers) this.#unsettled.add(id)
      throw error
    }
  }
}
