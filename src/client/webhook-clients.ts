/** Clients of the webhooks that objects of the API name, shared by all that are at one address. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'
import type { Egress } from '../base/dial.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { ClientConfig } from './client-config.ts'
import type { JsonClient, JsonClientOptions } from './json-call.ts'
import type { UserConfig } from './kubeconfig.ts'
import type { ServiceAddress, ServiceResolver } from './service-address.ts'

/** Where a webhook is, as objects of the API state it: a URL or a service. */
export interface WebhookTarget {
  readonly url?: string
  readonly service?: {
    readonly namespace: string
    readonly name: string
    readonly path?: string
    readonly port?: number
  }
  /** Base64 of PEM certificates; the trust roots of the machine without. */
  readonly caBundle?: string
}

/** Dependencies of the clients. */
export interface WebhookClientsOptions {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly resolve: ServiceResolver
  readonly userAgent?: string
  readonly maxAnswerBytes: number
  readonly describeAnswer?: JsonClientOptions['describeAnswer']
  /** How services and other servers are reached; directly by default. */
  readonly egress?: Egress | undefined
  /** Credentials for a host and port; none by default. */
  readonly credentials?: (host: string, port: number) => UserConfig | null
  readonly onCall?: JsonClientOptions['onCall']
  readonly metrics?: JsonClientOptions['metrics']
}

/** A client of the server of a webhook, and the path of the webhook there. */
export interface WebhookClient {
  readonly client: JsonClient
  readonly path: string
}

/** A service whose address is not found. */
export class UnknownAddress extends Error {}

/** Clients beyond this many are closed, the least recently used first. */
const MAX_CLIENTS = 200
const HTTPS_PORT = 443

interface Place {
  readonly host: string
  readonly port: number
  /** Host and port as they are written, so that default ports stay. */
  readonly shownHost: string
  readonly path: string
}

/** What is known of a target that was asked for before. */
interface Known {
  readonly place: Place
  /** Where its service was last. */
  readonly dial: { readonly host: string; readonly port: number } | null
  /** Of its client. */
  readonly key: string
}

/** Keeps connections to webhooks open. */
export class WebhookClients {
  readonly #options: WebhookClientsOptions
  readonly #clients = new LRUCache<string, Promise<JsonClient>>({
    max: MAX_CLIENTS,
    dispose: (client) => void client.then((one) => one.retire()).catch(() => {}),
  })

  /** By targets, which do not change: configurations have the same as long as they are the same. */
  readonly #known = new WeakMap<WebhookTarget, Known>()

  constructor(options: WebhookClientsOptions) {
    this.#options = options
  }

  /** The client of a webhook. Rejects with UnknownAddress, and with an Error when the target cannot be used. */
  async of(target: WebhookTarget): Promise<WebhookClient> {
    const known = this.#known.get(target)
    const place = known?.place ?? placeOf(target)
    const dial = await this.#dialOf(target, place)
    const { caBundle = '' } = target
    const key = this.#keyOf(target, place, dial, known)
    let client = this.#clients.get(key)
    if (!client) {
      client = this.#open(place, dial, caBundle)
      this.#clients.set(key, client)
      client.catch(() => this.#clients.delete(key))
    }
    return { client: await client, path: place.path }
  }

  #keyOf(
    target: WebhookTarget,
    place: Place,
    dial: ServiceAddress | null,
    known: Known | undefined,
  ): string {
    if (known && known.dial?.host === dial?.host && known.dial?.port === dial?.port)
      return known.key
    const key = `${place.shownHost} ${dial?.host ?? ''} ${dial?.port ?? ''} ${target.caBundle ?? ''}`
    this.#known.set(target, { place, dial, key })
    return key
  }

  close(): void {
    for (const client of this.#clients.values()) client.then((one) => one.close()).catch(() => {})
    this.#clients.clear()
  }

  async #dialOf({ service }: WebhookTarget, place: Place): Promise<ServiceAddress | null> {
    if (!service) return null
    const { namespace, name } = service
    try {
      return await this.#options.resolve({ namespace, name, port: place.port })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new UnknownAddress(why, { cause: error })
    }
  }

  async #open(
    { host, port, shownHost }: Place,
    dial: ServiceAddress | null,
    caBundle: string,
  ): Promise<JsonClient> {
    const { v, clock, userAgent, maxAnswerBytes, describeAnswer, credentials, onCall, metrics } =
      this.#options
    const { egress = {} } = this.#options
    const { as } = dial ?? {}
    // This server itself needs no proxy.
    const through = as ? undefined : dial ? egress.cluster : egress.controlplane
    const ca = `${Buffer.from(caBundle, 'base64').toString('utf8')}${as ? `\n${as.ca}` : ''}`.trim()
    const config: ClientConfig = {
      ...(as ?? credentials?.(host, port)),
      server: `https://${shownHost}`,
      ...(ca === '' ? {} : { ca }),
    }
    // Few servers have webhooks.
    const { openJsonClient } = await import('./json-call.ts')
    const { InvalidAuthorities } = await import('./connection.ts')
    return openJsonClient({
      config,
      v,
      clock,
      maxAnswerBytes,
      attempts: 1,
      shownHost,
      onCall,
      metrics,
      through,
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(describeAnswer === undefined ? {} : { describeAnswer }),
      ...(dial ? { dial: { host: dial.host, port: dial.port } } : {}),
    }).catch((error: unknown) => {
      if (!(error instanceof InvalidAuthorities)) throw error
      const why = 'unable to load root certificates: unable to parse bytes as PEM block'
      throw new Error(why, { cause: error })
    })
  }
}

/** The URL of a webhook, for errors. */
export function urlOf(target: WebhookTarget): string {
  const { shownHost, path } = placeOf(target)
  return `https://${shownHost}${path}`
}

/** Throws an Error about a target without a URL that can be read. */
function placeOf({ url = '', service }: WebhookTarget): Place {
  if (service) {
    const { namespace, name, port = HTTPS_PORT, path = '/' } = service
    // The host is what the certificate of the webhook must be for.
    const host = `${name}.${namespace}.svc`
    return { host, port, shownHost: `${host}:${port}`, path }
  }
  const { hostname, host, port, pathname } = new URL(url)
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host: bare,
    port: port === '' ? HTTPS_PORT : Number(port),
    shownHost: host,
    path: pathname,
  }
}
