/** What a server identifies itself with, and what it has in common with others over one store. */
import { createPki, ensurePki, type Pki, type PkiPlace } from '../pki/files.ts'
import type { PkiOptions } from '../pki/pki.ts'
import { dataDirFault } from './data-dir.ts'
import type { ServerOptions } from './options/server-options.ts'
import type { EncryptedEngine } from '../engine/encryption/encrypted-engine.ts'
import type { Engine } from '../engine/engine.ts'

/** A store that is there; `encrypted` is `engine`, where it keeps what is written there from others. */
export interface OpenedStore {
  readonly engine: Engine
  readonly encrypted: EncryptedEngine | null
}

/** Where a server's keys come from. */
export interface ServerPkiParts extends PkiOptions {
  /** Perhaps still being opened. */
  readonly store: Promise<OpenedStore>
  readonly options: Pick<ServerOptions, 'dataDir' | 'etcd' | 'log' | 'shareAuthorities' | 'store'>
}

/** Takes or makes keys and certificates. Throws an Error about what a server cannot start with. */
export async function serverPki({ store, options, ...asked }: ServerPkiParts): Promise<Pki> {
  const { dataDir: dir, etcd, log, shareAuthorities = true } = options
  const onReadable = (what: string) => log?.warn(what)
  if (etcd && (options.store ?? 'etcd') === 'etcd' && shareAuthorities) {
    const { authorityStore, AUTHORITIES_KEY } = await import('./bootstrap/authorities.ts')
    const { Layout } = await import('../engine/etcd/layout.ts')
    const shared = authorityStore({
      store,
      place: `the key ${new Layout(etcd.prefix).toEtcd(AUTHORITIES_KEY)} in etcd`,
    })
    return dir === undefined
      ? createPki({ ...asked, shared })
      : kept({ ...asked, dir, shared, onReadable })
  }
  // The store first: who has it may touch the rest of the data directory.
  const { engine } = await store
  if (dir === undefined) return createPki(asked)
  // A store that came from etcd brings what its servers had in common.
  const inherited = async () =>
    engine.name === 'etcd'
      ? null
      : (await import('./bootstrap/authorities.ts')).heldAuthorities(engine)
  return kept({ ...asked, dir, inherited, onReadable })
}

async function kept(options: PkiOptions & PkiPlace): Promise<Pki> {
  try {
    return await ensurePki(options)
  } catch (error) {
    throw dataDirFault(options.dir, error)
  }
}
