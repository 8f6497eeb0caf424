import { EVENTS, type RoleText } from './notation.ts'

/** The roles of system namespaces. */
export const roles: readonly (RoleText & { readonly namespace: string })[] = [
  {
    namespace: '{system}-public',
    name: 'system:controller:bootstrap-signer',
    rules: [['read', 'configmaps'], ['update', 'configmaps', 'core', 'cluster-info'], EVENTS],
  },
  {
    namespace: '{system}-system',
    name: 'extension-apiserver-authentication-reader',
    rules: [['read', 'configmaps', 'core', 'extension-apiserver-authentication']],
  },
  {
    namespace: '{system}-system',
    name: 'system::leader-locking-{system}-controller-manager',
    rules: [
      ['watch', 'configmaps'],
      ['get update', 'configmaps', 'core', '{system}-controller-manager'],
    ],
  },
  {
    namespace: '{system}-system',
    name: 'system::leader-locking-{system}-scheduler',
    rules: [
      ['watch', 'configmaps'],
      ['get update', 'configmaps', 'core', '{system}-scheduler'],
    ],
  },
  {
    namespace: '{system}-system',
    name: 'system:controller:bootstrap-signer',
    rules: [['read', 'secrets']],
  },
  {
    namespace: '{system}-system',
    name: 'system:controller:cloud-provider',
    rules: [['read create', 'configmaps']],
  },
  {
    namespace: '{system}-system',
    name: 'system:controller:token-cleaner',
    rules: [['read delete', 'secrets'], EVENTS],
  },
]
