import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import {
  byServerName,
  forServerName,
  type CertificatePair,
  type NamedPair,
} from './server-names.ts'
import type { TlsParameters } from './tls-parameters.ts'

/** What may change while a server listens, PEM. */
export interface ServedTls extends CertificatePair {
  /** Authorities of client certificates. */
  readonly clientCa: string
  /** Further certificates by the names that clients ask for; none by default. */
  readonly named?: readonly NamedPair[]
}

/** Receives the context of a server name; none: the standard one. */
type Selected = (error: Error | null, context?: SecureContext) => void

/** What a server presents in handshakes. */
export class TlsContexts {
  readonly #parameters: TlsParameters
  #served: ServedTls
  #named: ReadonlyMap<string, SecureContext>

  constructor(served: ServedTls, parameters: TlsParameters) {
    this.#parameters = parameters
    this.#served = served
    this.#named = this.#contexts()
  }

  /** Options of the context for clients that ask for no name, or for an unknown one. */
  get standard(): SecureContextOptions {
    const { cert, key, clientCa: ca } = this.#served
    return { cert, key, ca, ...this.#parameters }
  }

  get hasNames(): boolean {
    return (this.#served.named ?? []).length > 0
  }

  change(change: Partial<ServedTls>): void {
    this.#served = { ...this.#served, ...change }
    this.#named = this.#contexts()
  }

  /** For Node.js, which calls it when a client asks for a name. */
  readonly select = (name: string, done: Selected): void => {
    done(null, forServerName(this.#named, name))
  }

  #contexts(): ReadonlyMap<string, SecureContext> {
    const { named = [], clientCa: ca } = this.#served
    const made = new Map<NamedPair, SecureContext>()
    for (const pair of named) {
      const { cert, key } = pair
      made.set(pair, createSecureContext({ cert, key, ca, ...this.#parameters }))
    }
    return new Map([...byServerName(named)].map(([name, pair]) => [name, made.get(pair)!]))
  }
}
