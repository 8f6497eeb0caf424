import type { Client } from './client.ts'
import { Informer, type InformerOptions } from './informer.ts'
import type { ApiObject, ResourceAddress } from './transport.ts'

/** Resource of a shared informer. */
export interface SharedInformerOptions<T> extends Omit<InformerOptions<T>, 'onTrouble'> {
  /** All by default. */
  readonly namespace?: string
}

/** Shared informers: objects are read and cached once for all users. */
export class SharedInformers {
  readonly #client: Client
  readonly #onTrouble: (resource: string, error: unknown) => void
  readonly #informers = new Map<string, Informer<object>>()

  /** `onTrouble` receives the reason of each delayed retry. */
  constructor(client: Client, onTrouble: (resource: string, error: unknown) => void = () => {}) {
    this.#client = client
    this.#onTrouble = onTrouble
  }

  /** The informer for a resource and a selection, which is running. Those that differ in indexes are not the same. */
  of<T extends object = ApiObject>(
    of: ResourceAddress,
    options: SharedInformerOptions<T> = {},
  ): Informer<T> {
    const { namespace = '', indexes = {}, isStored = true, ...selectors } = options
    const { labelSelector = '', fieldSelector = '' } = selectors
    const { group, version, resource } = of
    const indexNames = Object.keys(indexes).join()
    const key = [
      group,
      version,
      resource,
      namespace,
      labelSelector,
      fieldSelector,
      indexNames,
      isStored,
    ].join('\0')
    let informer = this.#informers.get(key) as Informer<T> | undefined
    if (!informer) {
      informer = this.#client
        .resource<T>(of)
        .in(namespace)
        .informer({ ...options, onTrouble: (error) => this.#onTrouble(resource, error) })
      // Under one key they are all of one type: that of the resource.
      this.#informers.set(key, informer as unknown as Informer<object>)
    }
    return informer.start()
  }

  /** Ends all of them. May be called twice. */
  async stop(): Promise<void> {
    const all = [...this.#informers.values()]
    this.#informers.clear()
    await Promise.all(all.map((informer) => informer.stop()))
  }
}
