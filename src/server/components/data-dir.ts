import { StartingDataDir } from '../data-dir.ts'
import type { Settings } from '../settings.ts'
import { storeKinds } from '../store-kinds.ts'
import { component } from './component.ts'

/** The data directory, if there is one. Files of a failed start are removed after everything else. */
export const dataDir = ({ options, store }: Settings) =>
  component({
    name: 'dataDir',
    start() {
      const part = options.dataDir === undefined ? null : new StartingDataDir(options.dataDir)
      const { locksDataDir: isLocked } = storeKinds[store]
      return { part, stop: () => part?.discard({ isLocked }) }
    },
  })
