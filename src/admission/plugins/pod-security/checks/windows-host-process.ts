import type { WindowsSecurityContextOptions } from '../../../../kinds/core/pod/security-context.ts'
import { namesOf, settersText, type Check } from '../check.ts'

/** Windows containers do not run in the context of their node. */
export const windowsHostProcess: Check = {
  id: 'windowsHostProcess',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find(pod) {
        const isBad = (options: WindowsSecurityContextOptions | undefined) =>
          options?.hostProcess === true
        const podDoes = isBad(pod.spec.securityContext?.windowsOptions)
        const names = namesOf(pod, ({ securityContext }) => isBad(securityContext?.windowsOptions))
        if (!podDoes && names.length === 0) return null
        return {
          reason: 'hostProcess',
          detail: `${settersText(podDoes, names)} must not set securityContext.windowsOptions.hostProcess=true`,
        }
      },
    },
  ],
}
