import { ensureSystemPriorities } from '../bootstrap/system-priorities.ts'
import { component } from './component.ts'

/** Writes the priority classes of the system. */
export const systemPriorities = () =>
  component({
    name: 'systemPriorities',
    needs: ['api', 'admission', 'authorization', 'firstObjects'],
    async start({ api, firstObjects }) {
      await ensureSystemPriorities(api, firstObjects.prepared)
      return { part: null }
    },
  })
