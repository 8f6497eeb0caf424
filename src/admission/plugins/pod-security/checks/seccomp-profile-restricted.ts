import type { SeccompProfile } from '../../../../kinds/core/pod/security-context.ts'
import {
  containersText,
  isOnWindows,
  namesOf,
  quoted,
  settersText,
  sortedSet,
  type Check,
  type CheckedPod,
} from '../check.ts'

const replaces = ['seccompProfile_baseline']

/** Pods or all of their containers choose a system call filter. */
export const seccompProfileRestricted: Check = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  revisions: [
    { since: 19, find, replaces },
    { since: 25, find: (pod) => (isOnWindows(pod) ? null : find(pod)), replaces },
  ],
}

function find(pod: CheckedPod) {
  const reason = 'seccompProfile'
  const types: string[] = []
  const isBad = (profile: SeccompProfile | undefined) => {
    if (!profile || profile.type === 'RuntimeDefault' || profile.type === 'Localhost') return false
    types.push(profile.type)
    return true
  }
  const ofPod = pod.spec.securityContext?.seccompProfile
  const podDoes = isBad(ofPod)
  const names = namesOf(pod, ({ securityContext }) => isBad(securityContext?.seccompProfile))
  if (podDoes || names.length > 0) {
    return {
      reason,
      detail: `${settersText(podDoes, names)} must not set securityContext.seccompProfile.type to ${quoted(sortedSet(types))}`,
    }
  }
  if (ofPod) return null
  const silent = namesOf(pod, ({ securityContext }) => !securityContext?.seccompProfile)
  if (silent.length === 0) return null
  return {
    reason,
    detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  }
}
