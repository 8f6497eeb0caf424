import { containersText, namesOf, settersText, type Check } from '../check.ts'

/** Containers are required to run as another user than root. */
export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  level: 'restricted',
  revisions: [
    {
      since: 0,
      find(pod) {
        const reason = 'runAsNonRoot != true'
        const podSets = pod.spec.securityContext?.runAsNonRoot
        const rooted = namesOf(
          pod,
          ({ securityContext }) => securityContext?.runAsNonRoot === false,
        )
        if (podSets === false || rooted.length > 0) {
          const setters = settersText(podSets === false, rooted)
          return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` }
        }
        if (podSets === true) return null
        const silent = namesOf(
          pod,
          ({ securityContext }) => securityContext?.runAsNonRoot === undefined,
        )
        if (silent.length === 0) return null
        return {
          reason,
          detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true`,
        }
      },
    },
  ],
}
