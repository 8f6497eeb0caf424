import type { RequestAuthenticator } from './authenticator.ts'
import {
  CertificateVerifier,
  type ClientCertificate,
  type VerifierOptions,
} from './connection-certificate.ts'

export interface ClientCertificateOptions extends Omit<VerifierOptions, 'describe'> {
  /** Called for every request with a certificate with the seconds of its remaining life, before it is verified. */
  readonly observe?: (secondsLeft: number) => void
}

/**
 * Authenticates users by certificates: the common name is the user, each organization a group.
 * Verified here and not in the handshake, so that a bad certificate gets a response that a client can read.
 */
export function clientCertificate(options: ClientCertificateOptions): RequestAuthenticator {
  const { bundle, certificates, clock, observe } = options
  const verifier = new CertificateVerifier({ bundle, certificates, clock, describe })
  const used = ({ leaf }: ClientCertificate) => observe?.((leaf.notAfterMs - clock.now()) / 1000)
  return {
    name: 'client certificate',
    authenticateRequest({ socket }) {
      if (observe) {
        const certificate = certificates.of(socket)
        if (certificate) used(certificate)
      }
      return verifier.verified(socket)?.identity ?? null
    },
    recall({ socket }) {
      const certificate = verifier.known(socket)
      if (certificate === null || certificate.identity === null) return null
      used(certificate)
      return certificate.identity
    },
    ignores: ({ socket }) => certificates.hasNone(socket),
  }
}

function describe({ leaf }: ClientCertificate, why: string): string {
  const number = BigInt(`0x${leaf.certificate.serialNumber}`)
  return (
    `verifying certificate SN=${number}, SKID=${leaf.subjectKeyId}, ` +
    `AKID=${leaf.authorityKeyId} failed: ${why}`
  )
}
