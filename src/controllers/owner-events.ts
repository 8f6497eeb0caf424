import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'
import { formatTime } from '../base/time.ts'
import type { Client } from '../client/client.ts'
import type { ApiObject, OwnerReference, ServedResource } from '../client/transport.ts'
import { EVENTS, NAMESPACES } from './addresses.ts'
import { groupVersionOf } from './resources.ts'

/** An object that names an owner. */
export interface Dependent {
  readonly resource: ServedResource
  readonly namespace: string
  readonly name: string
}

/** Pairs of a dependent and its owner that are remembered: each is reported once. */
const MAX_TOLD = 500

/**
 * Emits events for objects that name an owner in a namespace that is not theirs, where it has no effect. Objects of cluster
 * scope have no namespace, so that no owner in one counts.
 */
export class OwnerEvents {
  readonly #client: Client
  readonly #clock: Clock
  readonly #told = new LRUCache<string, true>({ max: MAX_TOLD })

  constructor(client: Client, clock: Clock) {
    this.#client = client
    this.#clock = clock
  }

  /** Creates an event about the dependent if the owner is found in another namespace, once. */
  async tellIfElsewhere(
    { resource, namespace, name }: Dependent,
    { metadata: live = {} }: ApiObject,
    owner: OwnerReference,
    ownerKind: ServedResource,
  ): Promise<void> {
    const pair = `${live.uid} ${owner.uid}`
    if (this.#told.has(pair)) return
    try {
      if (!(await this.#isElsewhere(owner, ownerKind))) return
      this.#told.set(pair, true)
      const { apiVersion, kind, uid } = owner
      const now = formatTime(this.#clock.now())
      await this.#client
        .resource<object>(EVENTS)
        .in(namespace === '' ? 'default' : namespace)
        .create({
          metadata: { generateName: `${name.slice(0, 50)}.` },
          involvedObject: {
            apiVersion: groupVersionOf(resource),
            kind: resource.kind,
            namespace,
            name,
            uid: live.uid,
          },
          type: 'Warning',
          reason: 'OwnerRefInvalidNamespace',
          message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
          source: { component: 'garbage-collector-controller' },
          firstTimestamp: now,
          lastTimestamp: now,
          count: 1,
        })
    } catch {
      // Events are best effort: deletion depends on the owners alone.
    }
  }

  async #isElsewhere({ name, uid }: OwnerReference, kind: ServedResource): Promise<boolean> {
    if (name === '') return false
    const owners = this.#client.resource(kind).metadata()
    if (this.#client.generation() === null) {
      // One request, regardless of the number of namespaces.
      const { items } = await owners.list({ fieldSelector: `metadata.name=${name}` })
      return items.some(({ metadata }) => metadata?.uid === uid)
    }
    // In this process by name in each namespace: far fewer than the objects of a kind.
    for await (const { metadata } of this.#client.resource(NAMESPACES).metadata().each()) {
      const found = await owners.in(metadata?.name ?? '').find(name)
      if (found?.metadata?.uid === uid) return true
    }
    return false
  }
}
