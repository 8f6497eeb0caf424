import type { FieldErrors } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { t } from '../../notation/shape.ts'

const { kind, shape } = group('autoscaling/v1')

/** Desired state of a scale subresource. */
export class ScaleSpec extends shape({
  /** Desired number of replicas. Must not be negative. */
  replicas: t.int32(1),
}) {}

/** Observed state of a scale subresource. */
export class ScaleStatus extends shape({
  /** Number of replicas that currently exist. */
  replicas: t.int32(1).required(),
  /** Label selector of the counted pods in string form, as used in queries. */
  selector: t.string(2),
}) {}

/** Desired and observed number of replicas of a scalable resource. */
export class Scale extends kind({
  /** Desired number of replicas. */
  spec: t.object(2, ScaleSpec),
  /** Observed number of replicas. Read-only for users. */
  status: t.object(3, ScaleStatus),
}) {}

/** Validates a Scale, without its resource. */
export function validateScale({ spec }: Scale, errors: FieldErrors): void {
  if ((spec.replicas ?? 0) < 0) {
    errors.at('spec', 'replicas').invalid(spec.replicas, 'must be greater than or equal to 0')
  }
}
