import type { Attributes as Asked } from '../../authz/authorizer.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { OwnerReference } from '../../meta/object-meta.ts'
import type { AdmissionObject, Attributes } from '../attributes.ts'
import type { PluginDeps, PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/**
 * Who changes the owners of an object must be able to delete it, since its owners decide about its end; who makes an
 * object hold up the deletion of its owner must be able to set finalizers of the owner.
 */
export const ownerReferencesPermissionEnforcement: PluginFactory = {
  name: 'OwnerReferencesPermissionEnforcement',
  defaultOn: false,
  create: (deps) => ({
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    async validate(attributes) {
      const { object, oldObject } = attributes
      const owners = ownersOf(object)
      const before = ownersOf(oldObject)
      if (sameValue(owners, before) || isPodStatus(attributes)) return
      if (attributes.operation !== 'CREATE') await mustDelete(attributes, deps)
      const blocking = newlyBlocking(owners, before)
      if (blocking.length === 0) return
      if ((await verdictOf(anyFinalizers, attributes, deps)) === null) return
      for (const owner of blocking) await mustFinalize(owner, attributes, deps)
    },
  }),
}

const ownersOf = (object: AdmissionObject | null): readonly OwnerReference[] =>
  object?.live.metadata?.ownerReferences ?? []

/** Node agents write the status of pods; what they say of owners is dropped. */
const isPodStatus = ({ resource, subresource }: Attributes): boolean =>
  resource.resource === 'pods' && resource.group === '' && subresource === 'status'

/** The references that hold up the deletion of an owner and did not before. */
function newlyBlocking(
  owners: readonly OwnerReference[],
  before: readonly OwnerReference[],
): readonly OwnerReference[] {
  const blocked = new Set(
    before.filter((owner) => owner.blockOwnerDeletion === true).map(({ uid }) => uid),
  )
  return owners.filter((owner) => owner.blockOwnerDeletion === true && !blocked.has(owner.uid))
}

const question = (asked: Partial<Asked>): Asked => ({
  isResource: true,
  verb: 'update',
  path: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  ...asked,
})

const anyFinalizers = question({
  group: '*',
  version: '*',
  resource: '*',
  subresource: 'finalizers',
  name: '*',
})

/** Why the user may not, as refusals show it; null when the user may. */
async function verdictOf(
  asked: Asked,
  { user }: Attributes,
  { authorizer }: PluginDeps,
): Promise<string | null> {
  const { verdict, reason, error } = await authorizer.authorize(user, asked)
  return verdict === 'allow' ? null : `${reason}, ${error ?? '<nil>'}`
}

async function mustDelete(attributes: Attributes, deps: PluginDeps): Promise<void> {
  const { requestResource, subresource, namespace, name } = attributes
  const asked = question({ verb: 'delete', ...requestResource, subresource, namespace, name })
  const why = await verdictOf(asked, attributes, deps)
  if (why === null) return
  throw refusalOf(attributes, `cannot set an ownerRef on a resource you can't delete: ${why}`)
}

async function mustFinalize(
  { apiVersion, kind, name }: OwnerReference,
  attributes: Attributes,
  deps: PluginDeps,
): Promise<void> {
  const slash = apiVersion.indexOf('/')
  const group = slash === -1 ? '' : apiVersion.slice(0, slash)
  const served = deps.catalogue.findKind(group, apiVersion.slice(slash + 1), kind)
  if (!served) {
    throw refusalOf(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`,
    )
  }
  const { version, resource, namespaced } = served
  const namespace = namespaced ? attributes.namespace : ''
  const asked = question({ group, version, resource, subresource: 'finalizers', namespace, name })
  const why = await verdictOf(asked, attributes, deps)
  if (why === null) return
  throw refusalOf(
    attributes,
    `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${why}`,
  )
}
