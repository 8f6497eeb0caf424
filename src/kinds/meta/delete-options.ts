import { home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')

/** Preconditions of a write. If the stored object does not satisfy them, the request fails with 409. */
export class Preconditions extends shape({
  /** UID that the object must have. */
  uid: t.string(1).explicit(),
  /** Resource version that the object must have. */
  resourceVersion: t.string(2).explicit(),
}) {}

/** Options for deleting an object or a collection. */
export class DeleteOptions extends shape({
  /**
   * Seconds the object has to terminate gracefully; zero deletes it immediately. Defaults to the grace period of the
   * object's kind, such as that of the pod. Must not be negative.
   */
  gracePeriodSeconds: t.int64(1).explicit(),
  /** Preconditions that must hold for the object to be deleted. */
  preconditions: t.object(2, Preconditions).explicit(),
  /**
   * Deprecated; use `propagationPolicy`. True keeps the dependents of the object, false deletes them in the background.
   * Mutually exclusive with `propagationPolicy`.
   */
  orphanDependents: t.bool(3).explicit(),
  /**
   * How dependents are garbage collected: `Orphan` keeps them, `Background` deletes them after the object, `Foreground`
   * before it. The default depends on the kind and on the finalizers of the object.
   */
  propagationPolicy: t.string(4).explicit(),
  /** `All` processes the request through all stages without persisting it. No other value is allowed. */
  dryRun: t.list(5, 'string'),
}) {}
