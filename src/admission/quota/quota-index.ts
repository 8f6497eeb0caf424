import type { ObjectSource } from '../../catalogue/object-source.ts'
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

/** The quotas of all namespaces, in memory: a namespace without one costs a look-up. */
export class QuotaIndex {
  readonly #objects: ObjectSource
  readonly #namespaces = new Map<string, Map<string, Quota>>()
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
    const quotas = [...(this.#namespaces.get(namespace)?.values() ?? [])]
    return quotas.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** A quota that was read or written just now: it is newer than what this index has heard of. */
  seen(namespace: string, object: ResourceQuota): void {
    const known = this.#namespaces.get(namespace)
    const quota = quotaOf(object)
    const before = known?.get(quota.name)
    // One that is not known any more was deleted: nothing would remove it again.
    if (before?.uid === quota.uid && before.revision < quota.revision) known!.set(quota.name, quota)
  }

  /** A quota that is gone. */
  gone(namespace: string, { name, uid }: Pick<Quota, 'name' | 'uid'>): void {
    const known = this.#namespaces.get(namespace)
    if (known?.get(name)?.uid !== uid) return
    known.delete(name)
    if (known.size === 0) this.#namespaces.delete(namespace)
  }

  close(): void {
    this.#end()
  }

  async #load(): Promise<void> {
    try {
      this.#end = await this.#objects.follow<ResourceQuota>(QUOTAS, {
        set: (object) => this.#set(object),
        removed: (object) => this.gone(object.metadata.namespace ?? '', quotaOf(object)),
      })
      this.#isLoaded = true
    } finally {
      this.#loading = null
    }
  }

  #set(object: ResourceQuota): void {
    const { namespace = '' } = object.metadata
    const quota = quotaOf(object)
    const known = this.#namespaces.get(namespace) ?? new Map<string, Quota>()
    const before = known.get(quota.name)
    if (before?.uid === quota.uid && before.revision > quota.revision) return
    this.#namespaces.set(namespace, known.set(quota.name, quota))
  }
}
