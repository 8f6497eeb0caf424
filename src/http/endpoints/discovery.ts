import type { Typed } from '../../meta/object-meta.ts'
import { Scale } from '../../kinds/autoscaling/scale.ts'
import {
  verbsOf,
  type Catalogue,
  type ResourceEntry,
  type ServedGroup,
} from '../../catalogue/catalogue.ts'
import type { Subresource, Verb } from '../../catalogue/resource.ts'
import { APIGroup, APIGroupList, APIResourceList, APIVersions } from '../../kinds/meta/documents.ts'
import type { ShapeClass } from '../../notation/shape.ts'
import { documentAnswer } from '../response.ts'
import type { Endpoint } from '../context.ts'

/** Endpoints by their paths. */
type Endpoints = Pick<Map<string, Endpoint>, 'set' | 'delete'>

/** The groups that discovery lists, in their order. */
export interface DiscoveryGroups {
  /** Without the core group; the same array as long as nothing in it changes. */
  readonly groups: readonly ServedGroup[]
  group(name: string): ServedGroup | undefined
  /** Calls back when a group has changed in another way than by a change of the catalogue. */
  subscribe(listener: (group: string) => void): void
}

/**
 * Adds discovery documents to the endpoints: versions, groups and resources. They are added and removed together with
 * groups and versions. Documents are created on first use and cached until their content changes.
 */
export function serveDiscovery(
  endpoints: Endpoints,
  catalogue: Catalogue,
  listed: DiscoveryGroups,
  address: () => string,
): void {
  const discovery = new Discovery(endpoints, catalogue, listed)
  discovery.addRoots(address)
  listed.subscribe((group) => discovery.renew(group))
  const groups = [...listed.groups, ...catalogue.groups].map(({ group }) => group)
  for (const group of new Set(groups)) discovery.renew(group)
  catalogue.subscribe(({ added, changed, removed }) => {
    const entries = [...added, ...removed, ...changed.flatMap(({ before, now }) => [before, now])]
    const groups = new Set(entries.flatMap(({ versions }) => versions.map(({ group }) => group)))
    for (const group of groups) discovery.renew(group)
  })
}

class Discovery {
  readonly #endpoints: Endpoints
  readonly #catalogue: Catalogue
  readonly #listed: DiscoveryGroups
  /** Paths of each served group. */
  readonly #paths = new Map<string, ReadonlySet<string>>()

  constructor(endpoints: Endpoints, catalogue: Catalogue, listed: DiscoveryGroups) {
    this.#endpoints = endpoints
    this.#catalogue = catalogue
    this.#listed = listed
  }

  addRoots(address: () => string): void {
    const catalogue = this.#catalogue
    const listed = this.#listed
    // Documents of the core group have no apiVersion, for compatibility with old clients.
    this.#add(
      '/api',
      APIVersions,
      () => catalogue.groups,
      () => ({
        kind: 'APIVersions',
        versions: catalogue.group('')?.versions ?? [],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address() }],
      }),
    )
    this.#add(
      '/apis',
      APIGroupList,
      () => listed.groups,
      () => ({
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: listed.groups.map(groupOf),
      }),
    )
  }

  /** Updates the endpoints of a group to what it serves now. */
  renew(group: string): void {
    const before = this.#paths.get(group) ?? new Set()
    const paths = new Set<string>()
    const catalogue = this.#catalogue
    const listed = group === '' ? undefined : this.#listed.group(group)
    const add = (
      path: string,
      shape: ShapeClass<unknown>,
      of: () => unknown,
      make: () => object,
    ) => {
      paths.add(path)
      if (!before.has(path)) this.#add(path, shape, of, make)
    }
    if (listed) {
      const now = () => this.#listed.group(group)
      add(`/apis/${group}`, APIGroup, now, () => ({
        kind: 'APIGroup',
        apiVersion: 'v1',
        ...groupOf(now() ?? listed),
      }))
    }
    for (const version of catalogue.group(group)?.versions ?? []) {
      const groupVersion = group === '' ? version : `${group}/${version}`
      const resources = () => catalogue.resources(group, version)
      add(`/${group === '' ? 'api' : 'apis'}/${groupVersion}`, APIResourceList, resources, () => ({
        kind: 'APIResourceList',
        ...(group === '' ? {} : { apiVersion: 'v1' }),
        groupVersion,
        resources: resourcesOf(catalogue, resources()),
      }))
    }
    for (const path of before) if (!paths.has(path)) this.#endpoints.delete(path)
    if (paths.size > 0) this.#paths.set(group, paths)
    else this.#paths.delete(group)
  }

  /** Adds a document that is cached as long as `of` returns the same value. */
  #add(path: string, shape: ShapeClass<unknown>, of: () => unknown, make: () => object): void {
    let made: { readonly of: unknown; readonly bytes: Buffer } | null = null
    this.#endpoints.set(path, (context) => {
      const now = of()
      if (!made || made.of !== now)
        made = { of: now, bytes: Buffer.from(`${JSON.stringify(make())}\n`) }
      return documentAnswer(context, shape, made.bytes)
    })
  }
}

function groupOf({ group, versions }: ServedGroup) {
  const entries = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions: entries, preferredVersion: entries[0] }
}

function resourcesOf(catalogue: Catalogue, resources: readonly ResourceEntry[]): object[] {
  return resources
    .flatMap((served) => [mainEntry(served), ...partEntries(catalogue, served)])
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Verbs that discovery omits for a kind whose objects are being removed. */
const WRITES: readonly Verb[] = ['create', 'patch', 'update']

function mainEntry(served: ResourceEntry) {
  const { short, categories } = served
  return {
    name: served.resource,
    // In this release only kinds with a schema report it.
    singularName: served.published.is === 'schema' ? served.singular : '',
    namespaced: served.namespaced,
    kind: served.kind,
    verbs: shownVerbs(served),
    ...(short.length > 0 ? { shortNames: short } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(served.virtual === null ? { storageVersionHash: served.storageVersionHash } : {}),
  }
}

/** Verbs of kinds with a schema, in the order of the reference. */
const SCHEMA_VERBS: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
]

function shownVerbs({ verbs, isLeaving, published }: ResourceEntry): readonly Verb[] {
  const left = verbs.filter((verb) => !isLeaving || !WRITES.includes(verb))
  return published.is === 'schema'
    ? SCHEMA_VERBS.filter((verb) => left.includes(verb))
    : left.sort()
}

const partEntries = (catalogue: Catalogue, served: ResourceEntry) =>
  [...served.subresources].map(([name, subresource]) => ({
    name: `${served.resource}/${name}`,
    singularName: '',
    namespaced: served.namespaced,
    ...bodyOf(catalogue, served, subresource),
    verbs: [...verbsOf(subresource)].sort(),
  }))

/** The kind of the request and response body, with its group where that differs. */
function bodyOf(catalogue: Catalogue, served: ResourceEntry, subresource: Subresource<Typed>) {
  switch (subresource.serves) {
    case 'part':
      return { kind: served.kind }
    case 'connect':
      return { kind: subresource.kind }
    case 'action':
    case 'scale': {
      const input = subresource.serves === 'scale' ? Scale : subresource.input
      const { group, version, kind } = catalogue.body(input)
      return group === served.group ? { kind } : { group, version, kind }
    }
  }
}
