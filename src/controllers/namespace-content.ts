import type { Client } from '../client/client.ts'
import { preferred } from '../client/discovery.ts'
import { isNotFound } from '../client/resource-client.ts'
import type { ServedResource, ServedResources } from '../client/transport.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { hasVerbs } from './resources.ts'

// Time given to finalizers before the namespace is examined again.
const FINALIZER_ESTIMATE_SECONDS = 15

/** Result of emptying a namespace. */
export interface Emptied {
  /** Estimated seconds until the remaining objects are deleted. */
  readonly estimateSeconds: number
  /** Objects left, by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>
  /** Objects left, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>
  /** Failures, one per resource. */
  readonly failures: readonly Error[]
  /** Why it is unknown whether everything is empty; null when it is known. */
  readonly undiscovered: string | null
}

/** Dependencies of the deletion. */
export interface NamespaceContentParts {
  readonly client: Client
  /** The resources served now. */
  readonly discover: () => Promise<ServedResources>
  readonly now: () => number
}

/** The objects of namespaces. */
export class NamespaceContent {
  readonly #parts: NamespaceContentParts

  constructor(parts: NamespaceContentParts) {
    this.#parts = parts
  }

  /**
   * Deletes everything in a namespace that has been terminating since `since`, and reports what is left. A failure of
   * one resource does not stop the others.
   */
  async remove(namespace: string, since: number): Promise<Emptied> {
    let estimateSeconds = 0
    const remaining = new Map<string, number>()
    const finalizers = new Map<string, number>()
    const served = await this.#parts.discover()
    const undiscovered = faultOf(served)
    const failures: Error[] = undiscovered === null ? [] : [new Error(undiscovered)]
    for (const one of preferred(served.resources)) {
      if (!one.namespaced || !hasVerbs(one, 'delete', 'list')) continue
      let estimate = 0
      try {
        if ((await this.#objects(one, namespace).list({ limit: 1 })).items.length === 0) continue
        estimate = await this.#gracePeriod(one, namespace, since)
        await this.#delete(one, namespace)
        const left = await this.#left(one, namespace, finalizers)
        if (left.count === 0) continue
        remaining.set(`${one.resource}.${one.group}`, left.count)
        if (estimate === 0 && left.isHeld) estimate = FINALIZER_ESTIMATE_SECONDS
        if (estimate === 0) {
          throw new Error(
            `unexpected items still remain in namespace: ${namespace} for gvr: ${one.group}/${one.version}, Resource=${one.resource}`,
          )
        }
      } catch (error) {
        failures.push(error instanceof Error ? error : new Error(String(error)))
      }
      estimateSeconds = Math.max(estimateSeconds, estimate)
    }
    return { estimateSeconds, remaining, finalizers, failures, undiscovered }
  }

  #objects(of: ServedResource, namespace: string) {
    return this.#parts.client.resource(of).in(namespace).metadata()
  }

  /** Counts the remaining objects and their finalizers. */
  async #left(
    of: ServedResource,
    namespace: string,
    finalizers: Map<string, number>,
  ): Promise<{ readonly count: number; readonly isHeld: boolean }> {
    let count = 0
    let isHeld = false
    for await (const { metadata } of this.#objects(of, namespace).each()) {
      count++
      for (const finalizer of metadata?.finalizers ?? []) {
        isHeld = true
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
      }
    }
    return { count, isHeld }
  }

  /** Seconds that pods may still take for a graceful end. */
  async #gracePeriod(of: ServedResource, namespace: string, since: number): Promise<number> {
    if (of.group !== '' || of.resource !== 'pods') return 0
    let seconds = 0
    for await (const { status, spec } of this.#parts.client
      .resource<Pod>(of)
      .in(namespace)
      .each()) {
      if (status?.phase === 'Succeeded' || status?.phase === 'Failed') continue
      seconds = Math.max(seconds, spec.terminationGracePeriodSeconds ?? 0)
    }
    return (this.#parts.now() - since) / 1000 >= seconds ? 0 : seconds
  }

  async #delete(of: ServedResource, namespace: string): Promise<void> {
    const objects = this.#objects(of, namespace)
    const propagationPolicy = 'Background'
    if (hasVerbs(of, 'deletecollection')) {
      await objects.deleteCollection({ propagationPolicy })
      return
    }
    for await (const { metadata } of objects.each()) {
      try {
        await objects.delete(metadata?.name ?? '', { propagationPolicy })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  }
}

/** The failure of discovery; null when there is none. */
function faultOf({ failures }: ServedResources): string | null {
  if (failures.size === 0) return null
  const each = [...failures].map(([groupVersion, { message }]) => `${groupVersion}: ${message}`)
  return `Discovery failed for some groups, ${failures.size} failing: unable to retrieve the complete list of server APIs: ${each.join(', ')}`
}
