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

/** The stored kind that the `apiVersion` and `kind` of a reference mean, if it is served now. */
export function kindOf(api: Api, apiVersion: string, kind: string): Served | undefined {
  const slash = apiVersion.indexOf('/')
  const group = apiVersion.slice(0, Math.max(slash, 0))
  const served = api.catalogue.findKind(group, apiVersion.slice(slash + 1), kind)
  return served?.virtual === null && served.groupVersion === apiVersion ? served : undefined
}

/** The resource whose keys have a prefix, in the version that is preferred; undefined when it is not served now. */
export function resourceAt({ catalogue }: Api, keyPrefix: string): Served | undefined {
  const entry = catalogue.entryAt(keyPrefix)
  if (!entry || entry.served.length < 2) return entry?.served[0]
  const [{ group, resource }] = entry.versions
  for (const version of catalogue.group(group)?.versions ?? []) {
    const served = catalogue.find(group, version, resource)
    if (served) return served
  }
  return entry.served[0]
}
