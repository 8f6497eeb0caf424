import type { Client } from './client.ts'
import type { ResourceAddress, ServedResource, ServedResources } from './transport.ts'

/** What a server serves, as last seen. */
export class KnownResources {
  readonly #client: Client
  #seen: Promise<ServedResources> | null = null
  #generation: number | null = null

  constructor(client: Client) {
    this.#client = client
  }

  /** As it is now, where that can be told without asking; else as it was when somebody last asked. */
  current(): Promise<ServedResources> {
    const generation = this.#client.generation()
    return this.#seen && generation === this.#generation ? this.#seen : this.fresh()
  }

  /** As it is now. */
  fresh(): Promise<ServedResources> {
    this.#generation = this.#client.generation()
    const seen = this.#client.discover()
    this.#seen = seen
    seen.catch(() => {
      if (this.#seen === seen) this.#seen = null
    })
    return seen
  }

  /** Whether all of the resources are served. */
  async serves(...wanted: readonly ResourceAddress[]): Promise<boolean> {
    const { resources } = await this.current()
    return wanted.every((one) => resources.some((served) => isSame(served, one)))
  }
}

const isSame = (served: ServedResource, { group, version, resource }: ResourceAddress): boolean =>
  served.resource === resource && served.group === group && served.version === version
