import type { X509Certificate } from 'node:crypto'
import { contextTag, readDer, readFirst, readSmallInteger, type DerElement } from './der.ts'

/**
 * Parts of a certificate that `X509Certificate` does not show. Read here because every connection needs them
 * and the library for certificates takes longer to load than the rest of the server.
 */
export interface CertificateDetails {
  readonly certificate: X509Certificate
  readonly notBeforeMs: number
  readonly notAfterMs: number
  /** Whether basic constraints say so. */
  readonly isAuthority: boolean
  readonly hasBasicConstraints: boolean
  readonly version: number
  /** How many authorities may be between this one and a leaf; infinite without a constraint. */
  readonly maxPathLength: number
  readonly hasNameConstraints: boolean
  readonly hasAlternativeNames: boolean
  /** First byte of the bits of what the key may be used for; null without a limit. */
  readonly keyUses: number | null
  /** Whether something must be understood that is not. */
  readonly hasUnknownCritical: boolean
  /** Whether the signature is of a kind that can be trusted today. */
  readonly isSoundlySigned: boolean
  /** Upper-case hexadecimal bytes with colons; empty when absent. */
  readonly subjectKeyId: string
  readonly authorityKeyId: string
}

const EXPLICIT_VERSION = contextTag(0, true)
const KEY_USAGE = '551d0f'
const ALTERNATIVE_NAMES = '551d11'
const BASIC_CONSTRAINTS = '551d13'
const NAME_CONSTRAINTS = '551d1e'
const SUBJECT_KEY_ID = '551d0e'
const AUTHORITY_KEY_ID = '551d23'
const EXTENDED_KEY_USAGE = '551d25'
const REVOCATION_LISTS = '551d1f'
const POLICIES = '551d20'

const UNDERSTOOD = new Set([
  KEY_USAGE,
  ALTERNATIVE_NAMES,
  BASIC_CONSTRAINTS,
  NAME_CONSTRAINTS,
  SUBJECT_KEY_ID,
  AUTHORITY_KEY_ID,
  EXTENDED_KEY_USAGE,
  REVOCATION_LISTS,
  POLICIES,
])

/** RSA, ECDSA and EdDSA over digests of the SHA-2 family. */
const SOUND = new Set([
  '2a864886f70d01010b',
  '2a864886f70d01010c',
  '2a864886f70d01010d',
  '2a8648ce3d040302',
  '2a8648ce3d040303',
  '2a8648ce3d040304',
  '2b6570',
])
const RSA_PSS = '2a864886f70d01010a'
const SHA_2 = new Set(['608648016503040201', '608648016503040202', '608648016503040203'])

/** Reads the details (RFC 5280). Throws an Error when the certificate is not well formed. */
export function certificateDetails(certificate: X509Certificate): CertificateDetails {
  const [tbs] = children(only(certificate.raw))
  const parts = children(tbs!)
  const version =
    parts[0]!.tag === EXPLICIT_VERSION ? readSmallInteger(children(parts[0]!)[0]) + 1 : 1
  const algorithm = parts[parts[0]!.tag === EXPLICIT_VERSION ? 2 : 1]!
  const list = parts.find((part) => part.tag === 0xa3)
  const extensions = list ? children(children(list)[0]!).map(extensionOf) : []
  const find = (id: string) => extensions.find((extension) => extension.id === id)?.value
  const constraints = basicConstraints(find(BASIC_CONSTRAINTS))
  const ownId = find(SUBJECT_KEY_ID)
  const authority = find(AUTHORITY_KEY_ID)
  const issuerId = authority && children(only(authority)).find((part) => part.tag === 0x80)
  return {
    certificate,
    notBeforeMs: Date.parse(certificate.validFrom),
    notAfterMs: Date.parse(certificate.validTo),
    version,
    ...constraints,
    hasNameConstraints: find(NAME_CONSTRAINTS) !== undefined,
    hasAlternativeNames: find(ALTERNATIVE_NAMES) !== undefined,
    keyUses: keyUses(find(KEY_USAGE)),
    hasUnknownCritical: extensions.some((e) => e.isCritical && !UNDERSTOOD.has(e.id)),
    isSoundlySigned: isSound(algorithm),
    subjectKeyId: ownId ? hexOf(only(ownId).content) : '',
    authorityKeyId: issuerId ? hexOf(issuerId.content) : '',
  }
}

function basicConstraints(value: Buffer | undefined) {
  if (!value) return { isAuthority: false, hasBasicConstraints: false, maxPathLength: Infinity }
  const parts = children(only(value))
  const isAuthority = parts[0]?.tag === 0x01 && parts[0].content[0] === 0xff
  const length = parts.find((part) => part.tag === 0x02)
  return {
    isAuthority,
    hasBasicConstraints: true,
    maxPathLength: length ? readSmallInteger(length) : Infinity,
  }
}

/** Behind the count of unused bits. */
const keyUses = (value: Buffer | undefined): number | null =>
  value === undefined ? null : (only(value).content[1] ?? 0)

function isSound(algorithm: DerElement): boolean {
  const [id, parameters] = children(algorithm)
  const name = id!.content.toString('hex')
  if (name !== RSA_PSS) return SOUND.has(name)
  // Without its digest it means SHA-1.
  const digest = parameters && children(parameters).find((part) => part.tag === 0xa0)
  const digestId = digest && children(children(digest)[0]!)[0]
  return digestId !== undefined && SHA_2.has(digestId.content.toString('hex'))
}

function extensionOf(element: DerElement) {
  const parts = children(element)
  return {
    id: parts[0]!.content.toString('hex'),
    isCritical: parts[1]!.tag === 0x01 && parts[1]!.content[0] !== 0,
    value: parts.at(-1)!.content,
  }
}

const hexOf = (bytes: Buffer): string =>
  [...bytes].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(':')

/** The first element; bytes behind it are ignored. */
const only = readFirst

const children = ({ content }: DerElement): DerElement[] => readDer(content)
