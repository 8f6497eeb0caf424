import {
  containersText,
  isOnWindows,
  namesOf,
  quoted,
  sortedSet,
  type Check,
  type CheckedPod,
} from '../check.ts'

const replaces = ['capabilities_baseline']

/** Containers drop all capabilities, and add back at most the one that binds low ports. */
export const capabilitiesRestricted: Check = {
  id: 'capabilities_restricted',
  level: 'restricted',
  revisions: [
    { since: 22, find, replaces },
    { since: 25, find: (pod) => (isOnWindows(pod) ? null : find(pod)), replaces },
  ],
}

function find(pod: CheckedPod) {
  const keeping = namesOf(
    pod,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'),
  )
  const added: string[] = []
  const adding = namesOf(pod, ({ securityContext }) => {
    const bad = (securityContext?.capabilities?.add ?? []).filter(
      (one) => one !== 'NET_BIND_SERVICE',
    )
    added.push(...bad)
    return bad.length > 0
  })
  const details = [
    ...(keeping.length === 0
      ? []
      : [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(adding.length === 0
      ? []
      : [
          `${containersText(adding)} must not include ${quoted(sortedSet(added))} in securityContext.capabilities.add`,
        ]),
  ]
  if (details.length === 0) return null
  return { reason: 'unrestricted capabilities', detail: details.join('; ') }
}
