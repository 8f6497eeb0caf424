/** The certificate that servers show to extension servers, when none is given. */
import { X509Certificate } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { encodeBody } from '../../engine/record.ts'
import type { Item } from '../../engine/engine.ts'
import { newProxyIdentity, type ProxyIdentity } from '../../pki/proxy-identity.ts'
import { renewalOf } from '../../pki/pki.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { OpenedStore } from '../components/store.ts'
import { AUTHORITY_PREFIX, readOwnRecord } from '../server-records.ts'

/** Key of the identity in the store. */
const PROXY_KEY = `${AUTHORITY_PREFIX}proxy`

interface Parts {
  readonly store: OpenedStore
  readonly v: Vocabulary
  /** Of the machine: others check certificates against it. */
  readonly clock: Clock
}

/**
 * The identity that all servers over the store have as a proxy; made when there is none, and anew when it is about to
 * end.
 */
export async function ensureProxyIdentity({ store, v, clock }: Parts): Promise<ProxyIdentity> {
  const { engine, encrypted } = store
  for (;;) {
    const item = await engine.get(PROXY_KEY)
    const nowMs = clock.now()
    const present = item && usable(identityIn(item), nowMs)
    // Encrypted with an older key: rewritten, so that it no longer needs that key.
    if (present && !(await encrypted?.isStale(PROXY_KEY))) return present
    const made = present ?? newProxyIdentity(v, nowMs)
    const value = encodeBody({ proxy: { ...made } })
    const { done } = await engine.commit([
      { key: PROXY_KEY, value, ifChangedAt: item?.changed ?? 0 },
    ])
    // Otherwise another server was faster.
    if (done) return made
  }
}

/** When a new identity is needed, milliseconds since the epoch. */
export const endOf = ({ cert }: ProxyIdentity): number => renewalOf(new X509Certificate(cert))

const usable = (identity: ProxyIdentity | null, nowMs: number): ProxyIdentity | null =>
  identity && endOf(identity) > nowMs ? identity : null

/** Null where it cannot be read: a new one is as good. */
function identityIn(item: Item): ProxyIdentity | null {
  const { ca, cert, key } = (readOwnRecord(item)['proxy'] ?? {}) as Record<string, unknown>
  if (typeof ca !== 'string' || typeof cert !== 'string' || typeof key !== 'string') return null
  return { ca, cert, key }
}
