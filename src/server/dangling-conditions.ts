/** Writes the condition of each FlowSchema that says whether its priority level exists. Imported on demand. */
import { formatTime } from '../base/time.ts'
import { danglingCondition, needsCondition, WritePace } from '../flowcontrol/dangling.ts'
import type { FlowSchema } from '../kinds/flowcontrol/flow-schema.ts'
import type { Api } from '../registry/context.ts'
import { InternalWriter } from '../registry/internal-writer.ts'
import { FLOW_GROUP, type FlowConfiguration } from './flow-configuration.ts'

const MANAGER = 'api-priority-and-fairness-config-consumer-v1'

export class DanglingConditions {
  readonly #api: Api
  readonly #present: FlowConfiguration
  readonly #writer: InternalWriter
  readonly #onError: (error: unknown) => void
  readonly #pace = new WritePace()
  /** Writes in progress, by schema. */
  readonly #writes = new Map<string, Promise<void>>()
  /** Functions that cancel delayed writes, by schema. */
  readonly #delayed = new Map<string, () => void>()

  constructor(api: Api, present: FlowConfiguration, onError: (error: unknown) => void) {
    this.#api = api
    this.#present = present
    this.#writer = new InternalWriter(api, { manager: MANAGER })
    this.#onError = onError
  }

  /** Starts the writes that are needed now. */
  update(): void {
    for (const [name, schema] of this.#present.flowschemas)
      if (!this.#writes.has(name) && !this.#delayed.has(name) && this.#lacks(schema))
        this.#begin(name)
  }

  /** Resolves when no write is in progress. */
  async idle(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes.values())
  }

  close(): void {
    for (const cancel of this.#delayed.values()) cancel()
  }

  #conditionOf({ spec }: FlowSchema) {
    const level = spec.priorityLevelConfiguration.name
    return danglingCondition(level, this.#present.prioritylevelconfigurations.has(level))
  }

  #lacks(schema: FlowSchema): boolean {
    return needsCondition(schema.status.conditions ?? [], this.#conditionOf(schema))
  }

  #begin(name: string): void {
    const { clock, ids } = this.#api
    const delay = this.#pace.delay(name, clock.now(), ids.fraction())
    if (delay > 0) {
      const cancel = clock.after(delay, () => {
        this.#delayed.delete(name)
        this.update()
      })
      this.#delayed.set(name, cancel)
      return
    }
    const write = this.#write(name)
      .catch(this.#onError)
      .then(() => void this.#writes.delete(name))
    this.#writes.set(name, write)
  }

  async #write(name: string): Promise<void> {
    const { catalogue, v, clock } = this.#api
    const served = catalogue.entry(v.resolve(FLOW_GROUP), 'flowschemas')?.versions[0]
    if (!served) return
    await this.#writer.change<FlowSchema>(
      { served, namespace: '', name, subresource: 'status' },
      (present) => {
        if (!this.#lacks(present)) return
        const wanted = {
          ...this.#conditionOf(present),
          lastTransitionTime: formatTime(clock.now()),
        }
        const others = (present.status.conditions ?? []).filter(({ type }) => type !== wanted.type)
        present.status = { ...present.status, conditions: [...others, wanted] }
      },
    )
  }
}
