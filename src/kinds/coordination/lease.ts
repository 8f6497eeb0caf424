import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'

const { kind, shape } = group('coordination{api}/v1')

/** Who holds the lease, and how long. */
export class LeaseSpec extends shape({
  /** Who holds it. */
  holderIdentity: t.string(1).explicit(),
  /** Seconds after which others may take it when it was not renewed. */
  leaseDurationSeconds: t.int32(2).explicit(),
  /** When the holder took it. */
  acquireTime: t.microTime(3).explicit(),
  /** When the holder last renewed it. */
  renewTime: t.microTime(4).explicit(),
  /** How often it went from one holder to another. */
  leaseTransitions: t.int32(5).explicit(),
}) {}

/** Something that one of several programs holds at a time, such as the lead among them. */
export class Lease extends kind({
  /** Who holds it, and how long. */
  spec: t.object(2, LeaseSpec),
}) {}

export const leases = resource(Lease, {
  plural: 'leases',
  scope: 'namespace',
  createOnUpdate: true,
  needsVersionOnUpdate: true,
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Holder', 'string', ({ spec }) => spec.holderIdentity ?? '', {
      description: 'Who holds it.',
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
