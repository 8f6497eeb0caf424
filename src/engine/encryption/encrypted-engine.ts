import type {
  Change,
  Commit,
  Engine,
  Event,
  Item,
  Page,
  RangeOptions,
  Revision,
} from '../engine.ts'
import type { Encryption } from './transformer.ts'
import { TransformError, unreadableValue } from './unreadable.ts'

/** An engine whose users see plain values and whose files do not. */
export interface EncryptedEngine extends Engine {
  /**
   * Whether a write of the same value would store it another way: under the present key, by the present provider.
   * False for an absent key. Throws TransformError.
   */
  isStale(key: string): Promise<boolean>
}

/**
 * Encrypts values between an engine and its users. A value that cannot be decrypted throws TransformError where only it
 * is read; in a range it is reported as `unreadableValue`, so that the others can be read.
 */
export function encryptedEngine(engine: Engine, encryption: Encryption): EncryptedEngine {
  return new Encrypting(engine, encryption)
}

class Encrypting implements EncryptedEngine {
  readonly #engine: Engine
  readonly #encryption: Encryption
  /** Values by the stored form that was just made of them: an event with the same bytes needs no decryption. */
  readonly #decrypted = new WeakMap<Uint8Array, Uint8Array>()
  readonly latest?: (traceparent?: string) => Promise<Revision>
  readonly pageBytes?: number

  constructor(engine: Engine, encryption: Encryption) {
    this.#engine = engine
    this.#encryption = encryption
    if (engine.latest) this.latest = (trace) => engine.latest!(trace)
    if (engine.pageBytes !== undefined) this.pageBytes = engine.pageBytes
  }

  get name(): string {
    return this.#engine.name
  }

  get isShared(): boolean {
    return this.#engine.isShared
  }

  revision(): Revision {
    return this.#engine.revision()
  }

  oldest(): Revision {
    return this.#engine.oldest()
  }

  async commit(changes: readonly Change[]): Promise<Commit> {
    const commit = await this.#engine.commit(changes.map((change) => this.#sealed(change)))
    if (commit.done || !commit.found) return commit
    return { ...commit, found: this.#openedAmong(commit.found) }
  }

  async get(key: string, options?: { readonly at?: Revision }): Promise<Item | null> {
    const item = await this.#engine.get(key, options)
    return item && this.#opened(item)
  }

  async range(prefix: string, options?: RangeOptions): Promise<Page> {
    const page = await this.#engine.range(prefix, options)
    return { ...page, items: page.items.map((item) => this.#openedAmong(item)) }
  }

  async *changes(prefix: string, from: Revision, to: Revision): AsyncGenerator<readonly Event[]> {
    for await (const events of this.#engine.changes(prefix, from, to))
      yield events.map((event) => this.#told(event))
  }

  subscribe(listener: (events: readonly Event[]) => void): () => void {
    return this.#engine.subscribe((events) => listener(events.map((event) => this.#told(event))))
  }

  compact(upTo: Revision): Promise<void> {
    return this.#engine.compact(upTo)
  }

  revisionAt(timeMs: number): Revision {
    return this.#engine.revisionAt(timeMs)
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  async isStale(key: string): Promise<boolean> {
    if (!this.#encryption.covers(key)) return false
    const item = await this.#engine.get(key)
    return item !== null && this.#encryption.decrypt(key, item.value).isStale
  }

  #sealed(change: Change): Change {
    const { key, value } = change
    if (value === null) return change
    const stored = this.#encryption.encrypt(key, value)
    if (stored === value) return change
    this.#decrypted.set(stored, value)
    return { ...change, value: stored }
  }

  #opened(item: Item): Item {
    const value = this.#plain(item.key, item.value)
    return value === item.value ? item : { ...item, value }
  }

  #openedAmong(item: Item): Item {
    const value = this.#plainAmong(item.key, item.value)
    return value === item.value ? item : { ...item, value }
  }

  #told(event: Event): Event {
    const { key, value, before } = event
    const plain = value && this.#plainAmong(key, value)
    const wasPlain = before && this.#openedAmong(before)
    if (plain === value && wasPlain === before) return event
    return { ...event, value: plain, ...(wasPlain === undefined ? {} : { before: wasPlain }) }
  }

  #plain(key: string, stored: Uint8Array): Uint8Array {
    return this.#decrypted.get(stored) ?? this.#encryption.decrypt(key, stored).bytes
  }

  #plainAmong(key: string, stored: Uint8Array): Uint8Array {
    try {
      return this.#plain(key, stored)
    } catch (error) {
      if (error instanceof TransformError) return unreadableValue(error.reason)
      throw error
    }
  }
}
