import { containersText, namesOf, quoted, sortedSet, type Check } from '../check.ts'

const ALLOWED = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

/** Containers add no capabilities beyond those that runtimes give by default. */
export const capabilitiesBaseline: Check = {
  id: 'capabilities_baseline',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find(pod) {
        const added: string[] = []
        const names = namesOf(pod, ({ securityContext }) => {
          const bad = (securityContext?.capabilities?.add ?? []).filter((one) => !ALLOWED.has(one))
          added.push(...bad)
          return bad.length > 0
        })
        if (names.length === 0) return null
        return {
          reason: 'non-default capabilities',
          detail: `${containersText(names)} must not include ${quoted(sortedSet(added))} in securityContext.capabilities.add`,
        }
      },
    },
  ],
}
