/** The connection that calls go over: address, trust and certificates of a client configuration. */
import { X509Certificate } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Socket } from 'node:net'
import { connect, type ConnectionOptions } from 'node:tls'
import type { CertificatePair } from './certificate-pair.ts'
import type { ClientConfig } from './client-config.ts'
import { bareHost } from './server-address.ts'
import { openTunnel } from './proxy.ts'
import { proxyUrl } from './proxy-choice.ts'
import { tlsOptions } from './tls-options.ts'

const IDLE_MS = 90_000
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Keeps connections to one server open, one set for each certificate that the client shows. */
export class Connections {
  readonly #config: ClientConfig
  readonly #server: URL
  readonly #proxy: URL | null
  readonly #isSecure: boolean
  #agent: HttpAgent | null = null
  #cert: string | undefined

  /** Throws an Error when the configuration cannot be used. */
  constructor(config: ClientConfig, server: URL) {
    this.#proxy = config.proxyUrl === undefined ? null : proxyUrl(config.proxyUrl, 'proxy-url')
    this.#server = server
    if (config.ca !== undefined) checkAuthorities(config.ca)
    this.#config = config
    this.#isSecure = server.protocol === 'https:'
  }

  /** Connections for a certificate; those for another are no longer used. */
  agentFor(pair: CertificatePair): HttpAgent {
    const { cert } = pair
    if (this.#agent && this.#cert === cert) return this.#agent
    if (this.#agent) retire(this.#agent)
    this.#cert = cert
    const common = { keepAlive: true, timeout: IDLE_MS }
    this.#agent = this.#isSecure
      ? new HttpsAgent({ ...common, ...this.tlsFor(pair) })
      : new HttpAgent(common)
    if (this.#proxy) this.#agent.createConnection = this.#throughProxy(this.#proxy, pair)
    return this.#agent
  }

  /** A connection through the proxy, before TLS; undefined without a proxy. Rejects with an Error that names it. */
  async tunnel(): Promise<Socket | undefined> {
    return this.#proxy ? openTunnel(this.#proxy, this.#server) : undefined
  }

  #throughProxy(proxy: URL, pair: CertificatePair): HttpAgent['createConnection'] {
    return (_, ready) => {
      openTunnel(proxy, this.#server).then(
        (socket) =>
          ready?.(
            null,
            this.#isSecure
              ? connect({ host: bareHost(this.#server), ...this.tlsFor(pair), socket })
              : socket,
          ),
        (error: Error) => ready?.(error, new Socket()),
      )
      return undefined
    }
  }

  /** Trust and certificates of a connection. */
  tlsFor(pair: CertificatePair): ConnectionOptions {
    return tlsOptions(this.#config, this.#server, pair)
  }

  /** Closes connections that wait for a request. */
  dropIdle(): void {
    if (this.#agent) dropIdle(this.#agent)
  }

  close(): void {
    this.#agent?.destroy()
    this.#agent = null
  }

  /** Closes connections as soon as their requests end. */
  retire(): void {
    if (this.#agent) retire(this.#agent)
    this.#agent = null
  }
}

/** Certificates of authorities that cannot be used. */
export class InvalidAuthorities extends Error {}

function checkAuthorities(pem: string): void {
  const blocks = pem.match(BLOCK) ?? []
  if (blocks.length === 0)
    throw new InvalidAuthorities('certificate-authority holds no certificate')
  for (const block of blocks) {
    try {
      void new X509Certificate(block)
    } catch (cause) {
      throw new InvalidAuthorities(
        'certificate-authority holds a certificate that cannot be read',
        {
          cause,
        },
      )
    }
  }
}

/** Lets requests in progress finish. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0
  dropIdle(agent)
}

function dropIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}
