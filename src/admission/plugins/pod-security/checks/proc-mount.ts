import { containersText, namesOf, quoted, sortedSet, type Check } from '../check.ts'

/** Containers do not unmask the proc file system. */
export const procMount: Check = {
  id: 'procMount',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find(pod) {
        const mounts: string[] = []
        const names = namesOf(pod, ({ securityContext: { procMount: mount } = {} }) => {
          if (mount === undefined || mount === 'Default') return false
          mounts.push(mount)
          return true
        })
        if (names.length === 0) return null
        return {
          reason: 'procMount',
          detail: `${containersText(names)} must not set securityContext.procMount to ${quoted(sortedSet(mounts))}`,
        }
      },
    },
  ],
}
