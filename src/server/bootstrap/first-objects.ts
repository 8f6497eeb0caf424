import { keyOf, type Api } from '../../registry/context.ts'
import { InternalWriter, type NewObject } from '../../registry/internal-writer.ts'

const SYSTEM_NAMESPACES = ['default', '{system}-system', '{system}-public', '{system}-node-lease']
const RBAC_PLURALS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const

/**
 * Makes what the system cannot do without where it is missing: its namespaces, in one commit, and then with `rbac` the
 * standing roles and bindings, in another, if there are none at all. True when it made these, so that they need not be
 * looked at.
 */
export async function writeFirstObjects(api: Api, { rbac }: { rbac: boolean }): Promise<boolean> {
  const writer = new InternalWriter(api)
  const [namespaces, policy] = await Promise.all([
    missingNamespaces(api),
    rbac ? wholePolicy(api) : [],
  ])
  // Another server may have been faster with some of them.
  if (namespaces.length > 0 && !(await writer.createAll(namespaces)))
    await ensureSystemNamespaces(api)
  return policy.length > 0 && (await writer.createAll(policy))
}

/** Makes the namespaces that the system lives in, where they are missing. */
export async function ensureSystemNamespaces(api: Api): Promise<void> {
  const writer = new InternalWriter(api)
  // Another server may have been faster with one, which is as good.
  const missing = await missingNamespaces(api)
  await Promise.all(missing.map((namespace) => writer.createAll([namespace])))
}

async function missingNamespaces(api: Api): Promise<NewObject[]> {
  const served = api.catalogue.find('', 'v1', 'namespaces')
  if (!served) throw new Error('the catalogue has no namespaces')
  const table = await api.cache.table(served)
  return SYSTEM_NAMESPACES.map((name) => api.v.resolve(name))
    .filter((name) => !table.get(keyOf(served, '', name)))
    .map((name) => ({ served, namespace: '', object: { metadata: { name } } }))
}

/** All standing roles and bindings; nothing when there are some: then each has to be looked at. */
async function wholePolicy(api: Api): Promise<NewObject[]> {
  const group = api.v.resolve('rbac.authorization{api}')
  const kinds = RBAC_PLURALS.flatMap((plural) => api.catalogue.find(group, 'v1', plural) ?? [])
  const tables = await Promise.all(kinds.map((kind) => api.cache.table(kind)))
  if (kinds.length < RBAC_PLURALS.length || tables.some(({ size }) => size > 0)) return []
  const { bootstrapPolicy } = await import('../../authz/bootstrap-policy/policy.ts')
  const policy = bootstrapPolicy(api.v)
  const lists = [policy.clusterRoles, policy.clusterRoleBindings, policy.roles, policy.roleBindings]
  return lists.flatMap((list, i) =>
    list.map((object) => ({
      served: kinds[i]!,
      namespace: object.metadata.namespace ?? '',
      object,
    })),
  )
}
