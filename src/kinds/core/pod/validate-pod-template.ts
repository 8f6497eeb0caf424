import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { checkPart } from '../../../meta/known-parts.ts'
import { validateAnnotations, validateLabels } from '../volumes/meta-rules.ts'
import type { PodSpec } from './pod-spec.ts'
import type { PodTemplateSpec } from './pod-template.ts'
import { validateSeccompMatch } from './seccomp-annotations.ts'
import { validatePodAnnotations } from './validate-annotations.ts'
import { validatePodSpec } from './validate-pod-spec.ts'

/**
 * Validates a pod template; reports to `errors`. `old` is the stored spec of the template, on
 * update.
 */
export function validatePodTemplate(
  template: PodTemplateSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: PodSpec,
): void {
  const { parts } = c
  // What the stored spec allows it allows again when it is this one.
  if (parts?.pass(validatePodTemplate, template)) return
  const before = errors.list.length
  const { metadata, spec } = template
  const { labels, annotations } = metadata
  if (labels) checkPart(labels, errors.at('metadata', 'labels'), c, validateLabels)
  if (annotations) {
    const at = errors.at('metadata', 'annotations')
    checkPart(annotations, at, c, validateAnnotations)
    validatePodAnnotations(annotations, spec, at, c)
  }
  const inside = errors.at('spec')
  validatePodSpec(spec, inside, c, old ? { old, like: old } : {})
  validateSeccompMatch(spec, metadata, inside, c)
  if (spec.ephemeralContainers?.length) {
    inside.at('ephemeralContainers').forbidden('ephemeral containers not allowed in pod template')
  }
  if (errors.list.length === before) parts?.add(validatePodTemplate, template)
}
