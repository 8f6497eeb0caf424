import { readFlagFileSync } from '../../base/flag-file.ts'
import { checkTlsOptions } from '../../tls-options.ts'
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
    option: 'etcd.servers',
    section,
    help: 'Addresses of an etcd to keep objects in, scheme://host:port; without, they are in the data directory.',
  }),
  'etcd-prefix': optionalTextFlag({
    option: 'etcd.prefix',
    section,
    default: '/registry',
    help: 'Put before every key in etcd.',
  }),
  'etcd-cafile': fileFlag({
    option: 'etcd.ca',
    section,
    help: 'Authority of etcd’s certificate, PEM.',
  }),
  'etcd-certfile': fileFlag({
    option: 'etcd.cert',
    section,
    help: 'Certificate that is shown to etcd, PEM.',
  }),
  'etcd-keyfile': fileFlag({ option: 'etcd.key', section, help: 'Its key, PEM.' }),
}

/** The place that the flags tell, with what is in the files. Throws an Error when they tell none. */
export function etcdPlaceOf(values: Values<typeof etcdFlags>): EtcdPlace {
  const servers = values['etcd-servers']
  if (servers.length === 0) throw new Error('--etcd-servers must be specified')
  if ((values['etcd-certfile'] === '') !== (values['etcd-keyfile'] === '')) {
    throw new Error('--etcd-certfile and --etcd-keyfile go together')
  }
  const file = (flag: 'etcd-cafile' | 'etcd-certfile' | 'etcd-keyfile') => {
    return values[flag] === '' ? undefined : readFlagFileSync(flag, values[flag])
  }
  const [ca, cert, key] = [file('etcd-cafile'), file('etcd-certfile'), file('etcd-keyfile')]
  const place = {
    servers,
    prefix: values['etcd-prefix'],
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
  }
  checkTlsOptions({ etcd: place })
  return place
}
