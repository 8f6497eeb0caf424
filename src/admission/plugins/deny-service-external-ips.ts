import type { Service } from '../../kinds/core/service/service.ts'
import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Prevents new external IPs of services, which divert traffic for those addresses to the service. */
export const denyServiceExternalIps: PluginFactory = {
  name: 'DenyServiceExternalIPs',
  defaultOn: false,
  create: () => ({
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    resources: [{ group: '', resource: 'services' }],
    validate(attributes) {
      const { object, oldObject } = attributes
      const wanted = (object!.live as Service).spec?.externalIPs ?? []
      const present = (oldObject?.live as Service | undefined)?.spec?.externalIPs ?? []
      if (wanted.every((ip) => present.includes(ip))) return
      throw refusalOf(attributes, 'Use of external IPs is denied by admission control')
    },
  }),
}
