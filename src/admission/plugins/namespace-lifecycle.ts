import { forbidden, notFound, StatusError } from '../../schema/errors.ts'
import type { AdmissionPlugin } from '../plugin.ts'

const NAMESPACES = { group: '', resource: 'namespaces' }
const KEPT = ['default', '{system}-system', '{system}-public']

/**
 * Keeps objects out of namespaces that are absent or going away, and the namespaces that the system
 * lives in from being deleted (seed 1, Admission behaviour rule 5).
 */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  onByDefault: true,
  handles: ['create', 'update', 'delete'],

  async mutate(attempt, { v }, objects) {
    const { operation, namespace, name } = attempt
    if (attempt.group === '' && attempt.resource === 'namespaces') {
      if (operation === 'delete' && KEPT.some((kept) => v.spell(kept) === name)) {
        throw forbidden(NAMESPACES, name, 'this namespace may not be deleted')
      }
      return
    }
    if (!attempt.namespaced || operation === 'delete') return
    const found = await objects.get(NAMESPACES, '', namespace)
    if (!found) throw notFound(NAMESPACES, namespace)
    if (operation !== 'create' || found.metadata.deletionTimestamp === undefined) return
    const refused = forbidden(
      { group: attempt.group, resource: attempt.resource },
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    )
    throw new StatusError(refused.code, refused.reason, refused.message, {
      ...refused.details,
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    })
  },
}
