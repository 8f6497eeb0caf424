import { ObjectMeta } from '../../../schema/object-meta.ts'
import { home, t } from '../../../schema/shape.ts'
import { PersistentVolumeClaimSpec } from './claim-spec.ts'

const { shape } = home('core/v1')

/** Names a claim of the pod's namespace. */
export class PersistentVolumeClaimVolumeSource extends shape({
  /** Name of the claim. */
  claimName: t.string(1).required(),
  /** Whether it is mounted read-only. */
  readOnly: t.bool(2),
}) {}

/** What the claim made for a pod looks like. */
export class PersistentVolumeClaimTemplate extends shape({
  /** Labels and annotations of the claim; nothing else may be set. */
  metadata: t.object(1, ObjectMeta),
  /** Spec of the claim. */
  spec: t.object(2, PersistentVolumeClaimSpec).required(),
}) {}

/** A claim that is made for the pod and goes away with it. */
export class EphemeralVolumeSource extends shape({
  /** The claim; it is named after the pod and the volume, joined by `-`. */
  volumeClaimTemplate: t.object(1, PersistentVolumeClaimTemplate).explicit(),
}) {}
