import { home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')

/** What must hold for a deletion to happen. */
export class Preconditions extends shape({
  /** uid that the object must have. */
  uid: t.string(1).explicit(),
  /** resourceVersion that the object must have. */
  resourceVersion: t.string(2).explicit(),
}) {}

/** How to delete. */
export class DeleteOptions extends shape({
  /** Seconds the object is given to end; 0 removes it at once. */
  gracePeriodSeconds: t.int64(1).explicit(),
  /** What must hold. */
  preconditions: t.object(2, Preconditions).explicit(),
  /** Older way to say `Orphan` or `Background`. */
  orphanDependents: t.bool(3).explicit(),
  /** What becomes of dependents: `Orphan`, `Background` or `Foreground`. */
  propagationPolicy: t.string(4).explicit(),
  /** `All`: do everything but store it. */
  dryRun: t.list(5, 'string'),
}) {}
