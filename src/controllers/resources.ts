import type { Api } from '../api/context.ts'
import type { Served } from '../schema/catalogue.ts'
import type { Verb } from '../schema/resource.ts'

/** Each served and stored resource once, in the version that is preferred. */
export function* preferredResources(api: Api): Generator<Served> {
  for (const { group, versions } of api.catalogue.groups) {
    const seen = new Set<string>()
    for (const version of versions) {
      for (const served of api.catalogue.resources(group, version)) {
        if (seen.has(served.resource)) continue
        seen.add(served.resource)
        if (served.virtual === null) yield served
      }
    }
  }
}

/** Whether a resource takes all of the verbs. */
export const hasVerbs = (served: Served, ...verbs: readonly Verb[]): boolean =>
  verbs.every((verb) => served.verbs.includes(verb))

/** Finds served kinds by the `apiVersion` and `kind` of a reference; what the catalogue comes to serve later is found then. */
export function kindFinder(api: Api): (apiVersion: string, kind: string) => Served | undefined {
  let generation = -1
  const kinds = new Map<string, Served>()
  return (apiVersion, kind) => {
    if (generation !== api.catalogue.generation) {
      generation = api.catalogue.generation
      kinds.clear()
      for (const { group, versions } of api.catalogue.groups) {
        for (const version of versions) {
          for (const served of api.catalogue.resources(group, version)) {
            if (served.virtual === null) kinds.set(`${served.groupVersion} ${served.kind}`, served)
          }
        }
      }
    }
    return kinds.get(`${apiVersion} ${kind}`)
  }
}

/** Finds resources by the prefix of their keys, in the version that is preferred of what is served now. */
export function prefixFinder(api: Api): (keyPrefix: string) => Served | undefined {
  let generation = -1
  const found = new Map<string, Served>()
  return (keyPrefix) => {
    if (generation !== api.catalogue.generation) {
      generation = api.catalogue.generation
      found.clear()
      for (const served of preferredResources(api)) {
        const { keyPrefix: prefix } = served.hub
        if (!found.has(prefix)) found.set(prefix, served)
      }
    }
    return found.get(keyPrefix)
  }
}
