import type { Client } from '../../client/client.ts'
import { pause } from '../../client/retry.ts'
import type { Presence, ResourceAddress } from '../../client/transport.ts'
import type { Running, StartingContext } from '../controller.ts'

/** Delay after which a failed start is retried, milliseconds. */
const AGAIN_MS = 5_000

/** A controller that has nothing to do without objects of some resources. */
export interface FromFirstObject {
  readonly name: string
  readonly client: Client
  /** It starts with the first object of any of them. */
  readonly resources: readonly ResourceAddress[]
  /** Reads the current state, and processes changes from then on. */
  start(): Promise<Running>
}

/**
 * Runs a controller from the first object of its resources on. Before, nothing is read or kept in memory. Where objects
 * are not in this process, it starts at once.
 */
export async function fromFirstObject(
  { clock, log, signal }: Pick<StartingContext, 'clock' | 'log' | 'signal'>,
  controller: FromFirstObject,
): Promise<Running> {
  const late = new LateStart(controller)
  const presences: (Presence | null)[] = controller.resources.map((of) =>
    controller.client.presence(of, () => late.begin()),
  )
  late.ends = () => presences.forEach((presence) => presence?.end())
  late.again = async (error) => {
    log.error('a controller cannot be started', {
      controller: controller.name,
      error: String(error),
    })
    await pause(clock, AGAIN_MS, signal).catch(() => {})
    return !signal.aborted
  }
  const empty = await Promise.all(presences.map(isEmpty))
  if (!empty.every(Boolean)) {
    late.begin()
    await late.started
  }
  return late
}

const isEmpty = async (presence: Presence | null): Promise<boolean> =>
  (await presence?.isEmpty.catch(() => false)) ?? false

/** A controller that is started when there is work for it. */
class LateStart implements Running {
  readonly #controller: FromFirstObject
  #running: Running | null = null
  #isStopped = false
  /** The start, when it has begun. */
  started: Promise<void> | null = null
  ends: () => void = () => {}
  again: (error: unknown) => Promise<boolean> = async () => false

  constructor(controller: FromFirstObject) {
    this.#controller = controller
  }

  begin(): void {
    if (!this.#isStopped) this.started ??= this.#start()
  }

  get isIdle(): boolean {
    return this.#running ? this.#running.isIdle : this.started === null
  }

  async idle(): Promise<void> {
    await this.started
    await this.#running?.idle()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.ends()
    await this.started
    if (this.#running) await this.#running.stop()
    else this.#controller.client.close()
  }

  async #start(): Promise<void> {
    for (;;) {
      try {
        this.#running = await this.#controller.start()
        return this.ends()
      } catch (error) {
        if (this.#isStopped || !(await this.again(error))) return
      }
    }
  }
}
