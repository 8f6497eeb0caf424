import type { Line } from './notation.ts'

/** Rules of every node, whatever runs on it: those of the Node authorizer, and of the role `system:node`. */
export const nodeRules: readonly Line[] = [
  ['create', 'tokenreviews', 'authentication{api}'],
  ['create', 'localsubjectaccessreviews subjectaccessreviews', 'authorization{api}'],
  ['read', 'services'],
  ['read create', 'nodes'],
  ['patch update', 'nodes/status'],
  ['patch update', 'nodes'],
  ['create patch update', 'events'],
  ['read', 'pods'],
  ['create delete', 'pods'],
  ['patch update', 'pods/status'],
  ['create', 'pods/eviction'],
  ['read', 'configmaps secrets'],
  ['get', 'persistentvolumeclaims persistentvolumes'],
  ['get', 'endpoints'],
  ['read create', 'certificatesigningrequests', 'certificates{api}'],
  ['create delete get patch update', 'leases', 'coordination{api}'],
  ['get', 'volumeattachments', 'storage{api}'],
  ['create', 'serviceaccounts/token'],
  ['get patch update', 'persistentvolumeclaims/status'],
  ['read', 'csidrivers', 'storage{api}'],
  ['create delete get patch update', 'csinodes', 'storage{api}'],
  ['read', 'runtimeclasses', 'node{api}'],
]
