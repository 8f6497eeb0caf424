import { openAuthorization } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** Who may do what. */
export const authorization = ({ options, v, clock, log }: Settings) =>
  component({
    name: 'authorization',
    needs: ['objects'],
    async start({ objects }) {
      const part = await openAuthorization(options.authorization ?? {}, { v, clock, log, objects })
      return { part, stop: () => part.close() }
    },
  })
