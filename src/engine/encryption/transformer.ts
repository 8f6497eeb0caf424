import { systemRandom, Unreadable, type RandomBytes } from './ciphers.ts'
import type { EncryptedResource, EncryptionRule, Resolve } from './config.ts'
import { identity, joined, providerOf, type Opened, type Provider } from './providers.ts'
import { loadSecretbox } from './secretbox-library.ts'
import { TransformError } from './unreadable.ts'

export type { Opened } from './providers.ts'

/** Told of each value that was encrypted or decrypted: by which provider, and whether that was possible. */
export type ObserveTransformation = (
  type: 'to_storage' | 'from_storage',
  prefix: string,
  ms: number,
  isDone: boolean,
) => void

export interface EncryptionOptions {
  readonly resolve: Resolve
  /** Key prefix of a resource; null when it is never stored. */
  readonly keyPrefixOf: (resource: EncryptedResource) => string | null
  readonly random?: RandomBytes
  readonly observe?: ObserveTransformation | undefined
}

/**
 * Makes the encryption of a list of rules; with no rules, one that only keeps encrypted values from being taken for
 * plain ones. Providers of a resource that several rules name are tried one after the other. Throws EncryptionConfigError.
 */
export async function openEncryption(
  rules: readonly EncryptionRule[],
  { resolve, keyPrefixOf, random = systemRandom, observe }: EncryptionOptions,
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
  return new Encryption(byPrefix, mark, observe)
}

/** Prefix of encrypted values: the first label of the vendor's domain. */
function valuePrefix(resolve: Resolve): string {
  return `${resolve('{api}').split('.')[1] ?? ''}:enc:`
}

/** Transforms values to their stored form and back, by their key. */
export class Encryption {
  readonly #rules: readonly (readonly [string, readonly Provider[]])[]
  readonly #others: readonly Provider[]

  readonly #observe: ObserveTransformation | null

  constructor(
    byPrefix: ReadonlyMap<string, readonly Provider[]>,
    mark: string,
    observe?: ObserveTransformation,
  ) {
    this.#rules = [...byPrefix]
    this.#observe = observe ?? null
    this.#others = [identity(Buffer.from(mark))]
  }

  /** Whether a rule names the resource of this key. */
  covers(key: string): boolean {
    return this.#providers(key) !== this.#others
  }

  /** The stored form of a value; the bytes themselves when they are stored as they are. */
  encrypt(key: string, bytes: Uint8Array): Uint8Array {
    const providers = this.#providers(key)
    const [provider] = providers as [Provider]
    // Values that no rule names are not transformed.
    if (this.#observe === null || providers === this.#others) return provider.seal(bytes, key)
    const start = performance.now()
    const sealed = provider.seal(bytes, key)
    this.#observe('to_storage', provider.prefix, performance.now() - start, true)
    return sealed
  }

  /** The value of a stored form. Throws TransformError. */
  decrypt(key: string, stored: Uint8Array): Opened {
    const providers = this.#providers(key)
    const observe = providers === this.#others ? null : this.#observe
    const start = observe === null ? 0 : performance.now()
    const faults = new Set<string>()
    for (const [i, provider] of providers.entries()) {
      try {
        const opened = provider.open(stored, key)
        if (!opened) continue
        observe?.('from_storage', provider.prefix, performance.now() - start, true)
        return i === 0 ? opened : { ...opened, isStale: true }
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        observe?.('from_storage', provider.prefix, performance.now() - start, false)
        faults.add(error.message)
      }
    }
    if (faults.size === 0) observe?.('from_storage', 'unknown', performance.now() - start, false)
    throw new TransformError(key, faults.size > 0 ? joined(faults) : 'no matching prefix found')
  }

  #providers(key: string): readonly Provider[] {
    for (const [prefix, providers] of this.#rules) if (key.startsWith(prefix)) return providers
    return this.#others
  }
}
