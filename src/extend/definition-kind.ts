/** Converts a definition to catalogue entries. */
import type { CustomResourceDefinition } from '../kinds/apiextensions/custom-resource-definition.ts'
import type { CustomResourceDefinitionVersion } from '../kinds/apiextensions/custom-resource-definition-spec.ts'
import type { SchemaProps } from '../structural/json-schema-props.ts'
import type { ResourceVersions } from '../catalogue/catalogue-snapshot.ts'
import { byVersionPriority } from '../catalogue/version-priority.ts'
import type { Convert, ResourceEntry } from '../catalogue/entry.ts'
import type { Deprecation } from '../catalogue/resource.ts'
import type { RecentForms } from './recent-forms.ts'
import { schemaEntries, type SchemaKind, type SchemaVersion } from './schema-entry.ts'

/**
 * The entry of a definition whose names are accepted; null when no version is stored. `read` returns the definition
 * again when a schema of it is needed: schemas are most of its size, few are ever used, and `definition` need not have
 * them. `convert`: the converter, where versions differ in more than their names. `recent` keeps what derives from the
 * schemas.
 */
export function definitionEntry(
  definition: CustomResourceDefinition,
  read: () => CustomResourceDefinition,
  convert: Convert | null,
  recent: RecentForms,
): ResourceVersions | null {
  const { spec } = definition
  const stored = spec.versions.find(({ storage }) => storage)
  if (!stored) return null
  const best = spec.versions.some(({ deprecated }) => deprecated) ? bestOf(definition) : undefined
  const versionAt = (i: number) => new VersionOfDefinition(definition, i, best, read)
  const at = spec.versions.indexOf(stored)
  const all: [SchemaVersion, ...SchemaVersion[]] = [versionAt(at)]
  for (let i = 0; i < spec.versions.length; i++) if (i !== at) all.push(versionAt(i))
  const versions = schemaEntries(new KindOfDefinition(definition, all, convert, recent))
  const isServed = (version: string) =>
    spec.versions.some((one) => one.name === version && one.served)
  return { versions, served: versions.filter(({ version }) => isServed(version)) }
}

/** The same version while its objects are removed. Holders of the other one keep using it. */
export const leavingForm = (served: ResourceEntry): ResourceEntry =>
  Object.create(served, { isLeaving: { value: true, enumerable: true } }) as ResourceEntry

const NO_NAMES: readonly string[] = []

/** Holds nothing of the definition but what it says. */
class KindOfDefinition implements SchemaKind {
  readonly group: string
  readonly plural: string
  readonly kind: string
  readonly singular: string
  readonly listKind: string
  readonly short: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly generation: number
  readonly versions: SchemaKind['versions']
  readonly recent: RecentForms
  readonly convert?: Convert

  constructor(
    { metadata, spec, status }: CustomResourceDefinition,
    versions: SchemaKind['versions'],
    convert: Convert | null,
    recent: RecentForms,
  ) {
    // The accepted names: the requested ones may belong to another definition.
    const names = status.acceptedNames ?? spec.names
    this.group = spec.group
    this.plural = names.plural
    this.kind = names.kind
    this.singular = names.singular ?? names.kind.toLowerCase()
    this.listKind = names.listKind ?? `${names.kind}List`
    this.short = names.shortNames ?? NO_NAMES
    this.categories = names.categories ?? NO_NAMES
    this.namespaced = spec.scope === 'Namespaced'
    this.generation = Number(metadata.generation ?? 1)
    this.versions = versions
    this.recent = recent
    if (convert) this.convert = convert
  }
}

/** One version; its schema is read from the definition when it is needed. */
class VersionOfDefinition implements SchemaVersion {
  readonly name: string
  readonly keepsAll: boolean
  readonly status: boolean
  readonly scale?: NonNullable<SchemaVersion['scale']>
  readonly columns?: NonNullable<SchemaVersion['columns']>
  readonly deprecated?: Deprecation
  readonly #read: () => CustomResourceDefinition
  readonly #place: number

  /** The version at a place of its definition; `best`: the version that clients of a deprecated one are sent to. */
  constructor(
    definition: CustomResourceDefinition,
    place: number,
    best: string | undefined,
    read: () => CustomResourceDefinition,
  ) {
    const version = definition.spec.versions[place]!
    const { subresources, additionalPrinterColumns: columns } = version
    const deprecated = deprecationOf(definition, version, best)
    this.name = version.name
    this.keepsAll = definition.spec.preserveUnknownFields === true
    this.status = subresources?.status !== undefined
    if (subresources?.scale) this.scale = subresources.scale
    if (columns && columns.length > 0) this.columns = columns
    if (deprecated) this.deprecated = deprecated
    this.#read = read
    this.#place = place
  }

  get schema(): SchemaProps {
    return schemaAt(this.#read(), this.#place, this.name)
  }
}

/** The schema of a version that has its place `i` unless the definition changed. */
function schemaAt({ spec }: CustomResourceDefinition, i: number, name: string): SchemaProps {
  const there = spec.versions[i]
  const version = there?.name === name ? there : spec.versions.find((one) => one.name === name)
  return version?.schema?.openAPIV3Schema ?? { type: 'object' }
}

/** The version that clients of a deprecated one are sent to. */
function bestOf({ spec }: CustomResourceDefinition): string | undefined {
  const names = spec.versions.flatMap(({ name, served, deprecated }) =>
    served && deprecated !== true ? name : [],
  )
  return names.sort(byVersionPriority)[0]
}

/** The warning for clients of a deprecated version; it names the best newer version, if there is one. */
function deprecationOf(
  { spec, status }: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
  best: string | undefined,
): Deprecation | null {
  if (deprecated !== true) return null
  if (deprecationWarning !== undefined) return { since: '', warning: deprecationWarning }
  const kind = (status.acceptedNames ?? spec.names).kind
  const instead =
    best !== undefined && byVersionPriority(best, name) < 0
      ? `; use ${spec.group}/${best} ${kind}`
      : ''
  return { since: '', warning: `${spec.group}/${name} ${kind} is deprecated${instead}` }
}

/** Identifies the state of a definition, except for the rest of its status. */
export const definitionKey = ({ metadata, status }: CustomResourceDefinition): string =>
  JSON.stringify([metadata.uid, metadata.generation, status.acceptedNames])
