import { systemClock } from '../../base/clock.ts'
import { createPki, ensurePki, type Pki, type PkiPlace } from '../../pki/files.ts'
import type { PkiOptions } from '../../pki/pki.ts'
import { dataDirFault } from '../data-dir.ts'
import type { Settings } from '../settings.ts'
import { hasOwnFiles, LOOPBACK_NAME } from '../serving-certificates.ts'
import { storeKinds } from '../store-kinds.ts'
import { component } from './component.ts'
import type { OpenedStore } from './store.ts'

/**
 * Loads keys and certificates of the server and its administrator, or creates them. Keys that servers share are created
 * while the store opens. Throws an Error that names the file which cannot be used.
 */
export const pki = (settings: Settings) =>
  component({
    name: 'pki',
    needs: ['dataDir'],
    beside: ['store'],
    start: async (_, { store }) => ({ part: await serverPki(settings, store) }),
  })

async function serverPki(settings: Settings, store: Promise<OpenedStore>): Promise<Pki> {
  const { dataDir: dir, shareAuthorities = true } = settings.options
  const { sharedPlace } = storeKinds[settings.store]
  const options = pkiOptions(settings)
  const onReadable = (what: string) => settings.log.warn(what)
  if (sharedPlace && shareAuthorities) {
    const { authorityStore, AUTHORITIES_KEY } = await import('../bootstrap/authorities.ts')
    const shared = authorityStore({ store, place: await sharedPlace(settings, AUTHORITIES_KEY) })
    return dir === undefined
      ? createPki({ ...options, shared })
      : keptPki({ ...options, dir, shared, onReadable })
  }
  // The store first: only the holder of its lock may touch the rest of the data directory.
  const { engine } = await store
  if (dir === undefined) return createPki(options)
  // A store migrated from etcd includes the shared authorities of its servers.
  const inherited = async () =>
    engine.isShared ? null : (await import('../bootstrap/authorities.ts')).heldAuthorities(engine)
  return keptPki({ ...options, dir, inherited, onReadable })
}

/** What the server's own certificates are made with. */
export const pkiOptions = ({ options, inside, v, bindAddress, ranges }: Settings): PkiOptions => ({
  vocabulary: v,
  // Clients check certificates against the machine's clock, not that of a test.
  clock: inside.pkiClock ?? systemClock,
  bindAddress,
  hosts: [
    ...namedHosts({ options, ranges }),
    ...(hasOwnFiles(options.serving ?? {}) ? [LOOPBACK_NAME] : []),
  ],
})

/** Names and addresses that the options give the server, beyond those of its machine. */
export const namedHosts = ({
  options,
  ranges,
}: Pick<Settings, 'options' | 'ranges'>): readonly string[] => [
  ...(options.advertiseAddress ? [options.advertiseAddress] : []),
  ...(options.servingHosts ?? []),
  ...ranges.addresses.map((range) => range.at(0)),
]

async function keptPki(options: PkiOptions & PkiPlace): Promise<Pki> {
  try {
    return await ensurePki(options)
  } catch (error) {
    throw dataDirFault(options.dir, error)
  }
}
