import { isNonNegative } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind } = group('apps/v1')

/** A former state of a stateful or daemon set, to go back to. */
export class ControllerRevision extends kind({
  /** The state, in a form that its controller knows: any JSON value but null. It cannot change. */
  data: t.raw(2).whole(),
  /** Counts the states of one controller. */
  revision: t.int64(3).required(),
}) {}

/** The kept states of a namespace. */
export const controllerRevisions = resource(ControllerRevision, {
  plural: 'controllerrevisions',
  scope: 'namespace',
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Controller', 'string', controllerOf, { description: 'Object whose state it is.' }),
    column('Revision', 'string', ({ revision }) => revision, {
      description: 'Number of the state.',
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
