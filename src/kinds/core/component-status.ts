import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { nameColumn } from '../columns.ts'

const { kind, shape } = group('core/v1')

/** One aspect of the health of a component. */
export class ComponentCondition extends shape({
  /** Which aspect; `Healthy` is the one there is. */
  type: t.string(1).required(),
  /** `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** What was found. */
  message: t.string(3),
  /** Why it could not be found out. */
  error: t.string(4),
}) {}

/** Health of one component of the control plane; looked up when it is read. */
export class ComponentStatus extends kind({
  /** What was found. */
  conditions: t.list(2, ComponentCondition).patchBy('type'),
}) {}

const healthy = ({ conditions }: ComponentStatus): ComponentCondition | undefined =>
  conditions?.find(({ type }) => type === 'Healthy')

function health(component: ComponentStatus): string {
  const condition = healthy(component)
  if (!condition) return 'Unknown'
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy'
}

/** The components of the control plane. */
export const componentStatuses = resource(ComponentStatus, {
  plural: 'componentstatuses',
  short: ['cs'],
  scope: 'cluster',
  virtual: 'componentStatuses',
  without: ['create', 'delete', 'deletecollection', 'patch', 'update', 'watch'],
  deprecated: { since: '1.19' },
  columns: [
    nameColumn,
    column('Status', 'string', health, { description: 'Whether it is healthy.' }),
    column('Message', 'string', (component) => healthy(component)?.message ?? '', {
      description: 'What was found.',
    }),
    column('Error', 'string', (component) => healthy(component)?.error ?? '', {
      description: 'Why its health could not be found out.',
    }),
  ],
})
