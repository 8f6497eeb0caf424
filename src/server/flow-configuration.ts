import type { ObjectSource } from '../catalogue/object-source.ts'
import type { FlowSchema } from '../kinds/flowcontrol/flow-schema.ts'
import type { PriorityLevelConfiguration } from '../kinds/flowcontrol/priority-level-configuration.ts'
import { sameValue } from '../meta/field-errors.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** API group of the configuration, a template. */
export const FLOW_GROUP = 'flowcontrol.apiserver{api}'

/** The stored configuration of flow control, kept current. */
export class FlowConfiguration {
  readonly flowschemas = new Map<string, FlowSchema>()
  readonly prioritylevelconfigurations = new Map<string, PriorityLevelConfiguration>()
  readonly #ends: (() => void)[] = []
  #onChange: (isInForce: boolean) => void = () => {}
  #isReported = false
  #changesForce = false

  /**
   * Reads all objects and follows them. `onChange` is called after each commit with changes; `isInForce`: of more than
   * conditions and annotations.
   */
  async follow(
    objects: ObjectSource,
    v: Vocabulary,
    onChange: (isInForce: boolean) => void,
  ): Promise<void> {
    this.#onChange = onChange
    const group = v.resolve(FLOW_GROUP)
    await Promise.all([
      this.#follow<FlowSchema>(objects, { group, resource: 'flowschemas' }, this.flowschemas),
      this.#follow<PriorityLevelConfiguration>(
        objects,
        { group, resource: 'prioritylevelconfigurations' },
        this.prioritylevelconfigurations,
      ),
    ])
  }

  close(): void {
    for (const end of this.#ends) end()
  }

  async #follow<T extends Typed & { readonly spec: object }>(
    objects: ObjectSource,
    resource: { readonly group: string; readonly resource: string },
    present: Map<string, T>,
  ): Promise<void> {
    const end = await objects.follow<T>(resource, {
      set: (object) => {
        const name = object.metadata.name ?? ''
        const old = present.get(name)
        present.set(name, object)
        const isSame =
          old?.metadata.uid === object.metadata.uid && sameValue(old?.spec, object.spec)
        this.#changed(!isSame)
      },
      removed: (object) => {
        present.delete(object.metadata.name ?? '')
        this.#changed(true)
      },
    })
    this.#ends.push(end)
  }

  /** Reports all changes of one commit together. */
  #changed(isInForce: boolean): void {
    this.#changesForce ||= isInForce
    if (this.#isReported) return
    this.#isReported = true
    queueMicrotask(() => {
      const changesForce = this.#changesForce
      this.#isReported = this.#changesForce = false
      this.#onChange(changesForce)
    })
  }
}
