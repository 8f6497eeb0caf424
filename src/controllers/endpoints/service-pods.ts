/** Which pods each service selects. */
import { inBackground } from '../../base/background-pace.ts'
import type { Lister } from '../../client/informer.ts'
import { keyOf, placeIn } from '../../client/transport.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import { isExternalName } from '../../kinds/core/service/traits.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { factsOf, type PodFacts } from './pod-facts.ts'

type Labels = Readonly<Record<string, string>>

/** One service with a selector. */
interface Selection {
  readonly selector: readonly (readonly [label: string, value: string])[]
  /** The selected pods by their keys. */
  readonly pods: Map<string, PodFacts>
  /** Their keys in order; null: to be sorted. */
  order: readonly string[] | null
  /** Whether the pods that were there before the service have been looked for. */
  isFilled: boolean
}

/**
 * The pods that services select. Only pods in namespaces with such services are decoded, each once for each change; of
 * others nothing is kept.
 */
export class ServicePods {
  readonly #pods: Lister<Pod>
  readonly #changed: (service: string) => void
  /** By namespace, and by the key of the service. */
  readonly #selections = new Map<string, Map<string, Selection>>()

  /** `changed` is called with the key of each service whose pods have changed. */
  constructor(pods: Lister<Pod>, changed: (service: string) => void) {
    this.#pods = pods
    this.#changed = changed
  }

  /** Takes over the selector of a service. `isFilled`: all pods will be refreshed. */
  select(service: Service, isFilled = false): void {
    const { namespace = '', name = '' } = service.metadata
    const key = keyOf(namespace, name)
    const wanted = Object.entries(selectorOf(service))
    if (wanted.length === 0) return this.drop(namespace, key)
    let selections = this.#selections.get(namespace)
    if (!selections) this.#selections.set(namespace, (selections = new Map()))
    if (sameValue(selections.get(key)?.selector, wanted)) return
    selections.set(key, { selector: wanted, pods: new Map(), order: null, isFilled })
  }

  /** Forgets a service. */
  drop(namespace: string, key: string): void {
    const selections = this.#selections.get(namespace)
    selections?.delete(key)
    if (selections?.size === 0) this.#selections.delete(namespace)
  }

  /** Whether a pod of this namespace can be selected at all. */
  isWatched(namespace: string): boolean {
    return this.#selections.has(namespace)
  }

  /** Looks at a pod that was added, changed or deleted. */
  refresh(key: string): void {
    const { namespace, name } = placeIn(key)
    const selections = this.#selections.get(namespace)
    if (!selections) return
    const pod = this.#pods.get(namespace, name)
    const labels: Labels = pod?.metadata.labels ?? {}
    let facts: PodFacts | null = null
    for (const [service, selection] of selections) {
      const { selector, pods } = selection
      const before = pods.get(key)
      if (pod && matches(selector, labels)) {
        facts ??= factsOf(pod)
        pods.set(key, facts)
        if (!before) selection.order = null
        if (!sameValue(before, facts)) this.#changed(service)
      } else if (before) {
        pods.delete(key)
        selection.order = null
        this.#changed(service)
      }
    }
  }

  /** The pods of a service, in the order of their names. */
  async of(namespace: string, key: string): Promise<readonly PodFacts[]> {
    const selection = this.#selections.get(namespace)?.get(key)
    if (!selection) return []
    if (!selection.isFilled) await this.#fill(namespace, selection)
    selection.order ??= [...selection.pods.keys()].sort()
    return selection.order.flatMap((pod) => selection.pods.get(pod) ?? [])
  }

  async #fill(namespace: string, selection: Selection): Promise<void> {
    const [[label, value] = ['', '']] = selection.selector
    const text = `${JSON.stringify(label)}:${JSON.stringify(value)}`
    await inBackground([...this.#pods.entries(namespace)], (entry) => {
      if (!entry.mayContain(text)) return
      // The newest state: it may have changed during a pause.
      const pod = this.#pods.get(namespace, entry.name)
      if (pod && matches(selection.selector, pod.metadata.labels ?? {}))
        selection.pods.set(entry.key, factsOf(pod))
    })
    selection.order = null
    selection.isFilled = true
  }
}

/** Labels of the pods of a service; none where its endpoints are somebody else's. */
export const selectorOf = ({ spec }: Service): Labels =>
  isExternalName(spec) ? {} : (spec.selector ?? {})

const matches = (
  selector: readonly (readonly [label: string, value: string])[],
  labels: Labels,
): boolean =>
  selector.every(([label, value]) => Object.hasOwn(labels, label) && labels[label] === value)
