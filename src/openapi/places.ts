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
  readonly write: (v: Vocabulary, definitions: Definitions) => Map<string, PathItem>
}

/** All places, in the order of discovery. */
export function placesOf(catalogue: Listing): readonly Place[] {
  const places: Place[] = []
  const one = (path: string, make: (operations: DiscoveryOperations) => PathItem) =>
    places.push({
      path,
      of: null,
      write: (v, definitions) =>
        new Map([[`/${path}/`, make(new DiscoveryOperations(v, definitions))]]),
    })
  if (catalogue.groups.some(({ group }) => group === '')) one('api', (o) => o.core())
  one('apis', (o) => o.groups())
  one('version', (o) => o.release())
  for (const { path, write } of plainPlaces) places.push({ path, of: null, write: () => write() })
  for (const { group, versions } of catalogue.groups) {
    if (group !== '') one(`apis/${group}`, (o) => o.group(group))
    for (const version of versions) {
      const of = catalogue.resources(group, version)
      places.push({
        path: rootOf(group, version).slice(1),
        of,
        write: (v, definitions) => groupVersion(of, { group, version }, v, definitions),
      })
    }
  }
  return places
}

function groupVersion(
  resources: readonly ResourceEntry[],
  { group, version }: { readonly group: string; readonly version: string },
  v: Vocabulary,
  definitions: Definitions,
): Map<string, PathItem> {
  const paths = new Map<string, PathItem>()
  const discovery = new DiscoveryOperations(v, definitions)
  paths.set(`${rootOf(group, version)}/`, discovery.resources(group, version))
  for (const served of resources) {
    new ResourceOperations(served, v, definitions).write((path, item) => paths.set(path, item))
  }
  return paths
}
