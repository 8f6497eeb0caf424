/**
 * Everything that is served, looked up by URL. Built of declarations; a change raises the
 * generation, on which discovery and other derived documents hang.
 */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { declaredEntries, placeOf } from './declared-entry.ts'
import type { Served } from './entry.ts'
import { resource, type Resource, type Subresource, type Verb } from './resource.ts'
import type { Shape, ShapeClass } from './shape.ts'
import { maturityOf, type Enabled } from './runtime-config.ts'

export type { Served } from './entry.ts'

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
    const all = declaredEntries(declaration, v)
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
      bodies.set(shape, (served = declaredEntries(declaration, v)[0]))
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
