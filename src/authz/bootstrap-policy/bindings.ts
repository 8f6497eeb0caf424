import type { BindingText } from './notation.ts'

/** Bindings of cluster roles. Controllers get theirs by name. */
export const clusterRoleBindings: readonly BindingText[] = [
  { name: 'cluster-admin', to: ['group:system:masters'] },
  { name: 'system:basic-user', to: ['group:system:authenticated'] },
  { name: 'system:discovery', to: ['group:system:authenticated'] },
  { name: 'system:{system}-controller-manager', to: ['user:system:{system}-controller-manager'] },
  { name: 'system:{system}-dns', to: ['account:{system}-dns'] },
  { name: 'system:{system}-scheduler', to: ['user:system:{system}-scheduler'] },
  { name: 'system:monitoring', to: ['group:system:monitoring'] },
  { name: 'system:node', to: [] },
  { name: 'system:node-proxier', to: ['user:system:{system}-proxy'] },
  {
    name: 'system:public-info-viewer',
    to: ['group:system:authenticated', 'group:system:unauthenticated'],
  },
  { name: 'system:service-account-issuer-discovery', to: ['group:system:serviceaccounts'] },
  { name: 'system:volume-scheduler', to: ['user:system:{system}-scheduler'] },
]

/** Bindings of the roles of system namespaces. */
export const roleBindings: readonly (BindingText & { readonly namespace: string })[] = [
  {
    namespace: '{system}-public',
    name: 'system:controller:bootstrap-signer',
    to: ['account:bootstrap-signer'],
  },
  {
    namespace: '{system}-system',
    name: 'system::extension-apiserver-authentication-reader',
    role: 'extension-apiserver-authentication-reader',
    to: ['user:system:{system}-controller-manager', 'user:system:{system}-scheduler'],
  },
  {
    namespace: '{system}-system',
    name: 'system::leader-locking-{system}-controller-manager',
    to: ['user:system:{system}-controller-manager', 'account:{system}-controller-manager'],
  },
  {
    namespace: '{system}-system',
    name: 'system::leader-locking-{system}-scheduler',
    to: ['user:system:{system}-scheduler', 'account:{system}-scheduler'],
  },
  {
    namespace: '{system}-system',
    name: 'system:controller:bootstrap-signer',
    to: ['account:bootstrap-signer'],
  },
  {
    namespace: '{system}-system',
    name: 'system:controller:cloud-provider',
    to: ['account:cloud-provider'],
  },
  {
    namespace: '{system}-system',
    name: 'system:controller:token-cleaner',
    to: ['account:token-cleaner'],
  },
]
