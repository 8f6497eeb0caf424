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
  const best = bestOf(definition)
  const all = spec.versions.map((version, i) =>
    versionOf(definition, version, { best, schema: schemaReader(read, i, version.name) }),
  )
  const at = spec.versions.indexOf(stored)
  const versions = schemaEntries({
    ...namesOf(definition),
    generation: Number(definition.metadata.generation ?? 1),
    versions: [all[at]!, ...all.filter((_, i) => i !== at)],
    recent,
    ...(convert ? { convert } : {}),
  })
  const isServed = new Set(spec.versions.flatMap(({ name, served }) => (served ? name : [])))
  return { versions, served: versions.filter(({ version }) => isServed.has(version)) }
}

/** The same version while its objects are removed. Holders of the other one keep using it. */
export const leavingForm = (served: ResourceEntry): ResourceEntry =>
  Object.create(served, { isLeaving: { value: true, enumerable: true } }) as ResourceEntry

/** The accepted names: the requested ones may belong to another definition. */
function namesOf({ spec, status }: CustomResourceDefinition) {
  const { plural, kind, ...more } = status.acceptedNames ?? spec.names
  return {
    group: spec.group,
    plural,
    kind,
    singular: more.singular ?? kind.toLowerCase(),
    listKind: more.listKind ?? `${kind}List`,
    short: more.shortNames ?? [],
    categories: more.categories ?? [],
    namespaced: spec.scope === 'Namespaced',
  } satisfies Partial<SchemaKind>
}

function versionOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { best, schema }: { readonly best: string | undefined; readonly schema: () => SchemaProps },
): SchemaVersion {
  const { name, subresources, additionalPrinterColumns: columns } = version
  const deprecated = deprecationOf(definition, version, best)
  return {
    name,
    get schema() {
      return schema()
    },
    keepsAll: definition.spec.preserveUnknownFields === true,
    status: subresources?.status !== undefined,
    ...(subresources?.scale ? { scale: subresources.scale } : {}),
    ...(columns && columns.length > 0 ? { columns } : {}),
    ...(deprecated ? { deprecated } : {}),
  }
}

/** In a function of its own, so that it holds nothing of the definition. */
const schemaReader = (read: () => CustomResourceDefinition, i: number, name: string) => () =>
  schemaAt(read(), i, name)

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
