import type { Check } from '../check.ts'

const ALLOWED = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_syncookies',
])

/** Pods set only kernel parameters that do not reach beyond them. */
export const sysctls: Check = {
  id: 'sysctls',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find({ spec }) {
        const bad = (spec.securityContext?.sysctls ?? [])
          .map(({ name }) => name)
          .filter((name) => !ALLOWED.has(name))
        return bad.length === 0 ? null : { reason: 'forbidden sysctls', detail: bad.join(', ') }
      },
    },
  ],
}
