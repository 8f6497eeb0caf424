import type { Transport } from '../client/transport.ts'
import { impersonationFor } from './impersonation-for.ts'
import { Client } from '../client/client.ts'
import type { Impersonation } from '../client/client-config.ts'
import { LocalTransport, type LocalTransportOptions } from './local-transport.ts'

/** A client of the server in this process. */
export interface LocalClientOptions extends Omit<LocalTransportOptions, 'impersonation'> {
  /** User to impersonate, if that is allowed. */
  readonly impersonate?: Impersonation
  /** See `ClientParts`. */
  readonly timeoutMs?: number
  readonly retries?: number
  /** Wraps the transport, perhaps to reach further servers. */
  readonly wrap?: (transport: Transport) => Transport
}

/** Creates a client of the server in this process, as a user whose permissions are checked with each request. */
export function localClient(options: LocalClientOptions): Client {
  const { api, impersonate, timeoutMs = 0, retries, wrap, ...rest } = options
  const impersonation = impersonate && impersonationFor(impersonate, api.v)
  const transport = new LocalTransport({
    api,
    ...rest,
    ...(impersonation === undefined ? {} : { impersonation }),
  })
  return new Client({
    transport: wrap ? wrap(transport) : transport,
    clock: api.clock,
    ids: api.ids,
    timeoutMs,
    ...(retries === undefined ? {} : { retries }),
  })
}
