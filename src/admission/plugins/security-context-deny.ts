import type { PluginFactory } from '../plugin.ts'
import { podOf, PODS } from '../pods.ts'
import { refusalOf } from '../refusal.ts'

/** Members as they are read, and as the refusal names them. */
const OF_POD = [
  ['supplementalGroups', 'SupplementalGroups'],
  ['seLinuxOptions', 'SELinuxOptions'],
  ['runAsUser', 'RunAsUser'],
  ['fsGroup', 'FSGroup'],
] as const
const OF_CONTAINER = [
  ['seLinuxOptions', 'SELinuxOptions'],
  ['runAsUser', 'RunAsUser'],
] as const

/** Refuses pods that choose users, groups or SELinux labels. */
export const securityContextDeny: PluginFactory = {
  name: 'SecurityContextDeny',
  defaultOn: false,
  create: () => ({
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    resources: PODS,
    validate(attributes) {
      const { spec } = podOf(attributes)
      for (const [member, shown] of OF_POD) {
        if (spec.securityContext?.[member] === undefined) continue
        throw refusalOf(attributes, `pod.Spec.SecurityContext.${shown} is forbidden`)
      }
      for (const { securityContext } of [...(spec.initContainers ?? []), ...spec.containers]) {
        for (const [member, shown] of OF_CONTAINER) {
          if (securityContext?.[member] === undefined) continue
          throw refusalOf(attributes, `SecurityContext.${shown} is forbidden`)
        }
      }
    },
  }),
}
