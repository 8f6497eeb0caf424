import { isCollected } from '../api/delete.ts'
import type { Api } from '../api/context.ts'
import type { Served } from '../schema/catalogue.ts'
import { followLater, followVersions, type VersionHandler } from '../store/cache/follow.ts'
import type { Version } from '../store/cache/version.ts'
import { hasVerbs, preferredResources, resourceAt } from './resources.ts'

const KEYS_PER_TURN = 200

/** Told of the objects that are collected, and of changes of what is served. */
export interface GarbageHandler {
  set(served: Served, version: Version): void
  removed(version: Version): void
  changed(): void
}

/** Follows every resource whose objects have owners or dependents, those too that are served later. */
export class GarbageSources {
  readonly #api: Api
  readonly #handler: GarbageHandler
  /** What is followed: also what is not served for now. */
  readonly #prefixes = new Set<string>()
  readonly #ends: (() => void)[] = []

  constructor(api: Api, handler: GarbageHandler) {
    this.#api = api
    this.#handler = handler
  }

  /** Resolves when everything that is served was told, or the signal is aborted. */
  async start(signal: AbortSignal): Promise<void> {
    const { catalogue, cache } = this.#api
    this.#ends.push(
      catalogue.subscribe(({ added, changed }) => {
        for (const { versions } of [...added, ...changed.map(({ now }) => now)]) {
          const prefix = versions[0].keyPrefix
          if (this.#takes(resourceAt(this.#api, prefix)))
            this.#ends.push(followLater(cache, prefix, this.#handlerOf(prefix)))
        }
        this.#handler.changed()
      }),
    )
    for (const served of [...preferredResources(this.#api)]) {
      if (signal.aborted) break
      if (this.#takes(served)) await this.#follow(served.hub.keyPrefix, signal)
    }
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  /** Whether a resource is to be followed from now on. */
  #takes(served: Served | undefined): boolean {
    if (!served || served.virtual !== null || !isCollected(served)) return false
    if (!hasVerbs(served, 'delete', 'list', 'watch')) return false
    const { keyPrefix } = served.hub
    if (this.#prefixes.has(keyPrefix)) return false
    this.#prefixes.add(keyPrefix)
    return true
  }

  #handlerOf(prefix: string): VersionHandler {
    return {
      set: (version) => {
        const served = resourceAt(this.#api, prefix)
        if (served) this.#handler.set(served, version)
      },
      removed: (version) => this.#handler.removed(version),
    }
  }

  async #follow(prefix: string, signal: AbortSignal): Promise<void> {
    const { cache } = this.#api
    const { set, removed } = this.#handlerOf(prefix)
    const first: string[] = []
    let isFirst = true
    this.#ends.push(
      await followVersions(cache, prefix, {
        set: (version, form) => (isFirst ? void first.push(version.key) : set(version, form)),
        removed,
      }),
    )
    isFirst = false
    const table = cache.loaded(prefix)
    for (const [i, key] of first.entries()) {
      // What changed meanwhile was told, and is the same again here.
      const version = table?.get(key)
      if (version) set(version, null)
      // Requests come first.
      if (i % KEYS_PER_TURN === 0) await new Promise<void>((resolve) => setImmediate(resolve))
      if (signal.aborted) break
    }
  }
}
