/** The groups of discovery: what this server serves and what APIServices name, in order of their priorities. */
import type { Catalogue, ServedGroup } from '../catalogue/catalogue.ts'
import { byVersionPriority } from '../catalogue/version-priority.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { apiServiceName, type ApiServices } from './api-services.ts'
import { MANAGED_LABEL } from './auto-registration.ts'
import type { LocalVersions } from './local-versions.ts'
import type { Priority } from './priorities.ts'

/** What the order derives from. */
export interface OrderParts {
  readonly v: Vocabulary
  readonly services: ApiServices
  readonly locals: LocalVersions
  readonly catalogue: Pick<Catalogue, 'generation' | 'group'>
  /** Whether built-in group versions have been registered: one without an APIService is then not shown. */
  readonly isRegistered: () => boolean
}

/** A group version with its priority. */
interface Shown {
  readonly group: string
  readonly version: string
  readonly priority: Priority
}

const NOTHING: ReadonlyMap<string, ServedGroup> = new Map()

/** Lists groups as discovery shows them. What did not change stays the same object. */
export class DiscoveryOrder {
  readonly #parts: OrderParts
  readonly #own: string
  readonly #label: string
  readonly #listeners = new Set<(group: string) => void>()
  #groups: readonly ServedGroup[] | null = null
  #byName: ReadonlyMap<string, ServedGroup> = NOTHING
  #generation = -1
  #wasRegistered = false

  constructor(parts: OrderParts) {
    this.#parts = parts
    this.#own = parts.v.resolve('apiregistration{api}')
    this.#label = parts.v.resolve(MANAGED_LABEL)
    parts.services.subscribe((_, group) => {
      this.#groups = null
      for (const listener of this.#listeners) listener(group)
    })
  }

  /** All but the core group. */
  get groups(): readonly ServedGroup[] {
    const { catalogue, isRegistered } = this.#parts
    const registered = isRegistered()
    if (
      this.#groups &&
      this.#generation === catalogue.generation &&
      this.#wasRegistered === registered
    )
      return this.#groups
    this.#generation = catalogue.generation
    this.#wasRegistered = registered
    const before = this.#byName
    const groups = this.#ordered().map((now) => {
      const was = before.get(now.group)
      return was && was.versions.join() === now.versions.join() ? was : now
    })
    this.#byName = new Map(groups.map((one) => [one.group, one]))
    return (this.#groups = groups)
  }

  /** One of them; a group without APIServices is shown as this server serves it. */
  group(name: string): ServedGroup | undefined {
    void this.groups
    return this.#byName.get(name) ?? this.#parts.catalogue.group(name)
  }

  /** Calls back when an APIService of a group has changed. */
  subscribe(listener: (group: string) => void): void {
    this.#listeners.add(listener)
  }

  #ordered(): ServedGroup[] {
    const byGroup = new Map<string, Shown[]>()
    for (const shown of this.#shown()) {
      const list = byGroup.get(shown.group)
      if (list) list.push(shown)
      else byGroup.set(shown.group, [shown])
    }
    const groups = [...byGroup.values()].map((versions) => {
      versions.sort(
        (a, b) =>
          b.priority.version - a.priority.version || byVersionPriority(a.version, b.version),
      )
      const [{ group, version }] = versions as [Shown]
      return {
        served: { group, versions: versions.map((one) => one.version) },
        priority: Math.max(...versions.map((one) => one.priority.group)),
        name: apiServiceName(group, version),
      }
    })
    groups.sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1))
    const own = this.#parts.catalogue.group(this.#own)
    return [...(own ? [own] : []), ...groups.map(({ served }) => served)]
  }

  #shown(): Shown[] {
    const { services, locals, isRegistered } = this.#parts
    const registered = isRegistered()
    const shown: Shown[] = []
    for (const { metadata, spec } of services.all.values()) {
      const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec
      if (group === '' || group === this.#own) continue
      // The object is about to be deleted.
      const isManaged = !spec.service && metadata.labels?.[this.#label] !== undefined
      if (isManaged && !locals.find(group, version)) continue
      shown.push({
        group,
        version,
        priority: { group: groupPriorityMinimum, version: versionPriority },
      })
    }
    for (const { name, group, version, isBuiltIn, priority } of locals.all) {
      if (group === '' || services.all.has(name) || (isBuiltIn && registered)) continue
      shown.push({ group, version, priority })
    }
    return shown
  }
}
