import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind, shape } = group('coordination{api}/v1')

/** Holder, duration and timestamps of a lease. */
export class LeaseSpec extends shape({
  /** Identity of the current holder of the lease. */
  holderIdentity: t.string(1).explicit(),
  /** Seconds that other candidates wait after `renewTime` before they take over the lease. Must be greater than 0. */
  leaseDurationSeconds: t.int32(2).explicit(),
  /** Time at which the current holder acquired the lease. */
  acquireTime: t.microTime(3).explicit(),
  /** Time at which the current holder last renewed the lease. */
  renewTime: t.microTime(4).explicit(),
  /** Number of times the lease changed holders. Must not be negative. */
  leaseTransitions: t.int32(5).explicit(),
}) {}

/** A Lease coordinates components, for instance for leader election or the heartbeats of nodes. */
export class Lease extends kind({
  /** Current state of the lease. */
  spec: t.object(2, LeaseSpec),
}) {}

export const leases = resource(Lease, {
  plural: 'leases',
  scope: 'namespace',
  takesPlainFinalizers: true,
  createOnUpdate: true,
  needsVersionOnUpdate: true,
  sharesParts: true,
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Holder', 'string', ({ spec }) => spec.holderIdentity ?? '', {
      description: 'Current holder of the lease.',
    }),
    ageColumn,
  ],

  validate({ spec }, errors) {
    const at = errors.at('spec')
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = spec
    if (seconds !== undefined && seconds <= 0)
      at.at('leaseDurationSeconds').invalid(seconds, 'must be greater than 0')
    if (transitions !== undefined && transitions < 0)
      at.at('leaseTransitions').invalid(transitions, 'must be greater than or equal to 0')
  },
})
