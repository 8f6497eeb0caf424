/** Units of documentation: in version 3 all paths with a common root share one document. */
import type { ResourceEntry, ServedGroup } from '../catalogue/catalogue.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Definitions } from './definitions.ts'
import { DiscoveryOperations } from './discovery-operations.ts'
import type { PathItem } from './document.ts'
import { rootOf } from './names.ts'
import { plainPlaces } from './plain-places.ts'
import { ResourceOperations } from './operations.ts'

/** Sources of documents. */
export interface Listing {
  readonly groups: readonly ServedGroup[]
  /** The same array as long as nothing in it changes. */
  resources(group: string, version: string): readonly ResourceEntry[]
}

/** One part of the API by its address, such as `apis/apps/v1`. */
export interface Place {
  readonly path: string
  /** The document is unchanged while this is the same; null for a constant document. */
  readonly of: readonly ResourceEntry[] | null
  readonly parts: readonly PlacePart[]
}

/** The paths of one resource, or of what discovers it. */
export interface PlacePart {
  /** The part is unchanged while this is the same; a path where the part is constant. */
  readonly of: ResourceEntry | string
  /** Whether it comes and goes with kinds of users. */
  readonly isCustom: boolean
  readonly write: (v: Vocabulary, definitions: Definitions) => Map<string, PathItem>
}

/** All places, in the order of discovery. */
export function placesOf(catalogue: Listing): readonly Place[] {
  const places: Place[] = []
  const one = (path: string, isCustom: boolean, make: (o: DiscoveryOperations) => PathItem) =>
    places.push({ path, of: null, parts: [discovery(path, isCustom, make)] })
  if (catalogue.groups.some(({ group }) => group === '')) one('api', false, (o) => o.core())
  one('apis', false, (o) => o.groups())
  one('version', false, (o) => o.release())
  for (const { path, write } of plainPlaces)
    places.push({ path, of: null, parts: [{ of: path, isCustom: false, write: () => write() }] })
  for (const { group, versions } of catalogue.groups) {
    const served = versions.map((version) => ({ version, of: catalogue.resources(group, version) }))
    const isCustom = served.every(({ of }) => of.every(isOfUsers))
    if (group !== '') one(`apis/${group}`, isCustom, (o) => o.group(group))
    for (const { version, of } of served) places.push(groupVersion(of, group, version))
  }
  return places
}

const isOfUsers = ({ published }: ResourceEntry): boolean => published.is === 'schema'

function discovery(
  path: string,
  isCustom: boolean,
  make: (operations: DiscoveryOperations) => PathItem,
): PlacePart {
  return {
    of: path,
    isCustom,
    write: (v, definitions) =>
      new Map([[`/${path}/`, make(new DiscoveryOperations(v, definitions))]]),
  }
}

function groupVersion(of: readonly ResourceEntry[], group: string, version: string): Place {
  const path = rootOf(group, version).slice(1)
  const listed = discovery(path, of.every(isOfUsers), (o) => o.resources(group, version))
  return { path, of, parts: [listed, ...of.map(ofResource)] }
}

const ofResource = (served: ResourceEntry): PlacePart => ({
  of: served,
  isCustom: isOfUsers(served),
  write(v, definitions) {
    const paths = new Map<string, PathItem>()
    new ResourceOperations(served, v, definitions).write((path, item) => paths.set(path, item))
    return paths
  },
})
