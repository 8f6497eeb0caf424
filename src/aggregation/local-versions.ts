/** The group versions that this server serves itself. */
import { declaredVersions, type Catalogue } from '../catalogue/catalogue.ts'
import { resources } from '../kinds/index.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { apiServiceName } from './api-services.ts'
import { prioritiesOf, type Priority } from './priorities.ts'

/** One of them, with what its APIService says. */
export interface LocalVersion {
  /** Name of its APIService. */
  readonly name: string
  readonly group: string
  readonly version: string
  /** Whether it is one of the release, and not of a custom resource definition. */
  readonly isBuiltIn: boolean
  readonly priority: Priority
}

/** Knows the group versions of the catalogue by their APIServices. */
export class LocalVersions {
  readonly #catalogue: Pick<Catalogue, 'groups' | 'hasVersion'>
  readonly #priorityOf: ReturnType<typeof prioritiesOf>
  readonly #builtIn: ReadonlySet<string>
  /** The group of APIServices is served by this server in any case, and has none. */
  readonly #own: string

  constructor(catalogue: Pick<Catalogue, 'groups' | 'hasVersion'>, v: Vocabulary) {
    this.#catalogue = catalogue
    this.#priorityOf = prioritiesOf(v)
    this.#own = v.resolve('apiregistration{api}')
    this.#builtIn = new Set(
      declaredVersions(resources, v).map(({ group, version }) => apiServiceName(group, version)),
    )
  }

  /** Those that are served now. */
  get all(): readonly LocalVersion[] {
    return this.#catalogue.groups.flatMap(({ group, versions }) =>
      group === this.#own ? [] : versions.map((version) => this.#of(group, version)),
    )
  }

  /** One of them; null when it is not served. */
  find(group: string, version: string): LocalVersion | null {
    const isServed = group !== this.#own && this.#catalogue.hasVersion(group, version)
    return isServed ? this.#of(group, version) : null
  }

  #of(group: string, version: string): LocalVersion {
    const name = apiServiceName(group, version)
    const isBuiltIn = this.#builtIn.has(name)
    return {
      name,
      group,
      version,
      isBuiltIn,
      priority: this.#priorityOf(group, version, isBuiltIn),
    }
  }
}
