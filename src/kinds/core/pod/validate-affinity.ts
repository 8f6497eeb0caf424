import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isDns1123Label, isQualifiedName } from '../../../meta/names.ts'
import { validateNodeSelector, validateNodeSelectorTerm } from '../node-selector.ts'
import { validateLabelSelector } from '../volumes/meta-rules.ts'
import type { Affinity, NodeAffinity, PodAffinity, PodAffinityTerm } from './affinity.ts'

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

/** Validates affinity rules; reports to `errors`. */
export function validateAffinity(affinity: Affinity, errors: FieldErrors): void {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  if (nodeAffinity) validateNodeAffinity(nodeAffinity, errors.at('nodeAffinity'))
  if (podAffinity) validatePodAffinity(podAffinity, errors.at('podAffinity'))
  if (podAntiAffinity) validatePodAffinity(podAntiAffinity, errors.at('podAntiAffinity'))
}

function validateNodeAffinity(affinity: NodeAffinity, errors: FieldErrors): void {
  const required = affinity[REQUIRED]
  if (required) validateNodeSelector(required, errors.at(REQUIRED))
  affinity[PREFERRED]?.forEach(({ weight, preference }, i) => {
    const at = errors.at(PREFERRED, i)
    validateWeight(weight, at.at('weight'))
    validateNodeSelectorTerm(preference, at.at('preference'))
  })
}

function validatePodAffinity(affinity: PodAffinity, errors: FieldErrors): void {
  affinity[REQUIRED]?.forEach((term, i) => validateTerm(term, errors.at(REQUIRED, i)))
  affinity[PREFERRED]?.forEach(({ weight, podAffinityTerm }, i) => {
    const at = errors.at(PREFERRED, i)
    validateWeight(weight, at.at('weight'))
    validateTerm(podAffinityTerm, at.at('podAffinityTerm'))
  })
}

function validateWeight(weight: number, errors: FieldErrors): void {
  if (weight < 1 || weight > 100) errors.invalid(weight, 'must be in the range 1-100')
}

function validateTerm(term: PodAffinityTerm, errors: FieldErrors): void {
  const { labelSelector, namespaceSelector, namespaces, topologyKey } = term
  if (labelSelector) validateLabelSelector(labelSelector, errors.at('labelSelector'))
  if (namespaceSelector) validateLabelSelector(namespaceSelector, errors.at('namespaceSelector'))
  namespaces?.forEach((name, i) =>
    errors.at('namespaces', i).invalidAll(name, isDns1123Label(name)),
  )
  const at = errors.at('topologyKey')
  if (topologyKey === '') at.required('can not be empty')
  else at.invalidAll(topologyKey, isQualifiedName(topologyKey))
}
