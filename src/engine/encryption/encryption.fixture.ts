import { createSecretKey } from 'node:crypto'
import type { KeyedKind, NamedKey, ProviderConfig } from './config.ts'
import { openEncryption, type Encryption } from './transformer.ts'

/** Resolves templates with the vocabulary of existing clients. */
export const resolve = (template: string) => template.replaceAll('{api}', '.k8s.io')

/** A key of 32 equal bytes. */
export const key = (name: string, byte: number): NamedKey => ({
  name,
  secret: createSecretKey(Buffer.alloc(32, byte)),
})

/** A provider by its kind and keys. */
export const by = (is: KeyedKind, ...keys: NamedKey[]): ProviderConfig => ({ is, keys })

/** The provider that does nothing. */
export const identity: ProviderConfig = { is: 'identity' }

/** Encrypts keys under `/secrets/`, or the given prefix, by providers in their order. */
export const encryptionOf = (
  providers: readonly ProviderConfig[],
  prefix = '/registry/core/secrets/',
): Promise<Encryption> =>
  openEncryption([{ resources: [{ resource: 'secrets', group: '' }], providers }], {
    resolve,
    keyPrefixOf: () => prefix,
  })

/** The kinds that have keys. */
export const keyedKinds: readonly KeyedKind[] = ['aescbc', 'aesgcm', 'secretbox']
