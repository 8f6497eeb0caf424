/** Certificates by the name that a client asks for in the handshake (SNI). */
import { X509Certificate } from 'node:crypto'

/** A certificate and its key, PEM. */
export interface CertificatePair {
  readonly cert: string
  readonly key: string
}

/** A pair, and the names that it is for; without names those of the certificate. */
export interface NamedPair extends CertificatePair {
  readonly names: readonly string[]
}

/** Assigns names to pairs: given names before those of certificates, and of several pairs the first. */
export function byServerName<P extends NamedPair>(pairs: readonly P[]): ReadonlyMap<string, P> {
  const found = new Map<string, P>()
  const add = (pair: P, names: readonly string[]) => {
    for (const name of names) {
      const key = name.toLowerCase()
      if (!found.has(key)) found.set(key, pair)
    }
  }
  for (const pair of pairs) add(pair, pair.names)
  for (const pair of pairs) if (pair.names.length === 0) add(pair, namesOf(pair.cert))
  return found
}

/** The entry of a name: its own, or that of the wildcard in the place of its first label. */
export function forServerName<T>(entries: ReadonlyMap<string, T>, name: string): T | undefined {
  const key = name.toLowerCase().replace(/\.$/, '')
  return entries.get(key) ?? entries.get(key.replace(/^[^.]*/, '*'))
}

const COMMON_NAME = /^CN=(.*)$/m
const DNS = /(?:^|, )DNS:([^,]*)/g

/** Names of a certificate: the alternative ones, or the common name of one that has none. */
function namesOf(pem: string): readonly string[] {
  const { subjectAltName, subject } = new X509Certificate(pem)
  if (subjectAltName !== undefined)
    return [...subjectAltName.matchAll(DNS)].map(([, name]) => name!)
  const commonName = COMMON_NAME.exec(subject)?.[1]
  return commonName === undefined ? [] : [commonName]
}
