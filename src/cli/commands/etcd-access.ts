import { readFlagFileSync } from '../../base/flag-file.ts'
import { checkTlsOptions } from '../../server/options/tls-options.ts'
import type { EtcdPlace } from '../../server/options/etcd-options.ts'
import type { TimeToLive } from '../../engine/expiry.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Values } from '../../flags/flags.ts'
import type { etcdFlags } from '../../server/options/etcd-flags.ts'

/** Opens the store in an etcd; keys with a lifetime get the given one. */
export type OpenEtcd = (place: EtcdPlace, ttlMs?: TimeToLive) => Promise<Engine>

/** The address from the flags, with the content of the files. Throws an Error when the flags name none. */
export function etcdPlaceOf(values: Values<typeof etcdFlags>): EtcdPlace {
  const servers = values['etcd-servers']
  if (servers.length === 0) throw new Error('--etcd-servers must be specified')
  if ((values['etcd-certfile'] === '') !== (values['etcd-keyfile'] === '')) {
    throw new Error('--etcd-certfile and --etcd-keyfile must be given together')
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
