import { containersText, namesOf, plural, sortedSet, type Check } from '../check.ts'

/** Containers do not take ports of their node. */
export const hostPorts: Check = {
  id: 'hostPorts',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find(pod) {
        const taken: string[] = []
        const names = namesOf(pod, ({ ports }) => {
          const bad = (ports ?? []).flatMap(({ hostPort = 0 }) =>
            hostPort === 0 ? [] : [String(hostPort)],
          )
          taken.push(...bad)
          return bad.length > 0
        })
        if (names.length === 0) return null
        const ports = sortedSet(taken)
        const uses = names.length === 1 ? 'uses' : 'use'
        return {
          reason: 'hostPort',
          detail: `${containersText(names)} ${uses} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
        }
      },
    },
  ],
}
