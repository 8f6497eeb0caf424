/**
 * Keys of the store: `/registry/<group>/<plural>/[<namespace>/]<name>`, where the group without a name
 * is `core`. In etcd the operator's prefix replaces `/registry`.
 */

/** All keys start with this. */
export const ROOT = '/registry/'

/** No group that users define has a name without a dot, and none of the others has this one. */
const SERVERS = 'servers'

/** Key prefix of a resource's objects. */
export const resourcePrefix = (group: string, plural: string): string =>
  `${ROOT}${group === '' ? 'core' : group}/${plural}/`

/** Group and plural of a prefix that `resourcePrefix` made; null for any other text. */
export function placeOfPrefix(prefix: string): { group: string; plural: string } | null {
  const [group, plural, end] = prefix.slice(ROOT.length).split('/')
  if (!prefix.startsWith(ROOT) || !group || !plural || end !== '') return null
  return { group: group === 'core' ? '' : group, plural }
}

/** Which object of a resource. */
export interface ObjectPlace {
  /** Empty for cluster scope. */
  readonly namespace: string
  readonly name: string
}

/** Of which object a key is that starts with the prefix of its resource. */
export function placeOfKey(key: string, prefix: string): ObjectPlace {
  const rest = key.slice(prefix.length)
  const slash = rest.indexOf('/')
  return { namespace: rest.slice(0, Math.max(slash, 0)), name: rest.slice(slash + 1) }
}

/** Prefix of keys of one sort that belong to the servers: no request reaches them. */
export const serversPrefix = (sort: string): string => `${ROOT}${SERVERS}/${sort}/`

/** Whether a prefix is one of those: its keys exist whatever is served. */
export const isServersPrefix = (prefix: string): boolean => prefix.startsWith(`${ROOT}${SERVERS}/`)

/** The prefix of the resource, or of the servers' sort, that a key belongs to. */
export function tablePrefixOf(key: string): string {
  const group = key.indexOf('/', ROOT.length)
  return key.slice(0, key.indexOf('/', group + 1) + 1)
}
