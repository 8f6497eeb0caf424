import { forbidden, notFound, StatusError } from '../../meta/errors.ts'
import type { Attributes } from '../attributes.ts'
import { objectNamed, whenKnown } from '../now-or-later.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

const NAMESPACES = { group: '', resource: 'namespaces' }
const KEPT = ['default', '{system}-system', '{system}-public']

/**
 * Keeps objects out of namespaces that are absent or being deleted, and prevents the deletion of the system
 * namespaces.
 */
export const namespaceLifecycle: PluginFactory = {
  name: 'NamespaceLifecycle',
  defaultOn: true,
  create: ({ v, objects }) => ({
    handles: (operation) => operation !== 'CONNECT',
    keepsParts: true,
    // An object that is there has a namespace.
    passesAgain: () => true,
    mutate(attributes) {
      const { operation, namespace, name, resource } = attributes
      if (resource.group === '' && resource.resource === 'namespaces') {
        if (operation === 'DELETE' && KEPT.some((kept) => v.resolve(kept) === name)) {
          throw forbidden(NAMESPACES, name, 'this namespace may not be deleted')
        }
        return
      }
      if (namespace === '' || operation === 'DELETE') return
      return whenKnown(objectNamed(objects, NAMESPACES, { name: namespace }), (found) => {
        if (!found) throw notFound(NAMESPACES, namespace)
        if (operation === 'CREATE' && found.metadata.deletionTimestamp !== undefined)
          throw terminating(attributes)
      })
    },
  }),
}

function terminating(attributes: Attributes): StatusError {
  const { namespace } = attributes
  const refused = refusalOf(
    attributes,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  return new StatusError(refused.code, refused.reason, refused.message, {
    ...refused.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  })
}
