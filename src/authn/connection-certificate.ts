import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../base/clock.ts'
import { CredentialError, type Authenticated } from './authenticator.ts'
import type { CaBundle } from './ca-bundle.ts'
import { certificateDetails, type CertificateDetails } from '../base/certificate-details.ts'
import { CertificateError, nextChange, verifyClient, type Presented } from './verify-chain.ts'

/** Certificates that a client showed when it connected. */
export interface ClientCertificate extends Presented {
  /** Empty when the certificate has none. */
  readonly commonName: string
  /** The user of the certificate; null without a common name. */
  readonly identity: Authenticated | null
}

type Shown = ClientCertificate | CredentialError | null

const MAX_SENT = 32
const MAX_REMEMBERED = 1_024
const MAX_REMEMBERED_CHAINS = 8_192

// A member of the socket and no WeakMap: what HTTP/2 hands out as its socket is a proxy of it.
const CERTIFICATE = Symbol('client certificate')
type Socket = TLSSocket & { [CERTIFICATE]?: Shown }

type Speaker = Pick<ClientCertificate, 'commonName' | 'identity'>

/** The certificates that clients of one server show, each read once. */
export class ConnectionCertificates {
  // A resumed TLS session brings the client's own certificate and not the ones between it and the root. They are not
  // trusted any more for being remembered: each use verifies them again. Only chains that were found valid are kept, so
  // that strangers cannot displace those of clients.
  readonly #sentWith = new LRUCache<string, readonly CertificateDetails[]>({
    max: MAX_REMEMBERED_CHAINS,
  })
  /** Details of certificates, by fingerprint: most connections of a client show the same. */
  readonly #details = new LRUCache<string, CertificateDetails>({ max: MAX_REMEMBERED })
  readonly #speakers = new LRUCache<string, Speaker>({ max: MAX_REMEMBERED })

  /**
   * Reads the certificate of a new connection; never throws. Must run in the listener of `secureConnection`: where the
   * TLS library tried a signature of a client's chain in vain, it leaves an error behind that Node takes for one of the
   * next read, unless certificates are read in between, and the connection breaks without a response.
   */
  read(socket: TLSSocket): void {
    const holder: Socket = socket
    holder[CERTIFICATE] = this.#shown(socket)
  }

  /** The certificate of a connection, read once; null when there is none. Throws {@link CredentialError}. */
  of(socket: TLSSocket): ClientCertificate | null {
    const holder: Socket = socket
    let certificate = holder[CERTIFICATE]
    if (certificate === undefined) holder[CERTIFICATE] = certificate = this.#shown(socket)
    if (certificate instanceof CredentialError) throw certificate
    return certificate
  }

  /** Whether the client of a connection was found to have shown no certificate. */
  hasNone(socket: TLSSocket): boolean {
    const holder: Socket = socket
    return holder[CERTIFICATE] === null
  }

  /** Keeps the intermediates of a valid certificate, beside those that it came with before. */
  remember({ leaf, intermediates }: ClientCertificate): void {
    if (intermediates.length === 0) return
    const { fingerprint256 } = leaf.certificate
    const known = this.#sentWith.get(fingerprint256)
    if (known === intermediates) return
    const all = new Map(
      [...intermediates, ...(known ?? [])].map((one) => [one.certificate.fingerprint256, one]),
    )
    this.#sentWith.set(fingerprint256, [...all.values()].slice(0, MAX_SENT))
  }

  #shown(socket: TLSSocket): Shown {
    const first = socket.getPeerX509Certificate()
    if (!first) return null
    try {
      return {
        leaf: this.#detailsOf(first),
        intermediates: this.#intermediatesOf(first),
        ...this.#speakerOf(first),
      }
    } catch (cause) {
      return new CredentialError('x509: malformed certificate', { cause })
    }
  }

  #intermediatesOf(leaf: X509Certificate): readonly CertificateDetails[] {
    const sent: CertificateDetails[] = []
    let next = leaf.issuerCertificate
    while (next && sent.length < MAX_SENT) {
      sent.push(this.#detailsOf(next))
      next = next.issuerCertificate
    }
    return sent.length === 0 ? (this.#sentWith.get(leaf.fingerprint256) ?? sent) : sent
  }

  #detailsOf(certificate: X509Certificate): CertificateDetails {
    const { fingerprint256 } = certificate
    let known = this.#details.get(fingerprint256)
    if (!known) this.#details.set(fingerprint256, (known = certificateDetails(certificate)))
    return known
  }

  #speakerOf(certificate: X509Certificate): Speaker {
    const { fingerprint256 } = certificate
    let known = this.#speakers.get(fingerprint256)
    if (!known) this.#speakers.set(fingerprint256, (known = readSpeaker(certificate)))
    return known
  }
}

function readSpeaker(certificate: X509Certificate): Speaker {
  const { commonName, organizations: groups } = subjectOf(certificate)
  if (commonName === '') return { commonName, identity: null }
  const user = { name: commonName, uid: '', groups, extra: {} }
  return { commonName, identity: { user, audiences: null } }
}

/** The last common name counts; every organization does. */
function subjectOf(certificate: X509Certificate) {
  const { subject } = certificate.toLegacyObject() as unknown as {
    subject?: { CN?: string | string[]; O?: string | string[] }
  }
  return { commonName: list(subject?.CN).at(-1) ?? '', organizations: list(subject?.O) }
}

const list = (value: string | string[] | undefined): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

interface Verdict {
  readonly generation: number
  /** The verdict holds from when it was found until something begins or ceases to hold. */
  readonly fromMs: number
  readonly untilMs: number
  readonly error: CredentialError | null
}

export interface VerifierOptions {
  readonly bundle: CaBundle
  /** Certificates that clients of the server have shown. */
  readonly certificates: ConnectionCertificates
  readonly clock: Clock
  /** The text of an error, out of why a certificate does not hold. */
  readonly describe?: (certificate: ClientCertificate, why: string) => string
}

/** Verifies certificates of clients by one bundle: once for each connection, unless something changes. */
export class CertificateVerifier {
  readonly #bundle: CaBundle
  readonly #certificates: ConnectionCertificates
  readonly #clock: Clock
  readonly #describe: (certificate: ClientCertificate, why: string) => string
  readonly #verdicts = new WeakMap<TLSSocket, Verdict>()

  constructor({ bundle, certificates, clock, describe }: VerifierOptions) {
    this.#bundle = bundle
    this.#certificates = certificates
    this.#clock = clock
    this.#describe = describe ?? ((_, why) => why)
  }

  /** Null when the client showed no certificate. Throws {@link CredentialError} when it does not hold. */
  verified(socket: TLSSocket): ClientCertificate | null {
    const certificate = this.#certificates.of(socket)
    if (!certificate) return null
    const nowMs = this.#clock.now()
    let verdict = this.#verdicts.get(socket)
    if (!verdict || !this.#holds(verdict, nowMs)) {
      verdict = this.#judge(certificate, nowMs)
      this.#verdicts.set(socket, verdict)
    }
    if (verdict.error) throw verdict.error
    return certificate
  }

  /** The certificate, if it was found valid and nothing has changed since; null: it has to be verified. */
  known(socket: TLSSocket): ClientCertificate | null {
    const verdict = this.#verdicts.get(socket)
    if (verdict === undefined || verdict.error !== null || !this.#holds(verdict, this.#clock.now()))
      return null
    return this.#certificates.of(socket)
  }

  #holds({ generation, fromMs, untilMs }: Verdict, nowMs: number): boolean {
    return generation === this.#bundle.generation && nowMs >= fromMs && nowMs < untilMs
  }

  #judge(certificate: ClientCertificate, nowMs: number): Verdict {
    const { authorities, generation } = this.#bundle
    const all = [certificate.leaf, ...certificate.intermediates, ...authorities]
    let error: CredentialError | null = null
    try {
      verifyClient(certificate, authorities, nowMs)
      this.#certificates.remember(certificate)
    } catch (cause) {
      if (!(cause instanceof CertificateError)) throw cause
      error = new CredentialError(this.#describe(certificate, cause.message))
    }
    return { generation, fromMs: nowMs, untilMs: nextChange(all, nowMs), error }
  }
}
