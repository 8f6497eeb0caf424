import type { SELinuxOptions } from '../../../../kinds/core/pod/security-context.ts'
import { namesOf, plural, quoted, settersText, sortedSet, type Check } from '../check.ts'

const ALLOWED = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t'])

/** Pods and containers choose an SELinux type of containers, and neither user nor role. */
export const seLinuxOptions: Check = {
  id: 'seLinuxOptions',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find(pod) {
        const types: string[] = []
        let user = false
        let role = false
        const isBad = (options: SELinuxOptions | undefined) => {
          if (!options) return false
          const bad = {
            type: !ALLOWED.has(options.type ?? ''),
            user: !!options.user,
            role: !!options.role,
          }
          if (bad.type) types.push(options.type!)
          user ||= bad.user
          role ||= bad.role
          return bad.type || bad.user || bad.role
        }
        const podDoes = isBad(pod.spec.securityContext?.seLinuxOptions)
        const names = namesOf(pod, ({ securityContext }) => isBad(securityContext?.seLinuxOptions))
        if (!podDoes && names.length === 0) return null
        // As in the reference, user and role are listed only beside a forbidden type.
        const listed =
          types.length === 0
            ? []
            : [
                `${plural('type', sortedSet(types).length)} ${quoted(sortedSet(types))}`,
                ...(user ? ['user may not be set'] : []),
                ...(role ? ['role may not be set'] : []),
              ]
        return {
          reason: 'seLinuxOptions',
          detail: `${settersText(podDoes, names)} set forbidden securityContext.seLinuxOptions: ${listed.join('; ')}`,
        }
      },
    },
  ],
}
