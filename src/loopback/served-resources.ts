import type { ServedResource, ServedResources } from '../client/transport.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'

const NO_FAILURES: ReadonlyMap<string, Error> = new Map()
const made = new WeakMap<Catalogue, { readonly generation: number; readonly is: ServedResources }>()

/** The discovery of a catalogue, computed once for each of its generations. */
export function servedResources(catalogue: Catalogue): ServedResources {
  const known = made.get(catalogue)
  if (known?.generation === catalogue.generation) return known.is
  const resources = [...listed(catalogue)]
  const is = { resources, failures: NO_FAILURES }
  made.set(catalogue, { generation: catalogue.generation, is })
  return is
}

function* listed(catalogue: Catalogue): Generator<ServedResource> {
  for (const { group, versions } of catalogue.groups)
    for (const version of versions)
      for (const served of catalogue.resources(group, version)) {
        const { resource, kind, namespaced, verbs } = served
        yield { group, version, resource, kind, namespaced, verbs }
      }
}
