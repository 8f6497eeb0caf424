import { isIP } from 'node:net'
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
  /** For unknown names, where the context of the server may be that of an address. */
  #otherwise: SecureContext | undefined
  #addresses: ReadonlyMap<string, CertificatePair> | null = null

  constructor(served: ServedTls, parameters: TlsParameters) {
    this.#parameters = parameters
    this.#served = served
    this.#named = this.#contexts()
    this.#otherwise = this.#unknown()
  }

  /** Options of the context for clients that ask for no name, or for an unknown one. */
  get standard(): SecureContextOptions {
    return this.#optionsOf(this.#served)
  }

  /**
   * The standard ones without the names of authorities: the runtime reads all public authorities (20 to 30 ms) before it
   * adds the first name, which a start does not wait for.
   */
  get nameless(): SecureContextOptions {
    return { ...this.standard, ca: [] }
  }

  /** The standard ones for connections to an address of the machine: a certificate may be given for it. */
  standardAt(address: string): SecureContextOptions {
    return this.#optionsOf(this.#byAddress.get(address) ?? this.#served)
  }

  /** Whether certificates are given for addresses. */
  get hasAddresses(): boolean {
    return this.#byAddress.size > 0
  }

  get hasNames(): boolean {
    return (this.#served.named ?? []).length > 0
  }

  change(change: Partial<ServedTls>): void {
    this.#served = { ...this.#served, ...change }
    this.#addresses = null
    this.#named = this.#contexts()
    this.#otherwise = this.#unknown()
  }

  /** For Node.js, which calls it when a client asks for a name. */
  readonly select = (name: string, done: Selected): void => {
    done(null, forServerName(this.#named, name) ?? this.#otherwise)
  }

  #optionsOf({ cert, key }: CertificatePair): SecureContextOptions {
    return { cert, key, ca: this.#served.clientCa, ...this.#parameters }
  }

  /** Given names alone: those of certificates are for names that clients ask for, which addresses are not. */
  get #byAddress(): ReadonlyMap<string, CertificatePair> {
    return (this.#addresses ??= new Map(
      (this.#served.named ?? [])
        .flatMap((pair) => pair.names.map((name) => [name, pair] as const))
        .filter(([name]) => isIP(name) !== 0)
        // The first one counts.
        .toReversed(),
    ))
  }

  #unknown(): SecureContext | undefined {
    return this.hasAddresses ? createSecureContext(this.standard) : undefined
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
