import { EVENTS, type Line } from './notation.ts'

/** Rules of each controller, by the name of its service account. */
export const controllerRoles: readonly (readonly [account: string, rules: readonly Line[]])[] = [
  [
    'attachdetach-controller',
    [
      ['list watch', 'persistentvolumeclaims persistentvolumes'],
      ['read', 'nodes'],
      ['patch update', 'nodes/status'],
      ['list watch', 'pods'],
      EVENTS,
      ['read create delete', 'volumeattachments', 'storage{api}'],
      ['read', 'csidrivers', 'storage{api}'],
      ['read', 'csinodes', 'storage{api}'],
    ],
  ],
  [
    'certificate-controller',
    [
      ['read delete', 'certificatesigningrequests', 'certificates{api}'],
      [
        'update',
        'certificatesigningrequests/approval certificatesigningrequests/status',
        'certificates{api}',
      ],
      ['approve', 'signers', 'certificates{api}', '{label}/{system}-apiserver-client-{agent}'],
      [
        'sign',
        'signers',
        'certificates{api}',
        '{label}/{system}-apiserver-client {label}/{system}-apiserver-client-{agent} {label}/{agent}-serving {label}/legacy-unknown',
      ],
      ['create', 'subjectaccessreviews', 'authorization{api}'],
      EVENTS,
    ],
  ],
  [
    'clusterrole-aggregation-controller',
    [['read escalate patch update', 'clusterroles', 'rbac.authorization{api}']],
  ],
  [
    'cronjob-controller',
    [
      ['read update', 'cronjobs', 'batch'],
      ['read create delete patch update', 'jobs', 'batch'],
      ['update', 'cronjobs/status', 'batch'],
      ['update', 'cronjobs/finalizers', 'batch'],
      ['delete list', 'pods'],
      EVENTS,
    ],
  ],
  [
    'daemon-set-controller',
    [
      ['read', 'daemonsets', 'apps extensions'],
      ['update', 'daemonsets/status', 'apps extensions'],
      ['update', 'daemonsets/finalizers', 'apps extensions'],
      ['list watch', 'nodes'],
      ['create delete list patch watch', 'pods'],
      ['create', 'pods/binding'],
      ['read create delete patch update', 'controllerrevisions', 'apps'],
      EVENTS,
    ],
  ],
  [
    'deployment-controller',
    [
      ['read update', 'deployments', 'apps extensions'],
      ['update', 'deployments/status', 'apps extensions'],
      ['update', 'deployments/finalizers', 'apps extensions'],
      ['read create delete patch update', 'replicasets', 'apps extensions'],
      ['read update', 'pods'],
      EVENTS,
    ],
  ],
  [
    'disruption-controller',
    [
      ['read', 'deployments', 'apps extensions'],
      ['read', 'replicasets', 'apps extensions'],
      ['read', 'replicationcontrollers'],
      ['read', 'poddisruptionbudgets', 'policy'],
      ['read', 'statefulsets', 'apps'],
      ['update', 'poddisruptionbudgets/status', 'policy'],
      ['get', '*/scale', '*'],
      EVENTS,
    ],
  ],
  [
    'endpoint-controller',
    [
      ['read', 'pods services'],
      ['create delete get list update', 'endpoints'],
      ['create', 'endpoints/restricted'],
      EVENTS,
    ],
  ],
  [
    'endpointslice-controller',
    [
      ['read', 'nodes pods services'],
      ['update', 'services/finalizers'],
      ['create delete get list update', 'endpointslices', 'discovery{api}'],
      EVENTS,
    ],
  ],
  [
    'endpointslicemirroring-controller',
    [
      ['read', 'endpoints services'],
      ['update', 'services/finalizers'],
      ['update', 'endpoints/finalizers'],
      ['create delete get list update', 'endpointslices', 'discovery{api}'],
      EVENTS,
    ],
  ],
  [
    'ephemeral-volume-controller',
    [
      ['read', 'pods'],
      ['update', 'pods/finalizers'],
      ['read create', 'persistentvolumeclaims'],
      EVENTS,
    ],
  ],
  [
    'expand-controller',
    [
      ['read patch update', 'persistentvolumes'],
      ['patch update', 'persistentvolumeclaims/status'],
      ['read', 'persistentvolumeclaims'],
      ['read', 'storageclasses', 'storage{api}'],
      ['get', 'endpoints services'],
      ['get', 'secrets'],
      EVENTS,
    ],
  ],
  ['generic-garbage-collector', [['read delete patch update', '*', '*'], EVENTS]],
  [
    'horizontal-pod-autoscaler',
    [
      ['read', 'horizontalpodautoscalers', 'autoscaling'],
      ['update', 'horizontalpodautoscalers/status', 'autoscaling'],
      ['get update', '*/scale', '*'],
      ['list', 'pods'],
      ['get', 'services/proxy', 'core', 'http:heapster: https:heapster:'],
      ['list', 'pods', 'metrics{api}'],
      ['get list', '*', 'custom.metrics{api}'],
      ['get list', '*', 'external.metrics{api}'],
      EVENTS,
    ],
  ],
  [
    'job-controller',
    [
      ['read patch update', 'jobs', 'batch'],
      ['update', 'jobs/status', 'batch'],
      ['update', 'jobs/finalizers', 'batch'],
      ['create delete list patch watch', 'pods'],
      EVENTS,
    ],
  ],
  [
    'namespace-controller',
    [
      ['read delete', 'namespaces'],
      ['update', 'namespaces/finalize namespaces/status'],
      ['delete deletecollection get list', '*', '*'],
    ],
  ],
  [
    'node-controller',
    [
      ['delete get list patch update', 'nodes'],
      ['patch update', 'nodes/status'],
      ['update', 'pods/status'],
      ['delete list', 'pods'],
      ['create get list update', 'clustercidrs', 'networking{api}'],
      EVENTS,
    ],
  ],
  [
    'persistent-volume-binder',
    [
      ['read create delete update', 'persistentvolumes'],
      ['update', 'persistentvolumes/status'],
      ['read update', 'persistentvolumeclaims'],
      ['update', 'persistentvolumeclaims/status'],
      ['read create delete', 'pods'],
      ['read', 'storageclasses', 'storage{api}'],
      ['create delete get update', 'endpoints'],
      ['create delete get', 'services'],
      ['get', 'secrets'],
      ['get list', 'nodes'],
      ['watch', 'events'],
      EVENTS,
    ],
  ],
  [
    'pod-garbage-collector',
    [
      ['delete list watch', 'pods'],
      ['get list', 'nodes'],
    ],
  ],
  ['pv-protection-controller', [['read update', 'persistentvolumes'], EVENTS]],
  [
    'pvc-protection-controller',
    [['read update', 'persistentvolumeclaims'], ['read', 'pods'], EVENTS],
  ],
  [
    'replicaset-controller',
    [
      ['read update', 'replicasets', 'apps extensions'],
      ['update', 'replicasets/status', 'apps extensions'],
      ['update', 'replicasets/finalizers', 'apps extensions'],
      ['create delete list patch watch', 'pods'],
      EVENTS,
    ],
  ],
  [
    'replication-controller',
    [
      ['read update', 'replicationcontrollers'],
      ['update', 'replicationcontrollers/status'],
      ['update', 'replicationcontrollers/finalizers'],
      ['create delete list patch watch', 'pods'],
      EVENTS,
    ],
  ],
  [
    'resourcequota-controller',
    [['list watch', '*', '*'], ['update', 'resourcequotas/status'], EVENTS],
  ],
  ['root-ca-cert-publisher', [['create update', 'configmaps'], EVENTS]],
  ['route-controller', [['list watch', 'nodes'], ['patch', 'nodes/status'], EVENTS]],
  ['service-account-controller', [['create', 'serviceaccounts'], EVENTS]],
  [
    'service-controller',
    [['read', 'services'], ['patch update', 'services/status'], ['list watch', 'nodes'], EVENTS],
  ],
  [
    'statefulset-controller',
    [
      ['list watch', 'pods'],
      ['read', 'statefulsets', 'apps'],
      ['update', 'statefulsets/status', 'apps'],
      ['update', 'statefulsets/finalizers', 'apps'],
      ['create delete get patch update', 'pods'],
      ['read create delete patch update', 'controllerrevisions', 'apps'],
      ['create get', 'persistentvolumeclaims'],
      EVENTS,
    ],
  ],
  ['ttl-after-finished-controller', [['read delete', 'jobs', 'batch'], EVENTS]],
  ['ttl-controller', [['list patch update watch', 'nodes'], EVENTS]],
]
