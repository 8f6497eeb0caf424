import { systemRandom, Unreadable, type RandomBytes } from './ciphers.ts'
import type { EncryptedResource, EncryptionRule, Resolve } from './config.ts'
import { identity, joined, providerOf, type Opened, type Provider } from './providers.ts'
import { loadSecretbox } from './secretbox-library.ts'
import { TransformError } from './unreadable.ts'

export type { Opened } from './providers.ts'

export interface EncryptionOptions {
  readonly resolve: Resolve
  /** Key prefix of a resource; null when it is never stored. */
  readonly keyPrefixOf: (resource: EncryptedResource) => string | null
  readonly random?: RandomBytes
}

/**
 * Makes the encryption of a list of rules; with no rules, one that only keeps encrypted values from being taken for
 * plain ones. Providers of a resource that several rules name are tried one after the other. Throws EncryptionConfigError.
 */
export async function openEncryption(
  rules: readonly EncryptionRule[],
  { resolve, keyPrefixOf, random = systemRandom }: EncryptionOptions,
): Promise<Encryption> {
  const needsSecretbox = rules.some(({ providers }) => providers.some((p) => p.is === 'secretbox'))
  const tools = { random, secretbox: needsSecretbox ? await loadSecretbox() : null }
  const mark = valuePrefix(resolve)
  const byPrefix = new Map<string, Provider[]>()
  for (const rule of rules) {
    const providers = rule.providers.map((config) => providerOf(config, mark, tools))
    const prefixes = new Set(rule.resources.map(keyPrefixOf))
    for (const prefix of prefixes) {
      if (prefix === null) continue
      byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), ...providers])
    }
  }
  return new Encryption(byPrefix, mark)
}

/** Prefix of encrypted values: the first label of the vendor's domain. */
function valuePrefix(resolve: Resolve): string {
  return `${resolve('{api}').split('.')[1] ?? ''}:enc:`
}

/** Transforms values to their stored form and back, by their key. */
export class Encryption {
  readonly #rules: readonly (readonly [string, readonly Provider[]])[]
  readonly #others: readonly Provider[]

  constructor(byPrefix: ReadonlyMap<string, readonly Provider[]>, mark: string) {
    this.#rules = [...byPrefix]
    this.#others = [identity(Buffer.from(mark))]
  }

  /** Whether a rule names the resource of this key. */
  covers(key: string): boolean {
    return this.#providers(key) !== this.#others
  }

  /** The stored form of a value; the bytes themselves when they are stored as they are. */
  encrypt(key: string, bytes: Uint8Array): Uint8Array {
    return this.#providers(key)[0]!.seal(bytes, key)
  }

  /** The value of a stored form. Throws TransformError. */
  decrypt(key: string, stored: Uint8Array): Opened {
    const faults = new Set<string>()
    for (const [i, provider] of this.#providers(key).entries()) {
      try {
        const opened = provider.open(stored, key)
        if (opened) return i === 0 ? opened : { ...opened, isStale: true }
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        faults.add(error.message)
      }
    }
    throw new TransformError(key, faults.size > 0 ? joined(faults) : 'no matching prefix found')
  }

  #providers(key: string): readonly Provider[] {
    for (const [prefix, providers] of this.#rules) if (key.startsWith(prefix)) return providers
    return this.#others
  }
}
