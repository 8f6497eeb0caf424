import type { TLSSocket } from 'node:tls'

/** Who a client certificate speaks for. */
export interface Identity {
  readonly name: string
  readonly groups: readonly string[]
}

export type CertificateResult =
  /** No certificate was shown. */
  | { readonly is: 'none' }
  /** One was shown that does not hold. */
  | { readonly is: 'refused' }
  | { readonly is: 'accepted'; readonly identity: Identity }

const known = new WeakMap<TLSSocket, CertificateResult>()

/**
 * Reads the identity off a connection's client certificate: the common name is the user, each organization a
 * group (seed 1, Client certificate). Verified by TLS during the handshake; read once for each connection.
 */
export function clientCertificate(socket: TLSSocket): CertificateResult {
  let result = known.get(socket)
  if (!result) {
    result = read(socket)
    known.set(socket, result)
  }
  return result
}

function read(socket: TLSSocket): CertificateResult {
  const certificate = socket.getPeerCertificate()
  const subject = (
    certificate as { subject?: { CN?: string | string[]; O?: string | string[] } } | null
  )?.subject
  if (!subject) return { is: 'none' }
  if (!socket.authorized) return { is: 'refused' }
  const names = list(subject.CN)
  const name = names.at(-1)
  if (name === undefined || name === '') return { is: 'refused' }
  return { is: 'accepted', identity: { name, groups: list(subject.O) } }
}

const list = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]
