/** Certificates by the name that a client asks for in the handshake (SNI). */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

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

const HOST = /^(\*|(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$/
const COMMON_NAME = /^CN=(.*)$/m
const DNS = /(?:^|, )DNS:([^,]*)/g

/** Names of a certificate: its common name, where that is a name of a host, and the alternative ones. No addresses. */
function namesOf(pem: string): readonly string[] {
  const { subjectAltName = '', subject } = new X509Certificate(pem)
  const commonName = COMMON_NAME.exec(subject)?.[1] ?? ''
  const isHost = isIP(commonName) === 0 && HOST.test(commonName)
  const others = [...subjectAltName.matchAll(DNS)].map(([, name]) => name!)
  return isHost ? [commonName, ...others] : others
}
