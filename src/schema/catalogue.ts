/**
 * Everything that is served, looked up by URL. Built of declarations; a change raises the
 * generation, on which discovery and other derived documents hang.
 */
import { createHash } from 'node:crypto'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { codecOf, type Codec } from './codec.ts'
import type { ResourceName } from './errors.ts'
import type { Deprecation, PartSubresource, Resource, Verb, Version } from './resource.ts'

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
  /** All keys of the resource start with this. */
  readonly keyPrefix: string
  readonly subresources: ReadonlyMap<string, PartSubresource<any>>
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

/** Builds the catalogue of declared resources in one vocabulary. */
export function buildCatalogue(resources: readonly Resource[], v: Vocabulary): Catalogue {
  const byPath = new Map<string, Served>()
  const byVersion = new Map<string, Served[]>()
  const versionsOf = new Map<string, string[]>()
  for (const declaration of resources) {
    for (const served of servedVersions(declaration, v)) {
      byPath.set(`${served.group}/${served.version}/${served.resource}`, served)
      const key = `${served.group}/${served.version}`
      const list = byVersion.get(key)
      if (list) list.push(served)
      else byVersion.set(key, [served])
      const versions = versionsOf.get(served.group) ?? []
      if (!versions.includes(served.version)) versions.push(served.version)
      versionsOf.set(served.group, versions)
    }
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
    find: (group, version, resource) => byPath.get(`${group}/${version}/${resource}`),
    hasVersion: (group, version) => byVersion.has(`${group}/${version}`),
    groups,
    resources: (group, version) => byVersion.get(`${group}/${version}`) ?? [],
  }
}

function* servedVersions(declaration: Resource, v: Vocabulary): Generator<Served> {
  const { hub: hubShape, ...options } = declaration
  const kind = hubShape.shape.name
  const verbs = ALL_VERBS.filter((verb) => !options.without?.includes(verb))
  const make = (
    home: string,
  ): Omit<Served, 'hub' | 'conversion' | 'codec' | 'deprecated' | 'storageVersionHash'> => {
    const [homeGroup = '', version = ''] = v.spell(home).split('/')
    const group = homeGroup === 'core' ? '' : homeGroup
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
      keyPrefix: `/${options.plural}/`,
      subresources: new Map(Object.entries(options.subresources ?? {})),
    }
  }
  const base = make(hubShape.shape.home)
  const storageVersionHash = hashOf(`${base.group}/${base.version}/${kind}`)
  const hub: Served = {
    ...base,
    codec: codecOf(hubShape.shape),
    conversion: null,
    deprecated: options.deprecated ?? null,
    storageVersionHash,
    get hub(): Served {
      return hub
    },
  }
  yield hub
  for (const [home, version] of Object.entries(options.versions ?? {})) {
    yield {
      ...make(home),
      codec: codecOf(version.shape.shape),
      hub,
      conversion: version,
      deprecated: version.deprecated ?? null,
      storageVersionHash,
    }
  }
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
