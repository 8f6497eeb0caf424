/** Keys of the store in etcd: below the operator's prefix, in the store's order. */
import { ROOT } from '../../base/store-keys.ts'

/** A run of neighbouring keys of etcd. */
export interface Span {
  readonly from: string
  readonly end: string
}

/** Translates keys both ways. */
export class Layout {
  /** Prefix of every key. */
  readonly root: string
  /** First key after all of them. */
  readonly end: string
  /** A key of the engine's own below the root. */
  readonly marker: string
  /** Whether keys are the same in both, as they are below the usual prefix. */
  readonly #isSame: boolean

  constructor(prefix: string) {
    const trimmed = prefix.replace(/\/+$/, '')
    this.root = `${trimmed.startsWith('/') ? trimmed : `/${trimmed}`}/`.replace(/^\/+/, '/')
    this.end = after(this.root)
    this.marker = `${this.root}.revision`
    this.#isSame = this.root === ROOT
  }

  /** The etcd key of a key of the store, or of a prefix of keys. Throws for keys that have none. */
  toEtcd(key: string): string {
    const place = this.#isSame ? key : this.root + key.slice(ROOT.length)
    if (!key.startsWith(ROOT) || place === this.marker)
      throw new Error(`the key ${key} has no place in etcd`)
    return place
  }

  /** The key of the store for an etcd key; null when there can be none. */
  toKey(place: string): string | null {
    if (!place.startsWith(this.root) || place === this.marker) return null
    return this.#isSame ? place : ROOT + place.slice(this.root.length)
  }

  /** The etcd range of the keys that start with `prefix`, from `start` on; null when there can be none. */
  span(prefix: string, start = ''): Span | null {
    const whole = prefix.startsWith(ROOT) ? prefix : ROOT
    if (!whole.startsWith(prefix)) return null
    const end = after(this.toEtcd(whole))
    if (isBefore(start, whole)) return { from: this.toEtcd(whole), end }
    return start.startsWith(whole) ? { from: this.toEtcd(start), end } : null
  }
}

/** The first key after all that start with `prefix`. */
function after(prefix: string): string {
  // Prefixes end in characters of one byte, or are whole keys up to a name.
  const bytes = Buffer.from(prefix)
  const last = bytes.at(-1)!
  if (last >= 0x7f) return `${prefix}\u{10ffff}`
  return prefix.slice(0, -1) + String.fromCharCode(last + 1)
}

/** Order of the UTF-8 bytes. */
function isBefore(a: string, b: string): boolean {
  return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0
}
