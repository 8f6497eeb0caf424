import type { FieldErrors } from '../../../meta/field-errors.ts'
import { ObjectMeta } from '../../../meta/object-meta.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { PersistentVolumeClaimSpec, validateClaimSpec } from './claim-spec.ts'
import { validateAnnotations, validateLabels } from './meta-rules.ts'

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

/** Rules of a claim made for a pod, at `errors`; the name that it gets is checked by the volume. */
export function validateEphemeral(
  source: EphemeralVolumeSource,
  errors: FieldErrors,
  c: HookContext,
): void {
  const at = errors.at('volumeClaimTemplate')
  const template = source.volumeClaimTemplate
  if (!template) return at.required()
  validateTemplateMetadata(template.metadata, at.at('metadata'))
  validateClaimSpec(template.spec, at.at('spec'), c)
}

function validateTemplateMetadata(metadata: ObjectMeta, errors: FieldErrors): void {
  validateAnnotations(metadata.annotations, errors.at('annotations'))
  validateLabels(metadata.labels, errors.at('labels'))
  for (const [field, value] of Object.entries(metadata)) {
    if (field === 'labels' || field === 'annotations' || value === undefined) continue
    errors.at(field).forbidden('cannot be set for an ephemeral volume')
  }
}
