import type { EncryptedEngine } from '../../engine/encryption/encrypted-engine.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Settings } from '../settings.ts'
import { component } from './component.ts'

/** An open store. */
export interface OpenedStore {
  readonly engine: Engine
  /** The same engine, where encryption at rest is configured. */
  readonly encrypted: EncryptedEngine | null
}

/** The engine, wrapped in encryption at rest if that is configured. Throws EncryptionConfigError. */
export const store = ({ options, v, metrics }: Settings) =>
  component({
    name: 'store',
    needs: ['engine', 'catalogue'],
    async start({ engine, catalogue }) {
      const { encryptionConfigFile: path = '' } = options
      if (path === '') return { part: { engine, encrypted: null } }
      const { encryptedEngine } = await import('../../engine/encryption/encrypted-engine.ts')
      const { serverEncryption } = await import('../encryption-config.ts')
      const { encryptionMetrics } = await import('../metrics/encryption-metrics.ts')
      const observe = encryptionMetrics(metrics)
      const encryption = await serverEncryption(path, catalogue, v, observe)
      const encrypted = encryptedEngine(engine, encryption)
      return { part: { engine: encrypted, encrypted } }
    },
  })
