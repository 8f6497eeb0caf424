import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { BuiltInKinds } from './kinds.ts'
import { ResourceClient } from './resource-client.ts'
import type {
  ApiObject,
  Presence,
  PresenceChanged,
  ResourceAddress,
  ServedResources,
  Transport,
} from './transport.ts'

/** Dependencies of a client. */
export interface ClientParts {
  readonly transport: Transport
  readonly clock: Clock
  /** For the random part of waits. */
  readonly ids: Pick<Ids, 'fraction'>
  /** Milliseconds that one attempt of a request may take; 0: as many as it takes. */
  readonly timeoutMs: number
  /** Further attempts when the server requests a retry; 10 by default. */
  readonly retries?: number
}

/** A client of one server, as one user. */
export class Client {
  readonly #parts: ClientParts

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  /**
   * The verbs of a resource, at the cluster scope or in all namespaces; see {@link ResourceClient.in}. Built-in kinds
   * are found by their `apiVersion` and plural, which determine the type of their objects; others by their address.
   */
  resource<G extends keyof BuiltInKinds, R extends keyof BuiltInKinds[G] & string>(
    apiVersion: G,
    resource: R,
  ): ResourceClient<BuiltInKinds[G][R] & object>
  resource<T extends object = ApiObject>(of: ResourceAddress): ResourceClient<T>
  resource(of: ResourceAddress | string, plural = ''): ResourceClient<object> {
    const { group, version, resource } = typeof of === 'string' ? addressOf(of, plural) : of
    return new ResourceClient<object>(this.#parts, {
      of: { group, version, resource },
      namespace: '',
      metadataOnly: false,
    })
  }

  /** The resources that the server serves. */
  discover(signal?: AbortSignal): Promise<ServedResources> {
    return this.#parts.transport.discover(signal)
  }

  /** Those of them that are known without a request; null where none are. */
  discoverHere(): Promise<ServedResources> | null {
    return this.#parts.transport.discoverHere?.() ?? null
  }

  /** Changes whenever the served resources change; null where that cannot be known without a request. */
  generation(): number | null {
    return this.#parts.transport.generation?.() ?? null
  }

  /**
   * Calls back when the served resources change, until the returned function is called; never where that cannot be
   * known without a request.
   */
  onGeneration(call: () => void): () => void {
    return this.#parts.transport.onGeneration?.(call) ?? (() => {})
  }

  /** See `Transport.presence`; null where that is unknown without a request. */
  presence(of: ResourceAddress, changed: PresenceChanged): Presence | null {
    return this.#parts.transport.presence?.(of, changed) ?? null
  }

  /** See `Transport.isUnused`. */
  isUnused(of: ResourceAddress): Promise<boolean> {
    return this.#parts.transport.isUnused?.(of) ?? Promise.resolve(false)
  }

  /** Aborts everything in progress and closes connections. May be called twice. */
  close(): void {
    this.#parts.transport.close()
  }
}

function addressOf(apiVersion: string, resource: string): ResourceAddress {
  const slash = apiVersion.indexOf('/')
  return {
    group: apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion.slice(slash + 1),
    resource,
  }
}
