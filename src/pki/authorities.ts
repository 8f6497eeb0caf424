import { createPublicKey, X509Certificate } from 'node:crypto'
import { isEnding, type Pki, type PkiParts } from './pki.ts'

/** Keys and certificates that all servers of one cluster must have in common, PEM. */
export type Authorities = Pick<Pki, 'ca' | 'caKey' | 'saPublicKey' | 'saPrivateKey'>

/** Where servers of one cluster share their authorities. */
export interface AuthorityStore {
  /** How people find the place. */
  readonly place: string
  read(): Promise<{ readonly authorities: Authorities; readonly revision: number } | null>
  /** Keeps them instead of those of a revision, 0 for none; false when another server was faster. */
  publish(authorities: Authorities, over: number): Promise<boolean>
}

/** Kept material that differs from the rest of the cluster. */
export class ForeignPki extends Error {
  readonly part: keyof Authorities
  constructor(part: keyof Authorities, message: string) {
    super(message)
    this.name = 'ForeignPki'
    this.part = part
  }
}

/**
 * The kept set with the cluster's authorities in it; an authority that is about to end counts as none. Throws
 * ForeignPki when the set is of another cluster.
 */
export function joined(kept: PkiParts, shared: Authorities, nowMs: number): PkiParts {
  if (kept.ca !== undefined && !isEndingCa(kept.ca, nowMs) && !isSameCa(kept.ca, shared.ca))
    throw new ForeignPki('ca', 'is not the certificate authority')
  const ownKey = kept.saPrivateKey
  if (ownKey !== undefined && !isSameKey(ownKey, shared.saPrivateKey))
    throw new ForeignPki('saPrivateKey', 'is not the key for tokens of service accounts')
  return { ...kept, ...shared }
}

/** The part of a whole set that is common. */
export const authoritiesOf = ({ ca, caKey, saPublicKey, saPrivateKey }: Pki): Authorities => ({
  ca,
  ...(caKey === undefined ? {} : { caKey }),
  saPublicKey,
  saPrivateKey,
})

/**
 * The cluster's authorities together with the rest of a set that `complete` makes: taken from the store, or
 * published there by the first server.
 */
export async function agreed(
  kept: PkiParts,
  store: AuthorityStore,
  nowMs: number,
  complete: (parts: PkiParts) => Promise<Pki>,
): Promise<Pki> {
  // Most often this is all there is to do, and it is done while the store is still far away.
  const own = await complete(kept).catch(() => null)
  if (own && kept.ca === undefined && (await store.publish(authoritiesOf(own), 0))) return own
  for (;;) {
    const held = await store.read()
    if (own && held && isSame(held.authorities, authoritiesOf(own))) return own
    const pki = held
      ? await complete(joined(kept, held.authorities, nowMs))
      : (own ?? (await complete(kept)))
    // The authority of the store was replaced only when it was about to end.
    if (held?.authorities.ca === pki.ca) return pki
    if (await store.publish(authoritiesOf(pki), held?.revision ?? 0)) return pki
  }
}

const isSame = (a: Authorities, b: Authorities): boolean =>
  a.ca === b.ca &&
  a.caKey === b.caKey &&
  a.saPublicKey === b.saPublicKey &&
  a.saPrivateKey === b.saPrivateKey

// An unreadable one is reported when it is used.
const isEndingCa = (pem: string, nowMs: number): boolean =>
  attempt(() => isEnding(new X509Certificate(pem), nowMs)) ?? false

const isSameCa = (a: string, b: string): boolean =>
  a === b || (attempt(() => fingerprint(a) === fingerprint(b)) ?? false)

const isSameKey = (a: string, b: string): boolean =>
  a === b || (attempt(() => createPublicKey(a).equals(createPublicKey(b))) ?? false)

const fingerprint = (pem: string): string => new X509Certificate(pem).fingerprint256

function attempt<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
