/** The connection that calls go over: address, trust and certificates of a client configuration. */
import { X509Certificate } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import type { ConnectionOptions } from 'node:tls'
import type { Dial } from '../base/dial.ts'
import { plainAgentThrough, secureAgentThrough } from '../outgoing/dial-agent.ts'
import type { CertificatePair } from './certificate-pair.ts'
import type { ClientConfig } from './client-config.ts'
import { proxyDial } from './proxy.ts'
import { bareHost, portOf } from './server-address.ts'
import { proxyUrl } from './proxy-choice.ts'
import { tlsOptions } from './tls-options.ts'

const IDLE_MS = 90_000
const ONE_SERVER = 'server'
const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Keeps connections to one server open, one set for each certificate that the client shows. */
export class Connections {
  readonly #config: ClientConfig
  readonly #server: URL
  /** Null: the platform opens connections. */
  readonly #dial: Dial | null
  readonly #isSecure: boolean
  #agent: HttpAgent | null = null
  #cert: string | undefined

  /** Connections are opened by `dial` where it is given. Throws an Error when the configuration cannot be used. */
  constructor(config: ClientConfig, server: URL, dial: Dial | null = null) {
    const { proxyUrl: proxy } = config
    this.#dial = proxy === undefined ? dial : proxyDial(proxyUrl(proxy, 'proxy-url'), dial)
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
    const dial = this.#dial
    if (this.#isSecure) {
      const secure = { ...common, ...this.tlsFor(pair) }
      this.#agent = dial ? secureAgentThrough(dial, secure) : new HttpsAgent(secure)
    } else this.#agent = dial ? plainAgentThrough(dial, common) : new HttpAgent(common)
    // All its connections are alike. The platform would join authorities, certificate and key to a name for each request.
    this.#agent.getName = () => ONE_SERVER
    return this.#agent
  }

  /** A connection before TLS; undefined where the platform opens it. Rejects with an Error that says why not. */
  async dialled(): Promise<Duplex | undefined> {
    return this.#dial?.({ host: bareHost(this.#server), port: portOf(this.#server) })
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
