import { containersText, namesOf, type Check } from '../check.ts'

/** Containers do not run with full access to their node. */
export const privileged: Check = {
  id: 'privileged',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find(pod) {
        const names = namesOf(pod, ({ securityContext }) => securityContext?.privileged === true)
        if (names.length === 0) return null
        return {
          reason: 'privileged',
          detail: `${containersText(names)} must not set securityContext.privileged=true`,
        }
      },
    },
  ],
}
