import type { SeccompProfile } from '../../../../kinds/core/pod/security-context.ts'
import {
  namesOf,
  plural,
  quoted,
  settersText,
  sortedSet,
  type Check,
  type CheckedPod,
  type Violation,
} from '../check.ts'

const POD = 'seccomp.security.alpha.{label}/pod'
const CONTAINER = 'container.seccomp.security.alpha.{label}/'

/** Pods and containers do not switch their system call filter off. */
export const seccompProfileBaseline: Check = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  revisions: [
    // Before the fields existed.
    { since: 0, find: inAnnotations },
    { since: 19, find: inFields },
  ],
}

function inAnnotations({ annotations, containers, v }: CheckedPod): Violation | null {
  const keys = [v.resolve(POD), ...containers.map(({ name }) => v.resolve(CONTAINER) + name)]
  const bad = keys
    .filter((key) => Object.hasOwn(annotations, key) && !isAllowedText(annotations[key]!))
    .map((key) => `${key}=${JSON.stringify(annotations[key])}`)
  if (bad.length === 0) return null
  const listed = sortedSet(bad)
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural('annotation', listed.length)} ${listed.join(', ')}`,
  }
}

const isAllowedText = (profile: string) =>
  profile === 'runtime/default' || profile === 'docker/default' || profile.startsWith('localhost/')

function inFields(pod: CheckedPod): Violation | null {
  const types: string[] = []
  const isBad = (profile: SeccompProfile | undefined) => {
    if (!profile || profile.type === 'RuntimeDefault' || profile.type === 'Localhost') return false
    types.push(profile.type)
    return true
  }
  const podDoes = isBad(pod.spec.securityContext?.seccompProfile)
  const names = namesOf(pod, ({ securityContext }) => isBad(securityContext?.seccompProfile))
  if (!podDoes && names.length === 0) return null
  return {
    reason: 'seccompProfile',
    detail: `${settersText(podDoes, names)} must not set securityContext.seccompProfile.type to ${quoted(sortedSet(types))}`,
  }
}
