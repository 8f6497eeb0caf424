import { namesOf, settersText, type Check } from '../check.ts'

/** Pods and containers do not choose the user root. */
export const runAsUser: Check = {
  id: 'runAsUser',
  level: 'restricted',
  revisions: [
    {
      since: 23,
      find(pod) {
        const podDoes = isRoot(pod.spec.securityContext?.runAsUser)
        const names = namesOf(pod, ({ securityContext }) => isRoot(securityContext?.runAsUser))
        if (!podDoes && names.length === 0) return null
        return {
          reason: 'runAsUser=0',
          detail: `${settersText(podDoes, names)} must not set runAsUser=0`,
        }
      },
    },
  ],
}

const isRoot = (user: number | bigint | undefined) => user !== undefined && Number(user) === 0
