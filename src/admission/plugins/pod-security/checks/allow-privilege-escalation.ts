import { containersText, isOnWindows, namesOf, type Check, type CheckedPod } from '../check.ts'

/** Processes of containers cannot gain more privileges than their parents. */
export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  revisions: [
    { since: 8, find },
    { since: 25, find: (pod) => (isOnWindows(pod) ? null : find(pod)) },
  ],
}

function find(pod: CheckedPod) {
  const names = namesOf(
    pod,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  )
  if (names.length === 0) return null
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(names)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}
