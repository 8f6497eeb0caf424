import type { PluginFactory } from '../plugin.ts'
import { refusalOf } from '../refusal.ts'

/** Name of the server's own user: without its writes there would be no server that refuses. */
const SERVER = 'system:apiserver'

/** Accepts every request, as a server without it does. */
export const alwaysAdmit: PluginFactory = {
  name: 'AlwaysAdmit',
  defaultOn: false,
  create: () => ({ handles: () => false }),
}

/** Refuses every request but those of the server itself. */
export const alwaysDeny: PluginFactory = {
  name: 'AlwaysDeny',
  defaultOn: false,
  create: () => ({
    handles: () => true,
    mutate(attributes) {
      if (attributes.user.name === SERVER) return
      throw refusalOf(attributes, 'admission control is denying all modifications')
    },
  }),
}
