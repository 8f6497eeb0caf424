import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import { keyOf, type Api, type WriteDependencies } from '../../registry/context.ts'
import { InternalWriter, type NewObject } from '../../registry/internal-writer.ts'
import { commitAll } from '../../registry/object-changes.ts'
import type { Preparation } from './prepared-objects.ts'

const SYSTEM_NAMESPACES = ['default', '{system}-system', '{system}-public', '{system}-node-lease']
const RBAC_PLURALS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const

/** Which objects to write, and how. */
interface FirstObjectsOptions {
  /** Whether the bootstrap policy is among them. */
  readonly rbac: boolean
  /** Stored forms that need not be made any more. */
  readonly prepared?: Preparation
}

/** Nothing is prepared. */
const nothing = () => null

/**
 * Creates missing objects that the system needs: its namespaces, in one commit, and then with `rbac` the bootstrap
 * policy, in another, if there are no roles and bindings at all. True when it created the policy, which then needs no
 * check.
 */
export async function writeFirstObjects(
  api: Api,
  { rbac, prepared = nothing }: FirstObjectsOptions,
): Promise<boolean> {
  const [namespaces, kinds] = await Promise.all([
    missingNamespaces(api),
    rbac ? kindsWithoutObjects(api) : [],
  ])
  // Another server may have been faster with some of them.
  if (namespaces.length > 0 && !(await createNamespaces(api, namespaces, prepared)))
    await ensureSystemNamespaces(api)
  return kinds.length > 0 && createPolicy(api, kinds, prepared)
}

/** Creates the missing system namespaces. */
export async function ensureSystemNamespaces(api: Api): Promise<void> {
  const writer = new InternalWriter(api)
  // Another server may have been faster with one, which is as good.
  const missing = await missingNamespaces(api)
  await Promise.all(missing.map((namespace) => writer.createAll([namespace])))
}

function createNamespaces(
  api: Api,
  missing: readonly NewObject[],
  prepared: Preparation,
): Promise<boolean> {
  const served = namespacesOf(api)
  const keys = new Set(missing.map((one) => keyOf(served, '', nameOf(one))))
  const changes = prepared()?.creations(api, served, (key) => keys.has(key))
  return changes?.length === missing.length
    ? commitAll(api.cache, changes)
    : new InternalWriter(api).createAll(missing)
}

async function createPolicy(
  api: Api,
  kinds: readonly ResourceEntry[],
  prepared: Preparation,
): Promise<boolean> {
  const changes = kinds.map((kind) => prepared()?.creations(api, kind) ?? null)
  if (changes.every((of) => of !== null)) return commitAll(api.cache, changes.flat())
  return new InternalWriter(api).createAll(await policyObjects(api))
}

async function missingNamespaces(api: Api): Promise<NewObject[]> {
  const served = namespacesOf(api)
  const table = await api.cache.resourceCache(served)
  return systemNamespaces(api).filter((one) => !table.get(keyOf(served, '', nameOf(one))))
}

const nameOf = ({ object }: NewObject): string =>
  (object as { readonly metadata: { readonly name: string } }).metadata.name

function namespacesOf({ catalogue }: Pick<Api, 'catalogue'>): ResourceEntry {
  const served = catalogue.find('', 'v1', 'namespaces')
  if (!served) throw new Error('the catalogue has no namespaces')
  return served
}

/** The namespaces of the system. */
export function systemNamespaces(api: Pick<WriteDependencies, 'catalogue' | 'v'>): NewObject[] {
  const served = namespacesOf(api)
  return SYSTEM_NAMESPACES.map((name) => ({
    served,
    namespace: '',
    object: { metadata: { name: api.v.resolve(name) } },
  }))
}

function policyKinds({ catalogue, v }: Pick<WriteDependencies, 'catalogue' | 'v'>) {
  const group = v.resolve('rbac.authorization{api}')
  return RBAC_PLURALS.flatMap((plural) => catalogue.find(group, 'v1', plural) ?? [])
}

/** The kinds of the policy; none when there are any roles or bindings: then each has to be checked. */
async function kindsWithoutObjects(api: Api): Promise<readonly ResourceEntry[]> {
  const kinds = policyKinds(api)
  const tables = await Promise.all(kinds.map((kind) => api.cache.resourceCache(kind)))
  return kinds.length < RBAC_PLURALS.length || tables.some(({ size }) => size > 0) ? [] : kinds
}

/** The whole bootstrap policy. */
export async function policyObjects(
  api: Pick<WriteDependencies, 'catalogue' | 'v'>,
): Promise<NewObject[]> {
  const kinds = policyKinds(api)
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
