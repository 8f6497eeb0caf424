import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { nameColumn } from '../columns.ts'

const { kind, shape } = group('core/v1')

/** One observed condition of a control plane component. */
export class ComponentCondition extends shape({
  /** Type of the condition. `Healthy` is the only one in use. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /** Response of the health check, in a human-readable form. */
  message: t.string(3),
  /** Error that prevented the health check, if any. */
  error: t.string(4),
}) {}

/**
 * Health of one component of the control plane, checked on every read. Deprecated and read-only.
 */
export class ComponentStatus extends kind({
  /** Observed conditions of the component, one for each type. */
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
    column('Status', 'string', health, { description: 'Health of the component.' }),
    column('Message', 'string', (component) => healthy(component)?.message ?? '', {
      description: 'Response of the health check.',
    }),
    column('Error', 'string', (component) => healthy(component)?.error ?? '', {
      description: 'Error that prevented the health check.',
    }),
  ],
})
