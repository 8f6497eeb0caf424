import { keyOf, type Api } from '../api/context.ts'
import { formatTime } from '../base/time.ts'
import type { Served } from '../schema/catalogue.ts'
import type { OwnerReference } from '../schema/object-meta.ts'
import { parseJson } from '../schema/json-text.ts'
import { preferredResources } from './resources.ts'
import type { Target, Writer } from './writer.ts'

/** Tells of objects that name an owner which lives in another namespace, where it counts for nothing. */
export class OwnerEvents {
  readonly #api: Api
  readonly #writer: Writer
  readonly #namespaces: Served | undefined
  readonly #events: Served | undefined

  constructor(api: Api, writer: Writer) {
    this.#api = api
    this.#writer = writer
    for (const served of preferredResources(api)) {
      if (served.group !== '') continue
      if (served.resource === 'namespaces') this.#namespaces = served
      if (served.resource === 'events') this.#events = served
    }
  }

  /** Leaves an event at the dependent if the owner is found in another namespace. */
  async tellIfElsewhere(
    dependent: Target,
    live: { readonly uid: string; readonly resourceVersion: string },
    owner: OwnerReference,
    ownerKind: Served,
  ): Promise<void> {
    if (!this.#events || !(await this.#isElsewhere(owner, ownerKind))) return
    const { served, namespace, name } = dependent
    const { apiVersion, kind, uid } = owner
    const now = formatTime(this.#api.clock.now())
    try {
      await this.#writer.create(
        { served: this.#events, namespace },
        {
          metadata: { generateName: `${name.slice(0, 50)}.` },
          involvedObject: {
            apiVersion: served.groupVersion,
            kind: served.kind,
            namespace,
            name,
            uid: live.uid,
            resourceVersion: live.resourceVersion,
          },
          type: 'Warning',
          reason: 'OwnerRefInvalidNamespace',
          message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
          source: { component: 'garbage-collector-controller' },
          firstTimestamp: now,
          lastTimestamp: now,
          count: 1,
        },
      )
    } catch {
      // An event is told if it can be: the object goes or stays by its owners alone.
    }
  }

  async #isElsewhere({ name, uid }: OwnerReference, kind: Served): Promise<boolean> {
    if (!this.#namespaces || name === '') return false
    const { cache } = this.#api
    const { keyPrefix } = this.#namespaces
    const table = await cache.table(kind.hub)
    // By name in each namespace: far fewer than the objects of a kind.
    for (const { key } of (await cache.table(keyPrefix)).range(keyPrefix)) {
      const found = table.get(keyOf(kind, key.slice(keyPrefix.length), name))
      if (found && (parseJson(found.metadata()) as { uid?: string }).uid === uid) return true
    }
    return false
  }
}
