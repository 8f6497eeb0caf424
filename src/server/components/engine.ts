import type { Settings } from '../settings.ts'
import { storeKinds } from '../store-kinds.ts'
import { component } from './component.ts'

/** Opens the engine that the options name. Throws UnusableDataDir and StoreUnavailable. */
export const engine = (settings: Settings) =>
  component({
    name: 'engine',
    needs: ['dataDir'],
    async start({ dataDir }) {
      const part = await storeKinds[settings.store].open(settings, dataDir)
      return { part, stop: () => part.close() }
    },
  })
