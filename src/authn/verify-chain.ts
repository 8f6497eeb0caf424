import { formatTime } from '../base/time.ts'
import type { CertificateDetails } from '../base/certificate-details.ts'

/** Why a certificate does not hold. */
export class CertificateError extends Error {}

export interface Presented {
  readonly leaf: CertificateDetails
  /** Other certificates of the client, in no particular order. */
  readonly intermediates: readonly CertificateDetails[]
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const ANY_USE = '2.5.29.37.0'
// A client must not make the server check signatures without end.
const MAX_SIGNATURES = 100

const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority'
const WRONG_USE = 'x509: certificate specifies an incompatible key usage'

/** Throws {@link CertificateError} unless the leaf may speak for a client by one of the roots (RFC 5280, 6.1). */
export function verifyClient(
  presented: Presented,
  roots: readonly CertificateDetails[],
  nowMs: number,
): void {
  const { leaf } = presented
  checkOne(leaf, nowMs)
  if (roots.some((root) => root.certificate.raw.equals(leaf.certificate.raw))) {
    if (!servesClients([leaf])) throw new CertificateError(WRONG_USE)
    return
  }
  const search = { presented, roots, nowMs, signatures: 0, why: '' }
  if (!reachesRoot(search, [leaf])) throw new CertificateError(search.why || UNKNOWN_AUTHORITY)
}

/** The next instant at which one of these certificates begins or ceases to hold. */
export function nextChange(certificates: readonly CertificateDetails[], nowMs: number): number {
  let next = Infinity
  for (const { notBeforeMs, notAfterMs } of certificates) {
    if (notBeforeMs > nowMs) next = Math.min(next, notBeforeMs)
    // It holds during its last millisecond.
    if (notAfterMs >= nowMs) next = Math.min(next, notAfterMs + 1)
  }
  return next
}

interface Search {
  readonly presented: Presented
  readonly roots: readonly CertificateDetails[]
  readonly nowMs: number
  signatures: number
  /** Why the last candidate was refused. */
  why: string
}

function reachesRoot(search: Search, chain: readonly CertificateDetails[]): boolean {
  for (const root of search.roots) {
    if (!mayFollow(search, chain, root, true)) continue
    if (servesClients([...chain, root])) return true
    search.why = WRONG_USE
  }
  return search.presented.intermediates.some(
    (between) =>
      !chain.some((link) => link.certificate.raw.equals(between.certificate.raw)) &&
      mayFollow(search, chain, between, false) &&
      reachesRoot(search, [...chain, between]),
  )
}

function mayFollow(
  search: Search,
  chain: readonly CertificateDetails[],
  issuer: CertificateDetails,
  isRoot: boolean,
): boolean {
  const issued = chain.at(-1)!
  if (!issued.certificate.checkIssued(issuer.certificate)) return false
  try {
    checkOne(issuer, search.nowMs)
    checkAuthority(issuer, chain, isRoot)
    search.signatures++
    if (search.signatures > MAX_SIGNATURES) {
      throw new CertificateError('x509: signature check attempts limit reached')
    }
    if (!issued.isSoundlySigned) {
      throw new CertificateError('x509: cannot verify signature: insecure algorithm')
    }
    return issued.certificate.verify(issuer.certificate.publicKey)
  } catch (error) {
    search.why = error instanceof CertificateError ? error.message : UNKNOWN_AUTHORITY
    return false
  }
}

function checkOne(details: CertificateDetails, nowMs: number): void {
  const { notBeforeMs, notAfterMs } = details
  if (details.hasUnknownCritical) throw new CertificateError('x509: unhandled critical extension')
  const early = nowMs < notBeforeMs
  // Also for times that cannot be read, which compare with nothing.
  if (early || !(nowMs <= notAfterMs)) {
    const bound = early ? `before ${timeOf(notBeforeMs)}` : `after ${timeOf(notAfterMs)}`
    throw new CertificateError(
      `x509: certificate has expired or is not yet valid: current time ${timeOf(nowMs)} is ${bound}`,
    )
  }
}

const timeOf = (ms: number) => (Number.isFinite(ms) ? formatTime(ms) : 'an unreadable time')

function checkAuthority(
  issuer: CertificateDetails,
  chain: readonly CertificateDetails[],
  isRoot: boolean,
): void {
  // A root may be older than the extension that makes it an authority; it was chosen by name.
  const isOldRoot = isRoot && issuer.version < 3 && !issuer.hasBasicConstraints
  if (!issuer.isAuthority && !isOldRoot) {
    throw new CertificateError('x509: certificate is not authorized to sign other certificates')
  }
  if (chain.length - 1 > issuer.maxPathLength) {
    throw new CertificateError('x509: too many intermediates for path length constraint')
  }
  // Names of hosts are irrelevant for users; whether they keep to the constraint is not worth finding out.
  if (issuer.hasNameConstraints && chain[0]!.hasAlternativeNames) {
    throw new CertificateError('x509: name constraints on clients are not supported')
  }
}

/** Every link that limits its uses has to allow clients. */
const servesClients = (chain: readonly CertificateDetails[]): boolean =>
  chain.every(({ certificate: { keyUsage } }) => {
    // Extended uses, for all that Node calls them.
    const uses: readonly string[] | undefined = keyUsage
    return uses === undefined || uses.includes(CLIENT_AUTH) || uses.includes(ANY_USE)
  })
