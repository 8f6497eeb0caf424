import type { FieldErrors } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { t } from '../../notation/shape.ts'

const { kind, shape } = group('autoscaling/v1')

/** How many replicas there shall be. */
export class ScaleSpec extends shape({
  /** Wanted number of replicas. */
  replicas: t.int32(1),
}) {}

/** How many replicas there are. */
export class ScaleStatus extends shape({
  /** Observed number of replicas. */
  replicas: t.int32(1).required(),
  /** Selector of the pods that are counted, as text. */
  selector: t.string(2),
}) {}

/** The number of replicas of something that can be scaled. */
export class Scale extends kind({
  /** How many there shall be. */
  spec: t.object(2, ScaleSpec),
  /** How many there are. */
  status: t.object(3, ScaleStatus),
}) {}

/** All violations of a Scale by itself. */
export function validateScale({ spec }: Scale, errors: FieldErrors): void {
  if ((spec.replicas ?? 0) < 0) {
    errors.at('spec', 'replicas').invalid(spec.replicas, 'must be greater than or equal to 0')
  }
}
