import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { ResourceName } from '../../meta/resource-name.ts'
import { hooksOf, type ConfiguredWebhook } from './hook.ts'
import { HookIndex } from './hook-index.ts'

interface Configuration extends Typed {
  readonly webhooks?: readonly ConfiguredWebhook[]
}

/** Follows the configurations of one kind, and indexes their webhooks when something changed. */
export class HookSource {
  readonly #catalogue: Catalogue
  readonly #configurations = new Map<string, readonly ConfiguredWebhook[]>()
  readonly #stop: Promise<() => void>
  #ready: Promise<void> | null
  #index: HookIndex | null = null
  #generation = -1

  constructor(objects: ObjectSource, catalogue: Catalogue, resource: ResourceName) {
    this.#catalogue = catalogue
    this.#stop = objects.follow<Configuration>(resource, {
      set: ({ metadata: { name = '' }, webhooks = [] }) => {
        this.#configurations.set(name, webhooks)
        this.#index = null
      },
      removed: ({ metadata: { name = '' } }) => {
        this.#configurations.delete(name)
        this.#index = null
      },
    })
    this.#ready = this.#stop.then(() => {
      this.#ready = null
    })
    // Requests that wait for it get the error.
    this.#ready.catch(() => {})
  }

  /** Resolves when all configurations are known; null when they are. */
  ready(): Promise<void> | null {
    return this.#ready
  }

  /** The webhooks of the present configurations. */
  index(): HookIndex {
    const { generation } = this.#catalogue
    if (!this.#index || this.#generation !== generation) {
      this.#index = new HookIndex(hooksOf(this.#configurations), this.#catalogue)
      this.#generation = generation
    }
    return this.#index
  }

  async close(): Promise<void> {
    const stop = await this.#stop.catch(() => () => {})
    stop()
  }
}
