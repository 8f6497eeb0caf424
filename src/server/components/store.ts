import type { EncryptedEngine } from '../../engine/encryption/encrypted-engine.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** A store that is there; `encrypted` is `engine`, where it keeps what is written there from others. */
export interface OpenedStore {
  readonly engine: Engine
  readonly encrypted: EncryptedEngine | null
}

/** The engine, with encryption at rest over it where that is asked for. Throws EncryptionConfigError. */
export const store = ({ options, v }: Settings) =>
  component({
    name: 'store',
    needs: ['engine', 'catalogue'],
    async start({ engine, catalogue }) {
      const { encryptionConfigFile: path = '' } = options
      if (path === '') return { part: { engine, encrypted: null } }
      const { encryptedEngine } = await import('../../engine/encryption/encrypted-engine.ts')
      const { serverEncryption } = await import('../encryption.ts')
      const encrypted = await encryptedEngine(engine, await serverEncryption(path, catalogue, v))
      return { part: { engine: encrypted, encrypted } }
    },
  })
