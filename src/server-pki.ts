/** What a server identifies itself with, and what it has in common with others over one store. */
import { createPki, ensurePki, type Pki } from './pki/files.ts'
import type { PkiOptions } from './pki/pki.ts'
import type { ServerOptions } from './server-options.ts'
import type { Engine } from './store/store.ts'

/** Where a server's keys come from. */
export interface ServerPkiParts extends PkiOptions {
  readonly engine: Engine
  readonly options: Pick<ServerOptions, 'dataDir' | 'etcd' | 'shareAuthorities'>
  readonly isStale?: (key: string) => Promise<boolean>
}

/** Takes or makes keys and certificates. Throws an Error about what a server cannot start with. */
export async function serverPki({
  engine,
  options,
  isStale,
  ...asked
}: ServerPkiParts): Promise<Pki> {
  const { dataDir: dir, etcd, shareAuthorities = true } = options
  if (engine.name === 'etcd' && etcd && shareAuthorities) {
    const { authorityStore, AUTHORITIES_KEY } = await import('./boot-authorities.ts')
    const { Layout } = await import('./store/etcd/layout.ts')
    const shared = authorityStore({
      engine,
      place: `the key ${new Layout(etcd.prefix).toEtcd(AUTHORITIES_KEY)} in etcd`,
      ...(isStale ? { isStale } : {}),
    })
    return dir === undefined
      ? createPki({ ...asked, shared })
      : ensurePki({ ...asked, dir, shared })
  }
  if (dir === undefined) return createPki(asked)
  // A store that came from etcd brings what its servers had in common.
  const inherited = async () =>
    engine.name === 'etcd' ? null : (await import('./boot-authorities.ts')).heldAuthorities(engine)
  return ensurePki({ ...asked, dir, inherited })
}
