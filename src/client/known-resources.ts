import type { Client } from './client.ts'
import type { ResourceAddress, ServedResource, ServedResources } from './transport.ts'

/** The resources of a server, as last seen. */
export class KnownResources {
  readonly #client: Client
  #seen: Promise<ServedResources> | null = null
  #generation: number | null = null

  constructor(client: Client) {
    this.#client = client
  }

  /** The current state where it is known without a request; else the state of the last request. */
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
