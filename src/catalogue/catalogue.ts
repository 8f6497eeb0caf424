/**
 * All served resources, looked up by URL. Built from declarations, and changed at run time (`live-catalogue.ts`): a
 * change raises the generation.
 */
import type { Typed } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { CatalogueSnapshot, ResourceVersions } from './catalogue-snapshot.ts'
import { declaredEntries } from './declared-entry.ts'
import { groupVersionOf } from '../meta/home.ts'
import type { ResourceEntry } from './entry.ts'
import { LiveCatalogue, type CatalogueListener } from './live-catalogue.ts'
import { resource, type Resource, type Subresource, type Verb } from './resource.ts'
import type { Shape, ShapeClass } from '../notation/shape.ts'
import { maturityOf, type Enabled } from './runtime-config.ts'

export type { ResourceEntry } from './entry.ts'

/** A group with its served versions, preferred first. */
export interface ServedGroup {
  readonly group: string
  readonly versions: readonly string[]
}

/** The served resources, as readers see them. They may change between two lookups. */
export interface Catalogue {
  /** Rises with every change. */
  readonly generation: number
  /** Immutable snapshot, for several lookups over several iterations of the event loop. */
  readonly now: CatalogueSnapshot
  find(group: string, version: string, resource: string): ResourceEntry | undefined
  findKind(group: string, version: string, kind: string): ResourceEntry | undefined
  /** Whether anything is served under the group version. */
  hasVersion(group: string, version: string): boolean
  /** Served groups in order of priority, core first. */
  readonly groups: readonly ServedGroup[]
  /** One of these groups; the same object as long as its versions do not change. */
  group(name: string): ServedGroup | undefined
  /** Resources of one group version, by name; the same array as long as nothing in it changes. */
  resources(group: string, version: string): readonly ResourceEntry[]
  /** A resource by any group that has versions of it, served or not. */
  entry(group: string, resource: string): ResourceVersions | undefined
  /** The resource whose keys start with the prefix. */
  entryAt(keyPrefix: string): ResourceVersions | undefined
  /** Every resource once. */
  entries(): Iterable<ResourceVersions>
  /** A kind that is not a resource but the body of a sub-resource. */
  body(shape: ShapeClass<unknown>): ResourceEntry
  /** Notifies of each change when it is made. Returns a function that unsubscribes. */
  subscribe(listener: CatalogueListener): () => void
}

// Order of groups in discovery; unlisted ones follow by name (behaviour of the reference at 1.25).
const PRIORITY = [
  '',
  'apiregistration{api}',
  'apps',
  'events{api}',
  'authentication{api}',
  'authorization{api}',
  'autoscaling',
  'batch',
  'certificates{api}',
  'networking{api}',
  'policy',
  'rbac.authorization{api}',
  'storage{api}',
  'admissionregistration{api}',
  'apiextensions{api}',
  'scheduling{api}',
  'coordination{api}',
  'node{api}',
  'discovery{api}',
  'flowcontrol.apiserver{api}',
]

/** Group versions of declared resources, with resolved names. */
export function declaredVersions(resources: readonly Resource[], v: Vocabulary) {
  return resources.flatMap(({ storage, versions = {} }) =>
    [storage.shape.home, ...Object.keys(versions)].map((home) => groupVersionOf(home, v)),
  )
}

/** The owner of built-in resources. */
const BUILT_IN = 'the server'

/**
 * Builds the catalogue of declared resources in one vocabulary, without alpha versions and without what `isEnabled`
 * denies. Other owners may publish more in it.
 */
export function buildCatalogue(
  resources: readonly Resource[],
  v: Vocabulary,
  isEnabled: Enabled = (_group, version) => maturityOf(version) !== 'alpha',
): LiveCatalogue {
  const bodies = new Map<Shape, ResourceEntry>()
  const body = ({ shape }: ShapeClass<unknown>): ResourceEntry => {
    let served = bodies.get(shape)
    if (!served) {
      const declaration = resource({ shape } as ShapeClass<Typed>, {
        plural: shape.name.toLowerCase(),
        scope: 'namespace',
      })
      bodies.set(shape, (served = declaredEntries(declaration, v)[0]))
    }
    return served
  }
  const order = PRIORITY.map((group) => v.resolve(group))
  const catalogue = new LiveCatalogue(order, body)
  catalogue.publish(
    BUILT_IN,
    resources.map((declaration) => {
      const versions = declaredEntries(declaration, v)
      const served = versions.filter((one) => isEnabled(one.group, one.version, one.resource))
      return { versions, served }
    }),
  )
  return catalogue
}

const PART_VERBS: readonly Verb[] = ['get', 'patch', 'update']

/** The verbs of a sub-resource. */
export function verbsOf(subresource: Subresource<Typed>): readonly Verb[] {
  switch (subresource.serves) {
    case 'part':
      return subresource.verbs ?? PART_VERBS
    case 'scale':
      return PART_VERBS
    case 'action':
      return ['create']
    case 'connect':
      return subresource.verbs
  }
}
