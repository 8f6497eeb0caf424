import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { addressFamily } from '../base/address-family.ts'
import type { Clock } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { servingHosts, thisMachine, type Machine } from './hosts.ts'
import type { Issued, Subject } from './subject.ts'

/** Everything a server identifies itself and its administrator with, PEM. */
export interface Pki {
  readonly ca: string
  /** Absent when it is kept elsewhere: then nothing can be issued. */
  readonly caKey?: string
  readonly servingCert: string
  readonly servingKey: string
  readonly adminCert: string
  readonly adminKey: string
  /** Pair that service account tokens are signed with. */
  readonly saPublicKey: string
  readonly saPrivateKey: string
}

/** Existing parts; the others are to be made. */
export type PkiParts = Partial<Pki>

export interface PkiOptions {
  readonly vocabulary: Vocabulary
  readonly clock: Clock
  readonly bindAddress: string
  /** Further names and addresses that the serving certificate must be good for. */
  readonly hosts?: readonly string[]
  /** By default the one this process runs on. */
  readonly machine?: Machine
}

/** Kept material that cannot be used and must not be replaced without consent. */
export class UnusablePki extends Error {
  readonly part: keyof Pki
  constructor(part: keyof Pki, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnusablePki'
    this.part = part
  }
}

const DAY_MS = 86_400_000
const CA_LIFETIME_MS = 3650 * DAY_MS
const LEAF_LIFETIME_MS = 365 * DAY_MS
/** A certificate that ends sooner than this is renewed. */
export const RENEW_BEFORE_MS = 30 * DAY_MS
// Clocks of clients may be behind ours.
const BACKDATE_MS = 5 * 60_000

/** When a certificate is to be renewed, milliseconds since the epoch. */
export const renewalOf = (x509: X509Certificate): number =>
  Date.parse(x509.validTo) - RENEW_BEFORE_MS

/** Whether a certificate is to be renewed because its time is nearly over. */
export const isEnding = (x509: X509Certificate, nowMs: number): boolean => renewalOf(x509) < nowMs

/**
 * Renews the certificates of server and administrator that are about to end; returns the given object when none is. A
 * running server keeps its authority: others rely on it. Throws UnusablePki when it has no key.
 */
export async function renewedPki(pki: Pki, options: PkiOptions): Promise<Pki> {
  const nowMs = options.clock.now()
  if (isEnding(new X509Certificate(pki.ca), nowMs)) return pki
  const leaves = [pki.servingCert, pki.adminCert]
  if (!leaves.some((cert) => isEnding(new X509Certificate(cert), nowMs))) return pki
  return completePki(pki, options)
}

/**
 * Whether a certificate was made by these programs, which put a time behind the name of its subject, and is about to end.
 * `issuerOf` gives the issuer that such a subject has. Certificates of others are renewed by their owners.
 */
export function isOwnAndEnding(
  pem: string,
  nowMs: number,
  issuerOf: (name: string, serial: string) => string,
): boolean {
  try {
    const x509 = new X509Certificate(pem)
    const [, name, serial] = /^CN=(.*)@(\d+)$/.exec(x509.subject) ?? []
    if (name === undefined || serial === undefined) return false
    return x509.issuer === `CN=${issuerOf(name, serial)}` && isEnding(x509, nowMs)
  } catch {
    return false
  }
}

interface Wanted {
  readonly subject: Subject
  readonly use: 'server' | 'client'
  readonly hosts: readonly string[]
}

/**
 * Makes parts that are missing, about to end, or do not fit the options any more. Throws UnusablePki where that would
 * replace an authority or a token key that others may rely on.
 */
export async function completePki(kept: PkiParts, options: PkiOptions): Promise<Pki> {
  const { vocabulary: v, clock, bindAddress, hosts = [], machine = thisMachine() } = options
  const nowMs = clock.now()
  const wanted = {
    serving: {
      subject: { commonName: v.resolve('{system}-apiserver') },
      use: 'server',
      hosts: [...new Set([...servingHosts(v, bindAddress, machine), ...hosts])],
    },
    admin: {
      subject: { commonName: v.resolve('{brand}-admin'), organization: 'system:masters' },
      use: 'client',
      hosts: [],
    },
  } as const satisfies Record<string, Wanted>

  // Reading or making one takes milliseconds, in which a store is perhaps waited for.
  await yieldToEventLoop()
  const authority = await keptOrNewAuthority(kept, v, nowMs)
  const serving =
    usable(wanted.serving, authority, kept.servingCert, kept.servingKey, nowMs) ??
    (await issueLeaf(wanted.serving, authority, nowMs))
  const admin =
    usable(wanted.admin, authority, kept.adminCert, kept.adminKey, nowMs) ??
    (await issueLeaf(wanted.admin, authority, nowMs))
  const accounts = await accountKeys(kept)
  return {
    ca: authority.cert,
    ...(authority.key === undefined ? {} : { caKey: authority.key }),
    servingCert: serving.cert,
    servingKey: serving.key,
    adminCert: admin.cert,
    adminKey: admin.key,
    saPublicKey: accounts.publicKey,
    saPrivateKey: accounts.privateKey,
  }
}

interface Authority {
  readonly cert: string
  readonly key: string | undefined
  readonly x509: X509Certificate
}

async function keptOrNewAuthority(
  kept: PkiParts,
  v: Vocabulary,
  nowMs: number,
): Promise<Authority> {
  const { ca, caKey } = kept
  if (ca !== undefined) {
    const x509 = readCertificate('ca', ca)
    if (!x509.ca) throw new UnusablePki('ca', 'is not the certificate of an authority')
    if (caKey !== undefined && !x509.checkPrivateKey(readKey('caKey', caKey))) {
      throw new UnusablePki('caKey', 'is not the key of the certificate beside it')
    }
    if (!isEnding(x509, nowMs)) return { cert: ca, key: caKey, x509 }
  } else if (caKey !== undefined) {
    throw new UnusablePki('ca', 'is missing although its key is there')
  }
  const { issue } = await import('./issue.ts')
  await yieldToEventLoop()
  const made = issue({
    subject: { commonName: v.resolve('{brand}-ca') },
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: nowMs + CA_LIFETIME_MS,
    use: 'authority',
  })
  return { ...made, x509: new X509Certificate(made.cert) }
}

/** The kept pair, when it is whole, of this authority, long enough valid and for whom it is wanted. */
function usable(
  wanted: Wanted,
  authority: Authority,
  cert: string | undefined,
  key: string | undefined,
  nowMs: number,
): Issued | null {
  if (cert === undefined || key === undefined) return null
  try {
    const x509 = new X509Certificate(cert)
    const { commonName, organization } = wanted.subject
    const subject = [
      ...(organization === undefined ? [] : [`O=${organization}`]),
      `CN=${commonName}`,
    ]
    const fits =
      x509.checkPrivateKey(createPrivateKey(key)) &&
      x509.verify(authority.x509.publicKey) &&
      x509.subject === subject.join('\n') &&
      Date.parse(x509.validFrom) <= nowMs &&
      !isEnding(x509, nowMs) &&
      wanted.hosts.every((host) => covers(x509, host))
    return fits ? { cert, key } : null
  } catch {
    // Unreadable: it is in use nowhere, so a new one is as good.
    return null
  }
}

const covers = (x509: X509Certificate, host: string): boolean =>
  (addressFamily(host) === 0 ? x509.checkHost(host, { subject: 'never' }) : x509.checkIP(host)) !==
  undefined

async function issueLeaf(wanted: Wanted, authority: Authority, nowMs: number): Promise<Issued> {
  const { cert, key, x509 } = authority
  if (key === undefined) {
    throw new UnusablePki(
      'caKey',
      `is needed to issue a certificate for ${wanted.subject.commonName}`,
    )
  }
  const { issue } = await import('./issue.ts')
  await yieldToEventLoop()
  return issue({
    ...wanted,
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: Math.min(nowMs + LEAF_LIFETIME_MS, Date.parse(x509.validTo)),
    issuer: { cert, key },
  })
}

async function accountKeys(kept: PkiParts): Promise<{ publicKey: string; privateKey: string }> {
  const { saPublicKey: publicKey, saPrivateKey: privateKey } = kept
  if (privateKey === undefined) return (await import('./issue.ts')).newKeyPair()
  const key = readKey('saPrivateKey', privateKey)
  if (publicKey !== undefined) return { publicKey, privateKey }
  const derived = createPublicKey(key).export({ type: 'spki', format: 'pem' })
  return { publicKey: derived as string, privateKey }
}

function readCertificate(part: keyof Pki, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (cause) {
    throw new UnusablePki(part, 'holds no certificate', cause)
  }
}

function readKey(part: keyof Pki, pem: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem)
  } catch (cause) {
    throw new UnusablePki(part, 'holds no private key', cause)
  }
}
