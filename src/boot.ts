import { hookContext, keyOf, type Api } from './api/context.ts'
import { encodeAsWritten, encodeObject } from './api/objects.ts'
import { formatTime } from './base/time.ts'
import type { Served } from './schema/catalogue.ts'
import { Decoding } from './schema/codec.ts'
import type { Typed } from './schema/object-meta.ts'
import type { Change } from './store/store.ts'

const SYSTEM_NAMESPACES = ['default', '{system}-system', '{system}-public', '{system}-node-lease']
const RBAC_PLURALS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const
/** etcd takes no more at once, unless it is told to. */
const MOST_CHANGES = 128

/**
 * Makes what the system cannot do without where it is missing, in one commit: its namespaces, and with `rbac` the
 * standing roles and bindings if there are none at all. True when it made these, so that they need not be looked at.
 */
export async function writeFirstObjects(api: Api, { rbac }: { rbac: boolean }): Promise<boolean> {
  const [namespaces, policy] = await Promise.all([
    missingNamespaces(api),
    rbac ? wholePolicy(api) : [],
  ])
  const changes = [...namespaces, ...policy]
  const commits: ReturnType<Api['cache']['commit']>[] = []
  for (let i = 0; i < changes.length; i += MOST_CHANGES)
    commits.push(api.cache.commit(changes.slice(i, i + MOST_CHANGES)))
  if ((await Promise.all(commits)).every(({ done }) => done)) return policy.length > 0
  // Another server was faster with some of them.
  await ensureSystemNamespaces(api)
  return false
}

/** Makes the namespaces that the system lives in, where they are missing. */
export async function ensureSystemNamespaces(api: Api): Promise<void> {
  const missing = await missingNamespaces(api)
  // Another server may have been faster with one, which is as good.
  await Promise.all(missing.map((change) => api.cache.commit([change])))
}

async function missingNamespaces(api: Api): Promise<Change[]> {
  const served = api.catalogue.find('', 'v1', 'namespaces')
  if (!served) throw new Error('the catalogue has no namespaces')
  const table = await api.cache.table(served.keyPrefix)
  return SYSTEM_NAMESPACES.map((name) => api.v.spell(name))
    .filter((name) => !table.get(keyOf(served, '', name)))
    .map((name) => {
      const sent = { ...typeOf(served), metadata: { name } }
      const object = served.codec.decode(sent, new Decoding()) as unknown as Typed
      return creation(api, served, object)
    })
}

/** All standing roles and bindings; nothing when there are some: then each has to be looked at. */
async function wholePolicy(api: Api): Promise<Change[]> {
  const group = api.v.spell('rbac.authorization{api}')
  const kinds = RBAC_PLURALS.flatMap((plural) => api.catalogue.find(group, 'v1', plural) ?? [])
  const tables = await Promise.all(kinds.map(({ keyPrefix }) => api.cache.table(keyPrefix)))
  if (kinds.length < RBAC_PLURALS.length || tables.some(({ size }) => size > 0)) return []
  const { bootstrapPolicy } = await import('./authz/bootstrap-policy/policy.ts')
  const policy = bootstrapPolicy(api.v)
  const lists = [policy.clusterRoles, policy.clusterRoleBindings, policy.roles, policy.roleBindings]
  // Written as they are stored, and made for this: there is nothing to decode.
  return lists.flatMap((list, i) =>
    list.map(({ metadata: { name, namespace, ...metadata }, ...rest }) => {
      const served = kinds[i]!
      const own = { uid: '', creationTimestamp: '' }
      const object = {
        ...typeOf(served),
        metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...own, ...metadata },
        ...rest,
      }
      return creation(api, served, object, encodeAsWritten)
    }),
  )
}

const typeOf = ({ kind, groupVersion }: Served) => ({ kind, apiVersion: groupVersion })

/** What makes an object of the server's own, in the form that it is stored in, which nobody has to be asked about. */
function creation(
  api: Api,
  served: Served,
  object: Typed,
  encode: typeof encodeObject = encodeObject,
): Change {
  const c = hookContext(api)
  const { metadata } = object
  metadata.uid = api.ids.uid()
  metadata.creationTimestamp = formatTime(c.now)
  served.strategy.fill?.(object, c)
  served.strategy.onCreate?.(object, c)
  served.strategy.canonicalize?.(object, c)
  const key = keyOf(served, metadata.namespace ?? '', metadata.name ?? '')
  return { key, value: encode(served, object), ifChangedAt: 0 }
}
