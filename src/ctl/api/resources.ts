/** Finds resources by what people call them. */
import { Fault } from '../base/faults.ts'
import type { Discovery, Served, ServedResource } from './discovery.ts'
import { groupPath } from './discovery.ts'

/** The path of a resource, in a namespace or, without one, of all. */
export function resourcePath(of: ServedResource, namespace: string, name = ''): string {
  return [
    groupPath(of.group, of.version),
    ...(of.namespaced && namespace !== '' ? ['namespaces', encoded(namespace)] : []),
    of.name,
    ...(name === '' ? [] : [encoded(name)]),
  ].join('/')
}

const encoded = (segment: string): string =>
  segment === '.' || segment === '..' ? segment.replaceAll('.', '%2E') : encodeURIComponent(segment)

/** `deployments.apps`, `pods`. */
export const qualifiedName = ({ name, group }: Pick<ServedResource, 'name' | 'group'>): string =>
  group === '' ? name : `${name}.${group}`

/** `deployment.apps`, `pod`. */
export function singularName({ kind, group }: Pick<ServedResource, 'kind' | 'group'>): string {
  const lower = kind.toLowerCase()
  return group === '' ? lower : `${lower}.${group}`
}

export const apiVersionOf = ({
  group,
  version,
}: Pick<ServedResource, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`

/** The resource of a word such as `po`, `deploy.apps` or `deployments.v1.apps`. */
export async function findResource(
  discovery: Discovery,
  word: string,
  prefix = 'error: ',
): Promise<ServedResource> {
  const found = find(await discovery.served(), word)
  if (found) return found
  if (!discovery.isFresh) {
    const again = find(await discovery.refresh(), word)
    if (again) return again
  }
  throw new Fault(`${prefix}the server doesn't have a resource type "${word}"`)
}

/** The resource of a kind in a version. */
export async function findKind(
  discovery: Discovery,
  apiVersion: string,
  kind: string,
): Promise<ServedResource | null> {
  const { group, version } = splitVersion(apiVersion)
  const matches = (one: ServedResource) =>
    one.kind === kind && one.group === group && one.version === version && !one.name.includes('/')
  const found = (await discovery.served()).resources.find(matches)
  if (found || discovery.isFresh) return found ?? null
  return (await discovery.refresh()).resources.find(matches) ?? null
}

/** Group and version of an apiVersion. */
function splitVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/')
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) }
}

/** Resources of a category such as `all`, each in the preferred version; empty when it is none. */
export async function inCategory(discovery: Discovery, word: string): Promise<ServedResource[]> {
  const served = await discovery.served()
  return inOrder(served).filter(
    (one, i, all) =>
      one.categories.includes(word) &&
      all.findIndex((other) => other.group === one.group && other.name === one.name) === i,
  )
}

/** All resources, groups in the order of the server and preferred versions first, without sub-resources. */
export const inOrder = ({ resources }: Served): ServedResource[] =>
  resources.filter(({ name }) => !name.includes('/'))

function find(served: Served, text: string): ServedResource | null {
  const all = inOrder(served)
  const word = text.toLowerCase()
  const [head = '', ...rest] = word.split('.')
  const byWord = (candidates: readonly ServedResource[], name: string) =>
    candidates.find((one) => one.name === name) ??
    candidates.find((one) => one.singularName === name || one.kind.toLowerCase() === name) ??
    candidates.find((one) => one.shortNames.includes(name)) ??
    null
  if (rest.length === 0) return byWord(all, word)
  const [version, ...groupParts] = rest
  const exact = all.filter((one) => one.version === version && one.group === groupParts.join('.'))
  const group = rest.join('.')
  return (
    byWord(exact, head) ??
    byWord(
      all.filter((one) => one.group === group),
      head,
    ) ??
    // The beginning of a group is enough.
    byWord(
      all.filter((one) => one.group.startsWith(group)),
      head,
    )
  )
}
