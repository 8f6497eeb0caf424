import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { ResourceClient } from './resource-client.ts'
import type { ApiObject, ResourceAddress, ServedResources, Transport } from './transport.ts'

/** What a client is made of. */
export interface ClientParts {
  readonly transport: Transport
  readonly clock: Clock
  /** For the random part of waits. */
  readonly ids: Pick<Ids, 'fraction'>
  /** Milliseconds that one attempt of a request may take; 0: as many as it takes. */
  readonly timeoutMs: number
  /** Further attempts when the server asks for that; 10 by default. */
  readonly retries?: number
}

/** A client of one server, as one user. */
export class Client {
  readonly #parts: ClientParts

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  /** The verbs of a resource, at the cluster scope or in all namespaces; see {@link ResourceClient.in}. */
  resource<T extends object = ApiObject>(of: ResourceAddress): ResourceClient<T> {
    const { group, version, resource } = of
    const address = { group, version, resource }
    return new ResourceClient<T>(this.#parts, {
      of: address,
      namespace: '',
      metadataOnly: false,
    })
  }

  /** What the server serves. */
  discover(signal?: AbortSignal): Promise<ServedResources> {
    return this.#parts.transport.discover(signal)
  }

  /** Changes whenever what is served does; null where that cannot be told without asking. */
  generation(): number | null {
    return this.#parts.transport.generation?.() ?? null
  }

  /** Calls back when something else is served, until ended by what it returns; never where that cannot be told without asking. */
  onGeneration(call: () => void): () => void {
    return this.#parts.transport.onGeneration?.(call) ?? (() => {})
  }

  /** Ends what is under way, connections included. May be called twice. */
  close(): void {
    this.#parts.transport.close()
  }
}
