import { fileFlag, listFlag, optionalTextFlag } from '../../flags/flags.ts'

const section = 'Storage'

/** Flags about an etcd that stores the objects. */
export const etcdFlags = {
  'etcd-servers': listFlag({
    option: 'etcd.servers',
    section,
    help: 'Addresses of an etcd cluster that stores the objects, scheme://host:port. Without it, objects are stored in the data directory.',
  }),
  'etcd-prefix': optionalTextFlag({
    option: 'etcd.prefix',
    section,
    default: '/registry',
    help: 'Prefix of all keys in etcd.',
  }),
  'etcd-cafile': fileFlag({
    option: 'etcd.ca',
    section,
    help: 'CA bundle that verifies the certificates of etcd, PEM.',
  }),
  'etcd-certfile': fileFlag({
    option: 'etcd.cert',
    section,
    help: 'Client certificate for etcd, PEM.',
  }),
  'etcd-keyfile': fileFlag({
    option: 'etcd.key',
    section,
    help: 'Private key of the client certificate for etcd, PEM.',
  }),
}
