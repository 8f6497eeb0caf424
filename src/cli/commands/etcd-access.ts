import { readFileSync } from 'node:fs'
import type { EtcdPlace } from '../../etcd-options.ts'
import type { TimeToLive } from '../../store/expiry.ts'
import type { Engine } from '../../store/store.ts'
import { fileFlag, listFlag, optionalTextFlag, type Values } from '../flags.ts'

/** Opens the store in an etcd, whose keys live as long as is told. */
export type OpenEtcd = (place: EtcdPlace, ttlMs?: TimeToLive) => Promise<Engine>

const section = 'Storage'

/** Flags about it, as the server has them. */
export const etcdFlags = {
  'etcd-servers': listFlag({
    section,
    help: 'Addresses of an etcd to keep objects in, scheme://host:port; without, they are in the data directory.',
  }),
  'etcd-prefix': optionalTextFlag({
    section,
    default: '/registry',
    help: 'Put before every key in etcd.',
  }),
  'etcd-cafile': fileFlag({ section, help: 'Authority of etcd’s certificate, PEM.' }),
  'etcd-certfile': fileFlag({ section, help: 'Certificate that is shown to etcd, PEM.' }),
  'etcd-keyfile': fileFlag({ section, help: 'Its key, PEM.' }),
}

/** The place that the flags tell, with what is in the files. Throws an Error when they tell none. */
export function etcdPlaceOf(values: Values<typeof etcdFlags>): EtcdPlace {
  const servers = values['etcd-servers']
  if (servers.length === 0) throw new Error('--etcd-servers must be specified')
  if ((values['etcd-certfile'] === '') !== (values['etcd-keyfile'] === '')) {
    throw new Error('--etcd-certfile and --etcd-keyfile go together')
  }
  const file = (flag: 'etcd-cafile' | 'etcd-certfile' | 'etcd-keyfile') => {
    if (values[flag] === '') return undefined
    try {
      return readFileSync(values[flag])
    } catch (error) {
      throw new Error(`--${flag}: ${(error as Error).message}`, { cause: error })
    }
  }
  const [ca, cert, key] = [file('etcd-cafile'), file('etcd-certfile'), file('etcd-keyfile')]
  return {
    servers,
    prefix: values['etcd-prefix'],
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
  }
}
