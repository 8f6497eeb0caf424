/** The identity of servers as a proxy in front of extension servers. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { issue } from './issue.ts'

/** A client certificate and the authority that extension servers verify it with, PEM. */
export interface ProxyIdentity {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

const DAY_MS = 86_400_000
const LIFETIME_MS = 365 * DAY_MS
const BACKDATE_MS = 5 * 60_000

/** The common name of the certificate. */
export const proxyName = (v: Vocabulary): string => v.resolve('{system}-aggregator')

/**
 * Makes an identity. The holder of a certificate of its authority can act as any user of the extension servers: the
 * authority is not that of clients, it signs this one certificate, and its key is kept nowhere.
 */
export function newProxyIdentity(v: Vocabulary, nowMs: number): ProxyIdentity {
  const times = { notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: nowMs + LIFETIME_MS }
  const authority = issue({
    subject: { commonName: v.resolve('{brand}-proxy-ca') },
    ...times,
    use: 'authority',
  })
  const { cert, key } = issue({
    subject: { commonName: proxyName(v) },
    ...times,
    use: 'client',
    issuer: authority,
  })
  return { ca: authority.cert, cert, key }
}
