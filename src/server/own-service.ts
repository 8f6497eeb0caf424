import { randomBytes, randomUUID } from 'node:crypto'
import type { LoopbackOptions } from '../authn/loopback-token.ts'
import type { ServiceAddress, ServicePort } from '../client/service-address.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const HTTPS_PORT = 443
const TOKEN_BYTES = 32

/** Address of the running server on this machine, and how its certificate is verified. */
export interface OwnAddress {
  readonly host: string
  readonly port: number
  /** PEM. */
  readonly ca: string
  /** Name that the certificate is for; absent: that of the service. */
  readonly tlsServerName?: string
}

/**
 * The server as a client of itself. Its own service has a cluster address, which need not lead here; webhooks that an
 * extension server serves behind this server name that service, and are called as `system:apiserver`.
 */
export class OwnService implements LoopbackOptions {
  readonly #name: string
  #address: OwnAddress | null = null
  #token = ''
  readonly uid = randomUUID()

  constructor(v: Vocabulary) {
    this.#name = v.resolve('{brand}')
  }

  /** Empty until it is needed. */
  get token(): string {
    return this.#token
  }

  /** The server listens there. */
  listensAt(address: OwnAddress): void {
    this.#address = address
  }

  /** Null: not its service, or it does not listen yet. */
  addressOf({ namespace, name, port }: ServicePort): ServiceAddress | null {
    const isOwn = namespace === 'default' && name === this.#name && port === HTTPS_PORT
    if (!isOwn || this.#address === null) return null
    if (this.#token === '') this.#token = randomBytes(TOKEN_BYTES).toString('base64url')
    const { host, port: ownPort, ...tls } = this.#address
    return { host, port: ownPort, as: { ...tls, token: this.#token } }
  }
}
