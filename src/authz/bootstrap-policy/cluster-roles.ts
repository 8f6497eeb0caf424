import { nodeRules } from './node-rules.ts'
import { EVENTS, type RoleText } from './notation.ts'

/** The roles of the cluster, those of controllers aside. */
export const clusterRoles: readonly RoleText[] = [
  { name: 'admin', gathers: 'admin' },
  {
    name: 'cluster-admin',
    rules: [
      ['*', '*', '*'],
      ['*', '*', 'urls'],
    ],
  },
  { name: 'edit', joins: 'admin', gathers: 'edit' },
  {
    name: 'system:aggregate-to-admin',
    joins: 'admin',
    rules: [
      ['create', 'localsubjectaccessreviews', 'authorization{api}'],
      ['all', 'rolebindings roles', 'rbac.authorization{api}'],
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    joins: 'edit',
    rules: [
      ['read', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'],
      ['impersonate', 'serviceaccounts'],
      ['write', 'pods pods/attach pods/exec pods/portforward pods/proxy'],
      ['create', 'pods/eviction'],
      [
        'write',
        'configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ],
      ['create', 'serviceaccounts/token'],
      [
        'write',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
        'apps',
      ],
      ['write', 'horizontalpodautoscalers', 'autoscaling'],
      ['write', 'cronjobs jobs', 'batch'],
      [
        'write',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
        'extensions',
      ],
      ['write', 'poddisruptionbudgets', 'policy'],
      ['write', 'ingresses networkpolicies', 'networking{api}'],
      ['all', 'leases', 'coordination{api}'],
    ],
  },
  {
    name: 'system:aggregate-to-view',
    joins: 'view',
    rules: [
      [
        'read',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ],
      [
        'read',
        'bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ],
      ['read', 'namespaces'],
      ['read', 'endpointslices', 'discovery{api}'],
      [
        'read',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
        'apps',
      ],
      ['read', 'horizontalpodautoscalers horizontalpodautoscalers/status', 'autoscaling'],
      ['read', 'cronjobs cronjobs/status jobs jobs/status', 'batch'],
      [
        'read',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
        'extensions',
      ],
      ['read', 'poddisruptionbudgets poddisruptionbudgets/status', 'policy'],
      ['read', 'ingresses ingresses/status networkpolicies', 'networking{api}'],
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      ['create', 'tokenreviews', 'authentication{api}'],
      ['create', 'subjectaccessreviews', 'authorization{api}'],
    ],
  },
  {
    name: 'system:basic-user',
    rules: [['create', 'selfsubjectaccessreviews selfsubjectrulesreviews', 'authorization{api}']],
  },
  {
    name: 'system:certificates{api}:certificatesigningrequests:nodeclient',
    rules: [['create', 'certificatesigningrequests/nodeclient', 'certificates{api}']],
  },
  {
    name: 'system:certificates{api}:certificatesigningrequests:selfnodeclient',
    rules: [['create', 'certificatesigningrequests/selfnodeclient', 'certificates{api}']],
  },
  {
    name: 'system:certificates{api}:{system}-apiserver-client-approver',
    rules: [['approve', 'signers', 'certificates{api}', '{label}/{system}-apiserver-client']],
  },
  {
    name: 'system:certificates{api}:{system}-apiserver-client-{agent}-approver',
    rules: [
      ['approve', 'signers', 'certificates{api}', '{label}/{system}-apiserver-client-{agent}'],
    ],
  },
  {
    name: 'system:certificates{api}:{agent}-serving-approver',
    rules: [['approve', 'signers', 'certificates{api}', '{label}/{agent}-serving']],
  },
  {
    name: 'system:certificates{api}:legacy-unknown-approver',
    rules: [['approve', 'signers', 'certificates{api}', '{label}/legacy-unknown']],
  },
  {
    name: 'system:discovery',
    rules: [
      [
        'get',
        '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      ],
    ],
  },
  {
    name: 'system:heapster',
    rules: [
      ['read', 'events namespaces nodes pods'],
      ['read', 'deployments', 'extensions'],
    ],
  },
  { name: 'system:{system}-aggregator', rules: [['read', 'endpoints services']] },
  {
    name: 'system:{system}-controller-manager',
    rules: [
      EVENTS,
      ['create', 'leases', 'coordination{api}'],
      ['get update', 'leases', 'coordination{api}', '{system}-controller-manager'],
      ['create', 'endpoints'],
      ['get update', 'endpoints', 'core', '{system}-controller-manager'],
      ['create', 'secrets serviceaccounts'],
      ['delete', 'secrets'],
      ['get', 'configmaps namespaces secrets serviceaccounts'],
      ['update', 'secrets serviceaccounts'],
      ['create', 'tokenreviews', 'authentication{api}'],
      ['create', 'subjectaccessreviews', 'authorization{api}'],
      ['list watch', '*', '*'],
      ['create', 'serviceaccounts/token'],
    ],
  },
  { name: 'system:{system}-dns', rules: [['list watch', 'endpoints services']] },
  {
    name: 'system:{system}-scheduler',
    rules: [
      EVENTS,
      ['create', 'leases', 'coordination{api}'],
      ['get update', 'leases', 'coordination{api}', '{system}-scheduler'],
      ['create', 'endpoints'],
      ['get update', 'endpoints', 'core', '{system}-scheduler'],
      ['read', 'nodes'],
      ['read delete', 'pods'],
      ['create', 'bindings pods/binding'],
      ['patch update', 'pods/status'],
      ['read', 'replicationcontrollers services'],
      ['read', 'replicasets', 'apps extensions'],
      ['read', 'statefulsets', 'apps'],
      ['read', 'poddisruptionbudgets', 'policy'],
      ['read', 'persistentvolumeclaims persistentvolumes'],
      ['create', 'tokenreviews', 'authentication{api}'],
      ['create', 'subjectaccessreviews', 'authorization{api}'],
      ['read', 'csinodes', 'storage{api}'],
      ['read', 'namespaces'],
      ['read', 'csidrivers', 'storage{api}'],
      ['read', 'csistoragecapacities', 'storage{api}'],
    ],
  },
  {
    name: 'system:{agent}-api-admin',
    rules: [
      ['read', 'nodes'],
      ['proxy', 'nodes'],
      ['*', 'nodes/log nodes/metrics nodes/proxy nodes/spec nodes/stats'],
    ],
  },
  {
    name: 'system:monitoring',
    rules: [['get', '/healthz /healthz/* /livez /livez/* /metrics /readyz /readyz/*']],
  },
  { name: 'system:node', rules: nodeRules },
  {
    name: 'system:node-bootstrapper',
    rules: [['read create', 'certificatesigningrequests', 'certificates{api}']],
  },
  {
    name: 'system:node-problem-detector',
    rules: [['get', 'nodes'], ['patch', 'nodes/status'], EVENTS],
  },
  {
    name: 'system:node-proxier',
    rules: [
      ['list watch', 'endpoints services'],
      ['read', 'nodes'],
      EVENTS,
      ['list watch', 'endpointslices', 'discovery{api}'],
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      ['read create delete', 'persistentvolumes'],
      ['read update', 'persistentvolumeclaims'],
      ['read', 'storageclasses', 'storage{api}'],
      ['watch', 'events'],
      EVENTS,
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [['get', '/healthz /livez /readyz /version /version/']],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [['get', '/.well-known/openid-configuration /openid/v1/jwks']],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      ['read patch update', 'persistentvolumes'],
      ['read', 'storageclasses', 'storage{api}'],
      ['read patch update', 'persistentvolumeclaims'],
    ],
  },
  { name: 'view', joins: 'edit', gathers: 'view' },
]
