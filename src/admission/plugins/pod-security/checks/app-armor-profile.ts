import { plural, type Check } from '../check.ts'

const PREFIX = 'container.apparmor.security.beta.{label}/'

/** Containers run with the default AppArmor profile of the runtime, or with one of the node. */
export const appArmorProfile: Check = {
  id: 'appArmorProfile',
  level: 'baseline',
  revisions: [
    {
      since: 0,
      find({ annotations, v }) {
        const prefix = v.resolve(PREFIX)
        const bad = Object.keys(annotations)
          .filter((key) => key.startsWith(prefix) && !isAllowed(annotations[key]!))
          .map((key) => `${key}=${JSON.stringify(annotations[key])}`)
          .sort()
        if (bad.length === 0) return null
        return {
          reason: plural('forbidden AppArmor profile', bad.length),
          detail: bad.join(', '),
        }
      },
    },
  ],
}

const isAllowed = (profile: string) =>
  profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/')
