import { elapsedOf, type Clock } from '../../base/clock.ts'
import { errorText } from '../../base/error-text.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { DanglingConditions } from '../dangling-conditions.ts'
import { FlowConfiguration } from '../flow-configuration.ts'
import type { Settings } from '../settings.ts'
import { component, type ServerParts } from './component.ts'

/** The objects of flow control. */
export interface FlowControlObjects {
  /** Resolves when they are in force and nothing is left to write. */
  idle(): Promise<void>
}

const ROUND_MS = 60_000
const RETRY_MS = 1_000
const PATIENCE_MS = 5 * 60_000

/** Follows and keeps the objects of flow control in the background. */
export const flowControlObjects = (settings: Settings) =>
  component({
    name: 'flowControlObjects',
    needs: ['api', 'objects', 'health', 'flowControl', 'kubeconfig', 'serverService'],
    start(parts) {
      const upkeep = new FlowUpkeep(settings, parts)
      upkeep.start()
      return { part: upkeep, stop: () => upkeep.close() }
    },
  })

type Needs = Pick<ServerParts, 'api' | 'objects' | 'health' | 'flowControl'>

class FlowUpkeep implements FlowControlObjects {
  readonly #settings: Pick<Settings, 'clock' | 'log' | 'v'>
  readonly #parts: Needs
  readonly #configuration = new FlowConfiguration()
  #started: Promise<unknown> = Promise.resolve()
  #conditions: DanglingConditions | null = null
  readonly #cancels: (() => void)[] = []
  #cancelRound: () => void = () => {}
  #isClosed = false

  constructor(settings: Settings, parts: Needs) {
    this.#settings = settings
    this.#parts = parts
  }

  start(): void {
    const { progress } = this.#parts.health
    const followed = this.#follow()
    const kept = followed.then(() => this.#keep())
    void progress.follow('priority-and-fairness-config-consumer', followed)
    void progress.follow('priority-and-fairness-config-producer', kept)
    progress.done('priority-and-fairness-filter', 'max-in-flight-filter')
    this.#started = Promise.allSettled([followed, kept])
  }

  async idle(): Promise<void> {
    await this.#started
    await this.#conditions?.idle()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelRound()
    for (const cancel of this.#cancels) cancel()
    this.#configuration.close()
  }

  /** Puts the stored objects in force, and from then on each change. */
  async #follow(): Promise<void> {
    const {
      api,
      objects,
      flowControl: { control },
    } = this.#parts
    // The caller of the start continues first.
    await yieldToEventLoop()
    if (this.#isClosed) return
    const configuration = this.#configuration
    const { flowschemas, prioritylevelconfigurations: levels } = configuration
    if (!control) return configuration.follow(objects, this.#settings.v, () => {})
    const { DanglingConditions } = await import('../dangling-conditions.ts')
    const conditions = new DanglingConditions(api, configuration, this.#failed)
    this.#conditions = conditions
    this.#cancels.push(() => conditions.close())
    await configuration.follow(objects, this.#settings.v, (isInForce) => {
      if (this.#isClosed) return
      if (isInForce) control.configure(flowschemas.values(), levels.values())
      conditions.update()
    })
  }

  /** Keeps the bootstrap objects: until that succeeds once, and then every minute. Throws when it never does. */
  async #keep(): Promise<void> {
    if (this.#isClosed) return
    const { FlowObjects } = await import('../bootstrap/flow-objects.ts')
    const objects = new FlowObjects(this.#parts.api, this.#configuration)
    const { clock } = this.#settings
    const until = elapsedOf(clock) + PATIENCE_MS
    try {
      while (!this.#isClosed) {
        try {
          return await objects.keep()
        } catch (error) {
          if (elapsedOf(clock) >= until) throw error
        }
        await this.#wait(clock, RETRY_MS)
      }
    } catch (error) {
      this.#failed(error)
      throw error
    } finally {
      this.#everyMinute(() => objects.keep())
    }
  }

  #everyMinute(work: () => Promise<void>): void {
    if (this.#isClosed) return
    const { clock } = this.#settings
    const again = () => {
      this.#conditions?.update()
      void work()
        .catch(this.#failed)
        .finally(() => this.#everyMinute(work))
    }
    this.#cancelRound = clock.after(ROUND_MS, again)
  }

  #wait(clock: Clock, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      this.#cancels.push(cancel, resolve)
    })
  }

  readonly #failed = (error: unknown): void => {
    if (this.#isClosed) return
    this.#settings.log.error('objects of flow control cannot be written', {
      error: errorText(error),
    })
  }
}
