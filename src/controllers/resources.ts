import type { ServedResource } from '../client/transport.ts'

/** Whether a resource takes all of the verbs. */
export const hasVerbs = (served: ServedResource, ...verbs: readonly string[]): boolean =>
  verbs.every((verb) => served.verbs.includes(verb))

/** `v1` or `group/version`, as in `apiVersion`. */
export const groupVersionOf = ({ group, version }: ServedResource): string =>
  group === '' ? version : `${group}/${version}`

/** Kinds by `apiVersion` and `kind`, as references name them; those of which there are no objects are left out. */
export function kindsOf(resources: readonly ServedResource[]): ReadonlyMap<string, ServedResource> {
  const kinds = new Map<string, ServedResource>()
  for (const served of resources)
    if (hasVerbs(served, 'get', 'list', 'watch'))
      kinds.set(`${groupVersionOf(served)} ${served.kind}`, served)
  return kinds
}
