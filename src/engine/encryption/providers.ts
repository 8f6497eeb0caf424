import { cipherOf, Unreadable, type CipherTools } from './ciphers.ts'
import type { KeyedKind, ProviderConfig } from './config.ts'

/** A decrypted value, as it was passed to the store. */
export interface Opened {
  readonly bytes: Uint8Array
  /** Whether a write would store it another way: under another key, or by another provider. */
  readonly isStale: boolean
}

/** One way of storing values. `about` is the store's key of the value. */
export interface Provider {
  /** Prefix of the stored form, as metrics name it. */
  readonly prefix: string
  seal(bytes: Uint8Array, about: string): Uint8Array
  /** null: the value was stored another way. Throws Unreadable. */
  open(stored: Uint8Array, about: string): Opened | null
}

/** Makes a provider; `mark` is what every encrypted value starts with. */
export function providerOf(config: ProviderConfig, mark: string, tools: CipherTools): Provider {
  if (config.is === 'identity') return identity(Buffer.from(mark))
  return keyed(config, mark, tools)
}

/** Stores values as they are; refuses encrypted data as a value. */
export function identity(mark: Buffer): Provider {
  return {
    prefix: 'identity',
    seal: (bytes) => bytes,
    open: (stored) => (startsWith(stored, mark) ? null : { bytes: stored, isStale: false }),
  }
}

function keyed(
  config: Extract<ProviderConfig, { is: KeyedKind }>,
  mark: string,
  tools: CipherTools,
): Provider {
  const prefix = `${mark}${config.is}:v1:`
  const keys = config.keys.map(({ name, secret }, i) => ({
    prefix: Buffer.from(`${prefix}${name}:`),
    isFirst: i === 0,
    cipher: cipherOf(config.is, secret, tools),
  }))
  const first = keys[0]!
  // A longer name that begins with another name and its colon is the likelier one.
  const tried = keys.toSorted((a, b) => b.prefix.length - a.prefix.length)
  const common = Buffer.from(prefix)
  return {
    prefix,
    seal: (bytes, about) => Buffer.concat([first.prefix, ...first.cipher.seal(bytes, about)]),
    open(stored, about) {
      if (!startsWith(stored, common)) return null
      const faults = new Set<string>()
      for (const key of tried) {
        if (!startsWith(stored, key.prefix)) continue
        try {
          const bytes = key.cipher.open(stored.subarray(key.prefix.length), about)
          return { bytes, isStale: !key.isFirst }
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error
          faults.add(error.message)
        }
      }
      if (faults.size > 0) throw new Unreadable(joined(faults))
      const kind = config.is === 'secretbox' ? 'Secretbox' : 'AES'
      throw new Unreadable(`no matching key was found for the provided ${kind} transformer`)
    },
  }
}

/** Several reasons as one text. */
export function joined(faults: ReadonlySet<string>): string {
  const [first = ''] = faults
  return faults.size === 1 ? first : `[${[...faults].join(', ')}]`
}

/** Whether bytes begin with these. */
function startsWith(bytes: Uint8Array, prefix: Buffer): boolean {
  return bytes.length >= prefix.length && prefix.equals(bytes.subarray(0, prefix.length))
}
