/**
 * Everything that is served, looked up by URL. Built of declarations, and changed at run time (`live-catalogue.ts`): a
 * change raises the generation.
 */
import { createHash } from 'node:crypto'
import { storageTag } from '../base/storage-tag.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { CatalogueSnapshot, ResourceEntry } from './catalogue-snapshot.ts'
import { codecOf, type Codec } from './codec.ts'
import { membersWriter, type WriteMembers } from './json-writer.ts'
import type { ResourceName } from './errors.ts'
import { LiveCatalogue, type CatalogueListener } from './live-catalogue.ts'
import {
  resource,
  type Deprecation,
  type Resource,
  type Subresource,
  type Verb,
  type Version,
} from './resource.ts'
import { type Shape, type ShapeClass } from './shape.ts'
import { maturityOf, type Enabled } from './runtime-config.ts'

/** One resource in one served version. */
export interface Served {
  readonly group: string
  readonly version: string
  /** `v1` or `group/version`, as in `apiVersion`. */
  readonly groupVersion: string
  readonly resource: string
  readonly kind: string
  readonly listKind: string
  readonly singular: string
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly shape: Shape
  readonly codec: Codec
  readonly declaration: Resource
  /** For error details. */
  readonly name: ResourceName
  /** The version that is stored; itself when it is this one. */
  readonly hub: Served
  /** All versions of the same objects, the stored one first. */
  readonly versions: readonly Served[]
  /** Conversion of this version; null for the stored one. */
  readonly conversion: Version<any> | null
  readonly deprecated: Deprecation | null
  /** Start of every object's JSON: `{"kind":"…","apiVersion":"…",` */
  readonly opening: Buffer
  /** Writes what stands behind the metadata in every object's JSON. */
  readonly behindMetadata: WriteMembers
  /** All keys of the resource start with this. */
  readonly keyPrefix: string
  /** What records in this version carry. */
  readonly storageTag: Buffer
  readonly subresources: ReadonlyMap<string, Subresource<any>>
  /** Field selector labels beside those of metadata, and what they are called in the stored version. */
  readonly selectable: ReadonlyMap<string, string>
  readonly storageVersionHash: string
}

/** A group with its served versions, preferred first. */
export interface ServedGroup {
  readonly group: string
  readonly versions: readonly string[]
}

/** What is served, as its readers see it. It may change between two lookups. */
export interface Catalogue {
  /** Rises with every change. */
  readonly generation: number
  /** What is served at this moment: does not change, for whoever looks up more than once over several turns. */
  readonly now: CatalogueSnapshot
  find(group: string, version: string, resource: string): Served | undefined
  /** Whether anything is served under the group version. */
  hasVersion(group: string, version: string): boolean
  /** Served groups in order of priority, core first. */
  readonly groups: readonly ServedGroup[]
  /** A group of them; the same object as long as its versions do not change. */
  group(name: string): ServedGroup | undefined
  /** Resources of one group version, by name; the same array as long as nothing in it changes. */
  resources(group: string, version: string): readonly Served[]
  /** A resource by any group that it has versions in, whether they are served or not. */
  entry(group: string, resource: string): ResourceEntry | undefined
  /** The resource whose keys start with the prefix. */
  entryAt(keyPrefix: string): ResourceEntry | undefined
  /** Every resource once. */
  entries(): Iterable<ResourceEntry>
  /** A kind that is no resource of its own but the body of a sub-resource. */
  body(shape: ShapeClass<any>): Served
  /** Tells of each change when it is made. Returns what ends that. */
  subscribe(listener: CatalogueListener): () => void
}

const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

// Order of groups in discovery; unlisted ones follow by name (behaviour of the field at 1.25).
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

/** Group versions that resources are declared in, spelled. */
export function declaredVersions(resources: readonly Resource[], v: Vocabulary) {
  return resources.flatMap(({ hub, versions = {} }) =>
    [hub.shape.home, ...Object.keys(versions)].map((home) => placeOf(home, v)),
  )
}

/** The owner of what is built in. */
const BUILT_IN = 'the server'

/**
 * Builds the catalogue of declared resources in one vocabulary; alpha versions and what `isEnabled` denies are left
 * out. Others may publish more in it.
 */
export function buildCatalogue(
  resources: readonly Resource[],
  v: Vocabulary,
  isEnabled: Enabled = (_group, version) => maturityOf(version) !== 'alpha',
): LiveCatalogue {
  const bodies = new Map<Shape, Served>()
  const body = ({ shape }: ShapeClass<any>): Served => {
    let served = bodies.get(shape)
    if (!served) {
      const declaration = resource({ shape } as ShapeClass<any>, {
        plural: shape.name.toLowerCase(),
        scope: 'namespace',
      })
      bodies.set(shape, (served = declaredEntries(declaration, v)[0]))
    }
    return served
  }
  const order = PRIORITY.map((group) => v.spell(group))
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

/** All versions of a declared kind, the stored one first. */
export function declaredEntries(
  declaration: Resource,
  v: Vocabulary,
): readonly [Served, ...Served[]] {
  const all: Served[] = []
  all.push(...servedVersions(declaration, v, all))
  return [all[0]!, ...all.slice(1)]
}

function placeOf(home: string, v: Vocabulary): { group: string; version: string } {
  const [group = '', version = ''] = v.spell(home).split('/')
  return { group: group === 'core' ? '' : group, version }
}

function* servedVersions(
  declaration: Resource,
  v: Vocabulary,
  versions: readonly Served[],
): Generator<Served> {
  const { hub: hubShape, ...options } = declaration
  const kind = hubShape.shape.name
  const keyPrefix = resourcePrefix(placeOf(hubShape.shape.home, v).group, options.plural)
  const verbs = ALL_VERBS.filter((verb) => !options.without?.includes(verb))
  const make = (
    home: string,
  ): Omit<
    Served,
    | 'hub'
    | 'conversion'
    | 'shape'
    | 'codec'
    | 'behindMetadata'
    | 'deprecated'
    | 'storageVersionHash'
  > => {
    const { group, version } = placeOf(home, v)
    const groupVersion = group === '' ? version : `${group}/${version}`
    return {
      group,
      version,
      groupVersion,
      resource: options.plural,
      kind,
      listKind: `${kind}List`,
      singular: kind.toLowerCase(),
      namespaced: options.scope === 'namespace',
      verbs,
      declaration,
      versions,
      name: { group, resource: options.plural },
      opening: Buffer.from(
        `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(groupVersion)},`,
      ),
      keyPrefix,
      storageTag: storageTag(version),
      subresources: new Map(Object.entries(options.subresources ?? {})),
      selectable: selectableOf(declaration, home),
    }
  }
  const base = make(hubShape.shape.home)
  // Asked by discovery alone.
  const hash = () => hashOf(`${base.group}/${base.version}/${kind}`)
  const hub: Served = {
    ...base,
    shape: hubShape.shape,
    codec: codecOf(hubShape.shape, v),
    behindMetadata: membersWriter(hubShape.shape, v, TYPE_AND_METADATA),
    conversion: null,
    deprecated: options.deprecated ?? null,
    get storageVersionHash() {
      return hash()
    },
    get hub(): Served {
      return hub
    },
  }
  yield hub
  for (const [home, version] of Object.entries(options.versions ?? {})) {
    yield {
      ...make(home),
      shape: version.shape.shape,
      codec: codecOf(version.shape.shape, v),
      behindMetadata: membersWriter(version.shape.shape, v, TYPE_AND_METADATA),
      hub,
      conversion: version,
      deprecated: version.deprecated ?? null,
      get storageVersionHash() {
        return hash()
      },
    }
  }
}

const TYPE_AND_METADATA = ['kind', 'apiVersion', 'metadata']

function selectableOf(
  { selectable = {}, selectableAliases = {}, versions }: Resource,
  home: string,
): Map<string, string> {
  const own = versions?.[home]?.selectableAliases
  if (own) return new Map(Object.entries(own))
  const names = Object.keys(selectable).map((name) => [name, name] as const)
  return new Map([...names, ...Object.entries(selectableAliases)])
}

/** The stored version as discovery shows it, without naming it. */
const hashOf = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')

const PART_VERBS: readonly Verb[] = ['get', 'patch', 'update']

/** What can be done with a sub-resource. */
export function verbsOf(subresource: Subresource<any>): readonly Verb[] {
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
