import type { ObjectPlace } from '../../base/store-keys.ts'
import type { ObjectSource, UnreadObject } from '../../catalogue/object-source.ts'
import type { ResourceQuota } from '../../kinds/core/resource-quota.ts'
import type { ResourceName } from '../../meta/resource-name.ts'
import { amountsOf, type Amounts } from '../../quota/amounts.ts'
import { conditionsOf, type ScopeCondition } from '../../quota/scopes.ts'

export const QUOTAS: ResourceName = { group: '', resource: 'resourcequotas' }

/** A quota as it is in force. */
export interface Quota {
  readonly name: string
  readonly uid: string
  readonly revision: number
  /** The limits in force, which are those of the status. */
  readonly hard: Amounts
  readonly used: Amounts
  readonly conditions: readonly ScopeCondition[]
}

/** What is in force of a stored quota. */
export const quotaOf = ({ metadata, spec, status }: ResourceQuota): Quota => ({
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
  revision: Number(metadata.resourceVersion ?? 0),
  hard: amountsOf(status.hard),
  used: amountsOf(status.used),
  conditions: conditionsOf(spec),
})

/** A quota of the index, decoded when it is first needed. */
interface Known {
  readonly revision: number
  /** Null when it is unreadable. */
  quota(): Quota | null
}

/** The quotas of all namespaces, in memory: a namespace without one costs a look-up. */
export class QuotaIndex {
  readonly #objects: ObjectSource
  readonly #namespaces = new Map<string, Map<string, Known>>()
  #loading: Promise<void> | null = null
  #isLoaded = false
  #end = () => {}

  constructor(objects: ObjectSource) {
    this.#objects = objects
  }

  /** Reads the quotas when it is called first; null when they are read. */
  ready(): Promise<void> | null {
    if (this.#isLoaded) return null
    return (this.#loading ??= this.#load())
  }

  has(namespace: string): boolean {
    return this.#namespaces.has(namespace)
  }

  /** Those of a namespace, by name. */
  of(namespace: string): Quota[] {
    const known = [...(this.#namespaces.get(namespace)?.values() ?? [])]
    const quotas = known.flatMap(({ quota }) => quota() ?? [])
    return quotas.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** A quota that was read or written just now: it is newer than what this index has heard of. */
  seen(namespace: string, object: ResourceQuota): void {
    const known = this.#namespaces.get(namespace)
    const quota = quotaOf(object)
    const before = known?.get(quota.name)?.quota()
    // One that is not known any more was deleted: nothing would remove it again.
    if (before?.uid === quota.uid && before.revision < quota.revision)
      known!.set(quota.name, { revision: quota.revision, quota: () => quota })
  }

  /** A quota that is gone. */
  gone(namespace: string, { name, uid }: Pick<Quota, 'name' | 'uid'>): void {
    const known = this.#namespaces.get(namespace)
    if (known?.get(name)?.quota()?.uid !== uid) return
    known.delete(name)
    if (known.size === 0) this.#namespaces.delete(namespace)
  }

  close(): void {
    this.#end()
  }

  async #load(): Promise<void> {
    try {
      this.#end = await this.#objects.follow<ResourceQuota>(QUOTAS, {
        set() {},
        named: (place, object) => this.#set(place, object),
        removed: (object) => this.gone(object.metadata.namespace ?? '', quotaOf(object)),
      })
      this.#isLoaded = true
    } finally {
      this.#loading = null
    }
  }

  #set({ namespace, name }: ObjectPlace, { revision, read }: UnreadObject<ResourceQuota>): void {
    const known = this.#namespaces.get(namespace) ?? new Map<string, Known>()
    const before = known.get(name)
    // One that is made anew has a newer revision too.
    if (before && before.revision > revision) return
    let quota: Quota | null | undefined
    const once = (): Quota | null => {
      if (quota === undefined) {
        const object = read()
        quota = object && quotaOf(object)
      }
      return quota
    }
    this.#namespaces.set(namespace, known.set(name, { revision, quota: once }))
  }
}
