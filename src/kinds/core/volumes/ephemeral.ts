import type { FieldErrors } from '../../../meta/field-errors.ts'
import { ObjectMeta } from '../../../meta/object-meta.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { home, t } from '../../../notation/shape.ts'
import { PersistentVolumeClaimSpec, validateClaimSpec } from './claim-spec.ts'
import { validateAnnotations, validateLabels } from './meta-rules.ts'

const { shape } = home('core/v1')

/** A persistent volume claim that a pod uses as a volume. */
export class PersistentVolumeClaimVolumeSource extends shape({
  /** Name of a claim in the namespace of the pod. Required. */
  claimName: t.string(1).required(),
  /** Mount the volume read-only in all containers. Defaults to false. */
  readOnly: t.bool(2),
}) {}

/** Template for the claim of an ephemeral volume. */
export class PersistentVolumeClaimTemplate extends shape({
  /** Labels and annotations of the claim. All other metadata is rejected. */
  metadata: t.object(1, ObjectMeta),
  /**
   * Spec of the claim, with the same fields and rules as that of a persistent volume claim.
   * Required.
   */
  spec: t.object(2, PersistentVolumeClaimSpec).required(),
}) {}

/** A volume with a claim that is created for the pod and deleted together with it. */
export class EphemeralVolumeSource extends shape({
  /** Template for the claim, which is named `<pod>-<volume>` and owned by the pod. Required. */
  volumeClaimTemplate: t.object(1, PersistentVolumeClaimTemplate).explicit(),
}) {}

/**
 * Validates an ephemeral volume; reports to `errors`. The volume checks the generated name of the
 * claim.
 */
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
