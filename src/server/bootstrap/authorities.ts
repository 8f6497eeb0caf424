/** Authorities that all servers over one store share, stored in it. */
import type { Authorities, AuthorityStore } from '../../pki/authorities.ts'
import type { OpenedStore } from '../components/store.ts'
import { AUTHORITY_PREFIX, readOwnRecord } from '../server-records.ts'
import { encodeBody } from '../../engine/record.ts'
import type { Engine, Item } from '../../engine/engine.ts'

/** Storage key of the authorities. */
export const AUTHORITIES_KEY = `${AUTHORITY_PREFIX}cluster`

interface Parts {
  /** Perhaps still being opened. */
  readonly store: Promise<OpenedStore>
  /** How people find the key. */
  readonly place: string
}

/** The authorities of the store that this server shares with others. */
export function authorityStore({ store, place }: Parts): AuthorityStore {
  const commit = async (authorities: Authorities, over: number) => {
    const { engine } = await store
    const value = encodeBody({ authorities: { ...authorities } })
    const { done } = await engine.commit([{ key: AUTHORITIES_KEY, value, ifChangedAt: over }])
    return done
  }
  return {
    place,
    async read() {
      const { engine, encrypted } = await store
      for (;;) {
        const item = await engine.get(AUTHORITIES_KEY)
        if (!item) return null
        const authorities = authoritiesIn(item, place)
        const revision = item.changed
        if (!(await encrypted?.isStale(AUTHORITIES_KEY))) return { authorities, revision }
        // Encrypted with an older key: rewritten, so that it no longer needs that key.
        await commit(authorities, revision)
      }
    },
    publish: commit,
  }
}

/** The authorities that a store holds, which was perhaps once shared; null without. */
export async function heldAuthorities(engine: Engine): Promise<Authorities | null> {
  const item = await engine.get(AUTHORITIES_KEY)
  return item && authoritiesIn(item, `the key ${AUTHORITIES_KEY} of the store`)
}

function authoritiesIn(item: Item, place: string): Authorities {
  const { authorities } = readOwnRecord(item)
  const { ca, caKey, saPublicKey, saPrivateKey } = (authorities ?? {}) as Record<string, unknown>
  if (
    typeof ca !== 'string' ||
    typeof saPublicKey !== 'string' ||
    typeof saPrivateKey !== 'string' ||
    !(caKey === undefined || typeof caKey === 'string')
  )
    throw new Error(`${place} does not hold what servers have in common`)
  return { ca, ...(caKey === undefined ? {} : { caKey }), saPublicKey, saPrivateKey }
}
