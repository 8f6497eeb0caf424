import { fileFlag, listFlag, optionalTextFlag } from '../../flags/flags.ts'

const section = 'Storage'

/** Flags about an etcd that objects are kept in. */
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
