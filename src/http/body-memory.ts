/** Memory limit for the bodies of all requests in progress. */
import type { BodyBudget } from './request-body.ts'

/** Bytes of all bodies; more than forty of the maximum size. */
const BODY_MEMORY = 128 << 20

/**
 * Accounts for the memory of bodies, by user: one user gets at most half of it, so that a client that sends many large
 * bodies slowly cannot block other users.
 */
export class BodyMemory {
  readonly #most: number
  readonly #mostOfOne: number
  readonly #byUser = new Map<string, number>()
  #held = 0

  constructor(bytes = BODY_MEMORY) {
    this.#most = bytes
    this.#mostOfOne = Math.ceil(bytes / 2)
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held
  }

  /** The share of one request of a user. */
  share(user: string): BodyShare {
    return new BodyShare(this, user)
  }

  /** For shares: reserves bytes; false when there are not enough. */
  take(user: string, bytes: number): boolean {
    const own = (this.#byUser.get(user) ?? 0) + bytes
    if (this.#held + bytes > this.#most || own > this.#mostOfOne) return false
    this.#held += bytes
    this.#byUser.set(user, own)
    return true
  }

  /** For shares. */
  give(user: string, bytes: number): void {
    this.#held -= bytes
    const own = (this.#byUser.get(user) ?? 0) - bytes
    if (own > 0) this.#byUser.set(user, own)
    else this.#byUser.delete(user)
  }
}

/** The memory of one request's body. */
export class BodyShare implements BodyBudget {
  readonly #memory: BodyMemory
  readonly #user: string
  #held = 0

  constructor(memory: BodyMemory, user: string) {
    this.#memory = memory
    this.#user = user
  }

  take(bytes: number): boolean {
    if (!this.#memory.take(this.#user, bytes)) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
    this.#memory.give(this.#user, bytes)
  }

  /** Releases the remainder. May be called twice. */
  close(): void {
    if (this.#held > 0) this.give(this.#held)
  }
}
