import { hookContext, keyOf, type Api } from '../api/context.ts'
import { decodeStored } from '../api/objects.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import type { Served } from '../schema/catalogue.ts'
import { StatusError } from '../schema/errors.ts'
import { parseJson } from '../schema/json-text.ts'
import type { Version } from '../store/cache/version.ts'
import { hasVerbs, preferredResources } from './resources.ts'
import type { Writer } from './writer.ts'

// What holds objects by finalizers is given this long before somebody looks again.
const FINALIZER_ESTIMATE_SECONDS = 15

/** What emptying a namespace came to. */
export interface Emptied {
  /** Seconds that what is left may take to go. */
  readonly estimateSeconds: number
  /** Objects left, by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>
  /** Objects left, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
  /** What went wrong, a resource each. */
  readonly failures: readonly Error[]
}

/** The objects of namespaces. */
export class NamespaceContent {
  readonly #api: Api
  readonly #writer: Writer

  constructor(api: Api, writer: Writer) {
    this.#api = api
    this.#writer = writer
  }

  /** Deletes everything in a namespace that has been ending since `since`, and tells what is left. One failure does not keep the rest. */
  async remove(namespace: string, since: number): Promise<Emptied> {
    let estimateSeconds = 0
    const remaining = new Map<string, number>()
    const finalizers = new Map<string, number>()
    const failures: Error[] = []
    const done = new Set<string>()
    for (const served of preferredResources(this.#api)) {
      if (!served.namespaced || !hasVerbs(served, 'delete')) continue
      // Some resources are known under two groups.
      if (done.has(served.hub.keyPrefix)) continue
      done.add(served.hub.keyPrefix)
      let estimate = 0
      try {
        if ((await this.#objects(served, namespace)).next().done === true) continue
        estimate = await this.#gracePeriod(served, namespace, since)
        await this.#delete(served, namespace)
        const left = [...(await this.#objects(served, namespace))]
        if (left.length === 0) continue
        remaining.set(`${served.resource}.${served.group}`, left.length)
        let isHeld = false
        for (const version of left) {
          const metadata = parseJson(version.metadata()) as { finalizers?: readonly string[] }
          for (const finalizer of metadata.finalizers ?? []) {
            isHeld = true
            finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
          }
        }
        if (estimate === 0 && isHeld) estimate = FINALIZER_ESTIMATE_SECONDS
        if (estimate === 0) {
          throw new Error(
            `unexpected items still remain in namespace: ${namespace} for gvr: ${served.group}/${served.version}, Resource=${served.resource}`,
          )
        }
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error(String(error)))
      }
      estimateSeconds = Math.max(estimateSeconds, estimate)
    }
    return { estimateSeconds, remaining, finalizers, failures }
  }

  async #objects(served: Served, namespace: string): Promise<Generator<Version>> {
    const table = await this.#api.cache.table(served.hub)
    return table.range(keyOf(served.hub, namespace, ''))
  }

  /** Seconds that objects may still take for a graceful end. */
  async #gracePeriod(served: Served, namespace: string, since: number): Promise<number> {
    if (!served.strategy.grace) return 0
    const c = hookContext(this.#api)
    let seconds = 0
    for (const version of await this.#objects(served, namespace)) {
      const pod = decodeStored<Pod>(served, version, c)
      if (pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed') continue
      seconds = Math.max(seconds, pod.spec.terminationGracePeriodSeconds ?? 0)
    }
    return (this.#api.clock.now() - since) / 1000 >= seconds ? 0 : seconds
  }

  async #delete(served: Served, namespace: string): Promise<void> {
    if (hasVerbs(served, 'deletecollection')) {
      return this.#writer.deleteAll({ served, namespace }, { policy: 'Background' })
    }
    for (const { key } of [...(await this.#objects(served, namespace))]) {
      const name = key.slice(key.lastIndexOf('/') + 1)
      try {
        await this.#writer.delete({ served, namespace, name }, { policy: 'Background' })
      } catch (error) {
        if (!(error instanceof StatusError) || error.code !== 404) throw error
      }
    }
  }
}
