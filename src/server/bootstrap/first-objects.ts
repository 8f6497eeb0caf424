import { keyOf, type Api } from '../../registry/context.ts'
import { InternalWriter, type NewObject } from '../../registry/internal-writer.ts'

const SYSTEM_NAMESPACES = ['default', '{system}-system', '{system}-public', '{system}-node-lease']
const RBAC_PLURALS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const

/**
 * Creates missing objects that the system needs: its namespaces, in one commit, and then with `rbac` the bootstrap
 * policy, in another, if there are no roles and bindings at all. True when it created the policy, which then needs no
 * check.
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

/** Creates the missing system namespaces. */
export async function ensureSystemNamespaces(api: Api): Promise<void> {
  const writer = new InternalWriter(api)
  // Another server may have been faster with one, which is as good.
  const missing = await missingNamespaces(api)
  await Promise.all(missing.map((namespace) => writer.createAll([namespace])))
}

async function missingNamespaces(api: Api): Promise<NewObject[]> {
  const served = api.catalogue.find('', 'v1', 'namespaces')
  if (!served) throw new Error('the catalogue has no namespaces')
  const table = await api.cache.resourceCache(served)
  return SYSTEM_NAMESPACES.map((name) => api.v.resolve(name))
    .filter((name) => !table.get(keyOf(served, '', name)))
    .map((name) => ({ served, namespace: '', object: { metadata: { name } } }))
}

/** The whole bootstrap policy; nothing when there are any roles or bindings: then each has to be checked. */
async function wholePolicy(api: Api): Promise<NewObject[]> {
  const group = api.v.resolve('rbac.authorization{api}')
  const kinds = RBAC_PLURALS.flatMap((plural) => api.catalogue.find(group, 'v1', plural) ?? [])
  const tables = await Promise.all(kinds.map((kind) => api.cache.resourceCache(kind)))
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
