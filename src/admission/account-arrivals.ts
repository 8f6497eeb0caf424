import type { Clock } from '../base/clock.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'

const ACCOUNTS = { group: '', resource: 'serviceaccounts' }

/** Waits for accounts that a controller is about to create. Follows accounts only while someone waits. */
export class AccountArrivals {
  readonly #objects: ObjectSource
  readonly #clock: Clock
  readonly #waiting = new Map<string, Set<() => void>>()
  #following: Promise<() => void> | null = null

  constructor(objects: ObjectSource, clock: Clock) {
    this.#objects = objects
    this.#clock = clock
  }

  /** Resolves when an account exists, and at the latest after `ms`. */
  async wait(namespace: string, name: string, ms: number): Promise<void> {
    const key = `${namespace}/${name}`
    const waiting = this.#waiting.get(key) ?? new Set<() => void>()
    this.#waiting.set(key, waiting)
    let arrive = () => {}
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    waiting.add(arrive)
    const cancel = this.#clock.after(ms, arrive)
    try {
      await (this.#following ??= this.#follow())
      // It may have come before this request waited.
      if (!(await this.#objects.get(ACCOUNTS, namespace, name))) await arrived
    } finally {
      cancel()
      waiting.delete(arrive)
      if (waiting.size === 0) this.#waiting.delete(key)
      if (this.#waiting.size === 0) this.#stop()
    }
  }

  #follow(): Promise<() => void> {
    const arrived = (key: string) => {
      for (const arrive of this.#waiting.get(key) ?? []) arrive()
    }
    return this.#objects.follow(ACCOUNTS, {
      set: ({ metadata }) => arrived(`${metadata.namespace}/${metadata.name}`),
      named: ({ namespace, name }) => arrived(`${namespace}/${name}`),
      removed() {},
    })
  }

  #stop(): void {
    this.#following?.then(
      (end) => end(),
      // The requests that waited for it got the error.
      () => {},
    )
    this.#following = null
  }
}
