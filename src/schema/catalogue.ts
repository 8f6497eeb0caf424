/**
 * Everything that is served, looked up by URL. Built of declarations; a change raises the
 * generation, on which discovery and other derived documents hang.
 */
import { createHash } from 'node:crypto'
import { storageTag } from '../base/storage-tag.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { codecOf, type Codec } from './codec.ts'
import { membersWriter, type WriteMembers } from './json-writer.ts'
import type { ResourceName } from './errors.ts'
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

export interface Catalogue {
  /** Rises with every change. */
  readonly generation: number
  find(group: string, version: string, resource: string): Served | undefined
  /** Whether anything is served under the group version. */
  hasVersion(group: string, version: string): boolean
  /** Served groups in order of priority, core first. */
  readonly groups: readonly ServedGroup[]
  /** Resources of one group version, by name. */
  resources(group: string, version: string): readonly Served[]
  /** All versions of the same objects, those included that are not served. */
  versionsOf(declaration: Resource): readonly Served[]
  /** A kind that is no resource of its own but the body of a sub-resource. */
  body(shape: ShapeClass<any>): Served
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

/**
 * Builds the catalogue of declared resources in one vocabulary; alpha versions and what `isEnabled` denies are left
 * out.
 */
export function buildCatalogue(
  resources: readonly Resource[],
  v: Vocabulary,
  isEnabled: Enabled = (_group, version) => maturityOf(version) !== 'alpha',
): Catalogue {
  /** By group, version and name: no request builds a key. */
  const byPath = new Map<string, Map<string, Map<string, Served>>>()
  const byVersion = new Map<string, Served[]>()
  const versionsOf = new Map<string, string[]>()
  const ofDeclaration = new Map<Resource, readonly Served[]>()
  for (const declaration of resources) {
    const all = [...servedVersions(declaration, v)]
    ofDeclaration.set(declaration, all)
    for (const served of all) {
      if (!isEnabled(served.group, served.version, served.resource)) continue
      const ofGroup = byPath.get(served.group) ?? new Map<string, Map<string, Served>>()
      const ofVersion = ofGroup.get(served.version) ?? new Map<string, Served>()
      byPath.set(served.group, ofGroup.set(served.version, ofVersion.set(served.resource, served)))
      const key = `${served.group}/${served.version}`
      const list = byVersion.get(key)
      if (list) list.push(served)
      else byVersion.set(key, [served])
      const versions = versionsOf.get(served.group) ?? []
      if (!versions.includes(served.version)) versions.push(served.version)
      versionsOf.set(served.group, versions)
    }
  }
  const bodies = new Map<Shape, Served>()
  const body = ({ shape }: ShapeClass<any>): Served => {
    let served = bodies.get(shape)
    if (!served) {
      const declaration = resource({ shape } as ShapeClass<any>, {
        plural: shape.name.toLowerCase(),
        scope: 'namespace',
      })
      bodies.set(shape, (served = servedVersions(declaration, v).next().value as Served))
    }
    return served
  }
  for (const list of byVersion.values()) list.sort((a, b) => (a.resource < b.resource ? -1 : 1))
  const rank = new Map(PRIORITY.map((g, i) => [v.spell(g), i]))
  const groups = [...versionsOf]
    .map(([group, versions]) => ({ group, versions: versions.sort(byVersionPriority) }))
    .sort(
      (a, b) =>
        (rank.get(a.group) ?? PRIORITY.length) - (rank.get(b.group) ?? PRIORITY.length) ||
        (a.group < b.group ? -1 : 1),
    )
  return {
    generation: 1,
    find: (group, version, resource) => byPath.get(group)?.get(version)?.get(resource),
    hasVersion: (group, version) => byVersion.has(`${group}/${version}`),
    groups,
    resources: (group, version) => byVersion.get(`${group}/${version}`) ?? [],
    versionsOf: (declaration) => ofDeclaration.get(declaration) ?? [],
    body,
  }
}

function placeOf(home: string, v: Vocabulary): { group: string; version: string } {
  const [group = '', version = ''] = v.spell(home).split('/')
  return { group: group === 'core' ? '' : group, version }
}

function* servedVersions(declaration: Resource, v: Vocabulary): Generator<Served> {
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

const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/

/** Stable before beta before alpha, newer first. */
function byVersionPriority(a: string, b: string): number {
  const rank = (text: string): readonly number[] => {
    const m = VERSION.exec(text)
    if (!m) return [0, 0, 0]
    return [m[2] === undefined ? 3 : m[2] === 'beta' ? 2 : 1, Number(m[1]), Number(m[3] ?? 0)]
  }
  const [x, y] = [rank(a), rank(b)]
  for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return y[i]! - x[i]!
  return a < b ? -1 : a > b ? 1 : 0
}

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
