import { hookContext, keyOf, type Api } from './api/context.ts'
import { encodeObject } from './api/objects.ts'
import { formatTime } from './base/time.ts'
import { Decoding } from './schema/codec.ts'
import type { Typed } from './schema/object-meta.ts'

const PLURALS = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'] as const

/**
 * Makes the standing roles and bindings of a store that has none, all at once, so that they are there when the server
 * is. False when there are some: then each has to be looked at.
 */
export async function seedBootstrapPolicy(api: Api): Promise<boolean> {
  const group = api.v.spell('rbac.authorization{api}')
  const kinds = PLURALS.map((plural) => api.catalogue.find(group, 'v1', plural))
  for (const served of kinds) {
    if (!served || (await api.cache.table(served.keyPrefix)).size > 0) return false
  }
  const { bootstrapPolicy } = await import('./authz/bootstrap-policy/policy.ts')
  const policy = bootstrapPolicy(api.v)
  const c = hookContext(api)
  const lists = [policy.clusterRoles, policy.clusterRoleBindings, policy.roles, policy.roleBindings]
  const changes = lists.flatMap((list, i) => {
    const served = kinds[i]!
    return list.map((wanted) => {
      const object = served.codec.decode(
        { kind: served.kind, apiVersion: served.groupVersion, ...wanted },
        new Decoding(),
      ) as unknown as Typed
      object.metadata.uid = api.ids.uid()
      object.metadata.creationTimestamp = formatTime(c.now)
      served.declaration.fill?.(object, c)
      const key = keyOf(served, wanted.metadata.namespace ?? '', wanted.metadata.name)
      return { key, value: encodeObject(served, object), ifChangedAt: 0 }
    })
  })
  // Where another server was faster, its objects are looked at like any.
  return (await api.cache.commit(changes)).done
}
