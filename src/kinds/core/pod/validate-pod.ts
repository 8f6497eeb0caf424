import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { Pod } from './pod.ts'
import { validateSeccompMatch } from './seccomp-annotations.ts'
import { validatePodAnnotations } from './validate-annotations.ts'
import { validateImages } from './validate-container.ts'
import { validatePodSpec } from './validate-pod-spec.ts'

/** Validates a pod; features that the stored one uses remain allowed. */
export function validatePod(pod: Pod, errors: FieldErrors, c: HookContext, old?: Pod): void {
  const { metadata, spec } = pod
  const at = errors.at('spec')
  validatePodAnnotations(metadata.annotations ?? {}, spec, errors.at('metadata', 'annotations'), c)
  const like = (c.parts?.like as Pod | null | undefined)?.spec
  validatePodSpec(spec, at, c, old ? { pod: metadata, old: old.spec } : { pod: metadata, like })
  validateImages(spec.containers, at.at('containers'))
  validateImages(spec.initContainers, at.at('initContainers'))
  if ((spec.serviceAccountName ?? '') === '') refuseTokens(pod, at)
  // Only an object that is being created has no resourceVersion.
  if (metadata.resourceVersion === undefined) validateNewPod(pod, at, c)
}

function validateNewPod({ metadata, spec }: Pod, errors: FieldErrors, c: HookContext): void {
  if (spec.ephemeralContainers?.length) {
    errors.at('ephemeralContainers').forbidden('cannot be set on create')
  }
  validateSeccompMatch(spec, metadata, errors, c)
}

/** A token needs an account; `errors` is the spec. */
function refuseTokens({ spec }: Pod, errors: FieldErrors): void {
  spec.volumes?.forEach(({ projected }, i) => {
    projected?.sources?.forEach(({ serviceAccountToken }, j) => {
      if (!serviceAccountToken) return
      errors
        .at('volumes', i, 'projected', 'sources', j, 'serviceAccountToken')
        .forbidden('must not be specified when serviceAccountName is not set')
    })
  })
}
