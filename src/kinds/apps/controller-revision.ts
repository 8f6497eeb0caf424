import { isNonNegative } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind } = group('apps/v1')

/**
 * Immutable snapshot of the pod template of a StatefulSet or DaemonSet, created by its controller for updates and
 * rollbacks. Controllers rely on it; do not edit it.
 */
export class ControllerRevision extends kind({
  /** Serialized state of the revision: any JSON value but null. Required and immutable. */
  data: t.raw(2).whole(),
  /** Revision number, increasing with each revision of the same owner. Must not be negative. */
  revision: t.int64(3).required(),
}) {}

/** The `controllerrevisions` resource. */
export const controllerRevisions = resource(ControllerRevision, {
  plural: 'controllerrevisions',
  scope: 'namespace',
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Controller', 'string', controllerOf, {
      description: 'Controller that owns the revision.',
    }),
    column('Revision', 'string', ({ revision }) => revision, {
      description: 'Revision number.',
    }),
    ageColumn,
  ],

  validate({ data, revision }, errors) {
    if (data === undefined) errors.at('data').required('data is mandatory')
    errors.at('revision').invalidAll(revision, isNonNegative(revision))
  },

  validateUpdate: (next, old, errors) => errors.at('data').immutable(next.data, old.data),
})

function controllerOf({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller)
  if (!owner) return '<none>'
  const slash = owner.apiVersion.indexOf('/')
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`
  return `${(owner.kind + group).toLowerCase()}/${owner.name}`
}
