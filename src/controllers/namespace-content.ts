import type { Client } from '../client/client.ts'
import { preferred } from '../client/discovery.ts'
import { isNotFound } from '../client/resource-client.ts'
import type { ServedResource, ServedResources } from '../client/transport.ts'
import type { Pod } from '../kinds/core/pod/pod.ts'
import { StatusError } from '../meta/errors.ts'
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
  /** Failures of deletions, one per resource. */
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
   * one resource does not stop the others, and a server that is silent delays only what it has.
   */
  async remove(namespace: string, since: number): Promise<Emptied> {
    const { discover, client } = this.#parts
    const one = (resource: ServedResource) => this.#removeOne(resource, namespace, since)
    const discovery = discover()
    // Awaited below.
    discovery.catch(() => {})
    const here = await client.discoverHere()
    const found = new Map<string, Found | null>()
    for (const resource of here ? deletable(here) : [])
      found.set(nameOf(resource), await one(resource))
    const served = await discovery
    const rest = deletable(served).filter((resource) => !found.has(nameOf(resource)))
    await Promise.all(
      lanesOf(rest).map(async (lane) => {
        for (const resource of lane) found.set(nameOf(resource), await one(resource))
      }),
    )
    return summary(served, found)
  }

  /** Deletes the objects of one resource; null where there are none. */
  async #removeOne(of: ServedResource, namespace: string, since: number): Promise<Found | null> {
    const finalizers = new Map<string, number>()
    let [estimate, count] = [0, 0]
    try {
      if (await this.#parts.client.isUnused(of)) return null
      if ((await this.#objects(of, namespace).list({ limit: 1 })).items.length === 0) return null
      estimate = await this.#gracePeriod(of, namespace, since)
      await this.#delete(of, namespace)
      const left = await this.#left(of, namespace, finalizers)
      count = left.count
      if (count === 0) return null
      if (estimate === 0 && left.isHeld) estimate = FINALIZER_ESTIMATE_SECONDS
      if (estimate === 0) {
        throw new Error(
          `unexpected items still remain in namespace: ${namespace} for gvr: ${of.group}/${of.version}, Resource=${of.resource}`,
        )
      }
      return { estimate, count, finalizers, failure: null }
    } catch (error) {
      // It is not served any more, or has nothing that could be deleted.
      if (isNotFound(error) || isNotSupported(error)) return null
      const failure = error instanceof Error ? error : new Error(String(error))
      return { estimate, count, finalizers, failure }
    }
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

const isNotSupported = (error: unknown): boolean =>
  error instanceof StatusError && error.code === 405

/** What is left of a resource. */
interface Found {
  readonly estimate: number
  readonly count: number
  readonly finalizers: ReadonlyMap<string, number>
  readonly failure: Error | null
}

const nameOf = ({ resource, group }: ServedResource): string => `${resource}.${group}`

const deletable = ({ resources }: ServedResources): readonly ServedResource[] =>
  preferred(resources).filter((one) => one.namespaced && hasVerbs(one, 'delete', 'list'))

/** Resources that are emptied one after the other: other servers have theirs at the same time, by group. */
function lanesOf(resources: readonly ServedResource[]): readonly (readonly ServedResource[])[] {
  const lanes = new Map<string, ServedResource[]>()
  for (const one of resources) {
    const name = one.isElsewhere ? one.group : ''
    const lane = lanes.get(name)
    if (lane) lane.push(one)
    else lanes.set(name, [one])
  }
  return [...lanes.values()]
}

function summary(served: ServedResources, found: ReadonlyMap<string, Found | null>): Emptied {
  const failures: Error[] = []
  const remaining = new Map<string, number>()
  const finalizers = new Map<string, number>()
  let estimateSeconds = 0
  for (const [name, one] of found) {
    if (!one) continue
    estimateSeconds = Math.max(estimateSeconds, one.estimate)
    if (one.count > 0) remaining.set(name, one.count)
    for (const [finalizer, count] of one.finalizers)
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count)
    if (one.failure) failures.push(one.failure)
  }
  return { estimateSeconds, remaining, finalizers, failures, undiscovered: faultOf(served) }
}

/** The failure of discovery; null when there is none. */
function faultOf({ failures }: ServedResources): string | null {
  if (failures.size === 0) return null
  const each = [...failures].map(([groupVersion, { message }]) => `${groupVersion}: ${message}`)
  // In the same order each time: the message of a condition must not change without a reason.
  return `Discovery failed for some groups, ${failures.size} failing: unable to retrieve the complete list of server APIs: ${each.sort().join(', ')}`
}
