/** Creates clients of remote servers. */
import { systemClock, type Clock } from '../base/clock.ts'
import { randomIds, type Ids } from '../base/ids.ts'
import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'
import { Client } from './client.ts'
import type { ClientConfig, Impersonation } from './client-config.ts'
import { credentialSource, type CredentialSource } from './credentials.ts'
import { HttpsTransport } from './https-transport.ts'
import { Wire } from './wire.ts'

/** Options of a connection to a server. */
export interface ConnectOptions {
  /** Address and credentials; see `loadKubeconfig`, `readKubeconfig` and `inClusterConfig`. */
  readonly config: ClientConfig
  /** User to impersonate, instead of the one in the configuration. */
  readonly impersonate?: Impersonation
  /** User agent; the part before the first slash is the field manager. */
  readonly userAgent?: string
  /** Milliseconds that one attempt of a request may take; as many as it takes by default. */
  readonly timeoutMs?: number
  /** Further attempts when the server requests a retry; 10 by default. */
  readonly retries?: number
  readonly clock?: Clock
  readonly ids?: Pick<Ids, 'fraction'>
  /** Whether standard input is interactive, for credential plugins; false by default. */
  readonly interactive?: boolean
}

/**
 * Creates a client of a server over HTTPS; nothing is sent before the first request. Rejects with an Error when the
 * configuration cannot be used.
 */
export async function connect(options: ConnectOptions): Promise<Client> {
  const { clock = systemClock, ids = randomIds, timeoutMs = 0, retries } = options
  const config =
    options.impersonate === undefined
      ? options.config
      : { ...options.config, impersonate: options.impersonate }
  const transport = new HttpsTransport({
    wire: new Wire(config, clock),
    credentials: await openCredentials(config, {
      clock,
      interactive: options.interactive ?? false,
    }),
    clock,
    userAgent: options.userAgent ?? `${defaultVocabulary}-client`,
  })
  return new Client({
    transport,
    clock,
    ids,
    timeoutMs,
    ...(retries === undefined ? {} : { retries }),
  })
}

/** Credentials from a configuration. Rejects with an Error when they cannot be used. */
export async function openCredentials(
  config: ClientConfig,
  { clock, interactive }: { readonly clock: Clock; readonly interactive: boolean },
): Promise<CredentialSource> {
  const { exec } = config
  if (!exec) return credentialSource(config)
  const { execPlugin } = await import('./exec-plugin.ts')
  // Plugins are written for one brand or the other, whatever the server speaks.
  const v =
    Object.values(vocabularies).find((one) =>
      exec.apiVersion.startsWith(one.resolve('client.authentication{api}/')),
    ) ?? vocabularies[defaultVocabulary]
  return credentialSource(
    config,
    execPlugin({ config: { ...config, exec }, v, clock, interactive }),
  )
}
