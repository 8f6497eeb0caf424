/** The smallest valid object of every kind, for tests that go over all of them. Names are templates of the vocabulary. */
import type { Vocabulary } from '../src/vocabulary/vocabulary.ts'

type Json = Record<string, unknown>

export interface Manifest {
  /** Group version as a template, without the core group's name. */
  readonly apiVersion: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  /** Everything but type and metadata. */
  readonly content: Json
  /** A name that the kind accepts, when `minimal` is not one. */
  readonly name?: string
  /** A change that `status` accepts: a merge patch. */
  readonly status?: Json
}

const labels = { app: 'minimal' }
const podSpec = { containers: [{ name: 'c', image: 'registry.example/image:1' }] }
const template = { metadata: { labels }, spec: podSpec }
const selector = { matchLabels: labels }

// A certificate request for CN=minimal, made once with openssl.
const REQUEST = `-----BEGIN CERTIFICATE REQUEST-----
MIHMMHQCAQAwEjEQMA4GA1UEAwwHbWluaW1hbDBZMBMGByqGSM49AgEGCCqGSM49
AwEHA0IABC8fg3d+LUybo9UPJyl2/rxqcZZSriU2XlG6kuFOCc3sRhZpjB6bjCte
9KQp0UTQOzfQGUDa1EuXfQm+Oc2T0hqgADAKBggqhkjOPQQDAgNIADBFAiByM1hR
islaemjtaspbNr2Oc2XHA4NoUZbQqO+8kwVrFAIhAJLd4Y2FqhfdF7flBaKoR0Ed
+hKJNOme7Rxvm0dDPiXx
-----END CERTIFICATE REQUEST-----
`

/** All of them, in the words of a vocabulary. */
export function manifests(v: Vocabulary, request = REQUEST): Manifest[] {
  const one = (
    apiVersion: string,
    resource: string,
    kind: string,
    namespaced: boolean,
    content: Json,
    more: Pick<Manifest, 'name' | 'status'> = {},
  ): Manifest => ({
    apiVersion: v.resolve(apiVersion),
    resource,
    kind,
    namespaced,
    content,
    ...more,
  })
  const N = true
  const C = false
  const hpa = {
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'minimal', apiVersion: 'apps/v1' },
      maxReplicas: 3,
    },
  }
  const flow = {
    spec: { priorityLevelConfiguration: { name: 'minimal' }, matchingPrecedence: 500 },
  }
  const level = {
    spec: {
      type: 'Limited',
      limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } },
    },
  }
  const webhook = {
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { url: 'https://hook.example.com/' },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  }
  const role = { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }
  const subject = { kind: 'User', name: 'somebody', apiGroup: v.resolve('rbac.authorization{api}') }
  return [
    one('v1', 'configmaps', 'ConfigMap', N, { data: { a: 'b' } }),
    one('v1', 'endpoints', 'Endpoints', N, { subsets: [] }),
    one('v1', 'events', 'Event', N, {
      involvedObject: { namespace: 'default', kind: 'Pod', name: 'x' },
      reason: 'Tested',
      type: 'Normal',
    }),
    one('v1', 'limitranges', 'LimitRange', N, {
      spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] },
    }),
    one('v1', 'namespaces', 'Namespace', C, {}, { status: { status: { conditions: [] } } }),
    one(
      'v1',
      'nodes',
      'Node',
      C,
      {},
      { status: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } },
    ),
    one(
      'v1',
      'persistentvolumeclaims',
      'PersistentVolumeClaim',
      N,
      { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      { status: { status: { phase: 'Bound' } } },
    ),
    one(
      'v1',
      'persistentvolumes',
      'PersistentVolume',
      C,
      {
        spec: {
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: '1Gi' },
          hostPath: { path: '/data' },
        },
      },
      { status: { status: { phase: 'Available' } } },
    ),
    one('v1', 'pods', 'Pod', N, { spec: podSpec }, { status: { status: { phase: 'Running' } } }),
    one('v1', 'podtemplates', 'PodTemplate', N, { template }),
    one(
      'v1',
      'replicationcontrollers',
      'ReplicationController',
      N,
      { spec: { replicas: 1, selector: labels, template } },
      { status: { status: { replicas: 1 } } },
    ),
    one(
      'v1',
      'resourcequotas',
      'ResourceQuota',
      N,
      { spec: { hard: { pods: '3' } } },
      { status: { status: { hard: { pods: '3' } } } },
    ),
    one('v1', 'secrets', 'Secret', N, { data: { a: 'Yg==' } }),
    one('v1', 'serviceaccounts', 'ServiceAccount', N, {}),
    one(
      'v1',
      'services',
      'Service',
      N,
      { spec: { selector: labels, ports: [{ port: 80 }] } },
      { status: { status: { loadBalancer: {} } } },
    ),
    one('apps/v1', 'controllerrevisions', 'ControllerRevision', N, { data: { a: 1 }, revision: 1 }),
    one(
      'apps/v1',
      'daemonsets',
      'DaemonSet',
      N,
      { spec: { selector, template } },
      { status: { status: { numberReady: 1 } } },
    ),
    one(
      'apps/v1',
      'deployments',
      'Deployment',
      N,
      { spec: { selector, template } },
      { status: { status: { replicas: 1 } } },
    ),
    one(
      'apps/v1',
      'replicasets',
      'ReplicaSet',
      N,
      { spec: { selector, template } },
      { status: { status: { replicas: 1 } } },
    ),
    one(
      'apps/v1',
      'statefulsets',
      'StatefulSet',
      N,
      { spec: { serviceName: 's', selector, template } },
      { status: { status: { replicas: 1 } } },
    ),
    one('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', N, hpa, {
      status: { status: { desiredReplicas: 1, currentReplicas: 1 } },
    }),
    one('autoscaling/v2beta2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', N, hpa, {
      status: { status: { desiredReplicas: 1, currentReplicas: 1 } },
    }),
    one('autoscaling/v1', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', N, hpa, {
      status: { status: { desiredReplicas: 1, currentReplicas: 1 } },
    }),
    one(
      'batch/v1',
      'cronjobs',
      'CronJob',
      N,
      {
        spec: {
          schedule: '0 * * * *',
          jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
        },
      },
      { status: { status: { lastScheduleTime: '2024-01-01T00:00:00Z' } } },
    ),
    one(
      'batch/v1',
      'jobs',
      'Job',
      N,
      { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
      { status: { status: { active: 1 } } },
    ),
    one(
      'policy/v1',
      'poddisruptionbudgets',
      'PodDisruptionBudget',
      N,
      { spec: { minAvailable: 1, selector } },
      { status: { status: { currentHealthy: 1 } } },
    ),
    one(
      'networking{api}/v1',
      'ingresses',
      'Ingress',
      N,
      { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
      { status: { status: { loadBalancer: {} } } },
    ),
    one('networking{api}/v1', 'ingressclasses', 'IngressClass', C, {
      spec: { controller: 'example.com/controller' },
    }),
    one('networking{api}/v1', 'networkpolicies', 'NetworkPolicy', N, { spec: { podSelector: {} } }),
    one('networking{api}/v1alpha1', 'clustercidrs', 'ClusterCIDR', C, {
      spec: { perNodeHostBits: 8, ipv4: '10.1.0.0/16' },
    }),
    one('rbac.authorization{api}/v1', 'roles', 'Role', N, role),
    one('rbac.authorization{api}/v1', 'clusterroles', 'ClusterRole', C, role),
    one('rbac.authorization{api}/v1', 'rolebindings', 'RoleBinding', N, {
      subjects: [subject],
      roleRef: { apiGroup: subject.apiGroup, kind: 'Role', name: 'minimal' },
    }),
    one('rbac.authorization{api}/v1', 'clusterrolebindings', 'ClusterRoleBinding', C, {
      subjects: [subject],
      roleRef: { apiGroup: subject.apiGroup, kind: 'ClusterRole', name: 'minimal' },
    }),
    one('storage{api}/v1', 'csidrivers', 'CSIDriver', C, { spec: {} }),
    one('storage{api}/v1', 'csinodes', 'CSINode', C, { spec: { drivers: [] } }),
    one('storage{api}/v1', 'csistoragecapacities', 'CSIStorageCapacity', N, {
      storageClassName: 'x',
    }),
    one('storage{api}/v1beta1', 'csistoragecapacities', 'CSIStorageCapacity', N, {
      storageClassName: 'x',
    }),
    one('storage{api}/v1', 'storageclasses', 'StorageClass', C, {
      provisioner: 'example.com/disk',
    }),
    one(
      'storage{api}/v1',
      'volumeattachments',
      'VolumeAttachment',
      C,
      { spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } } },
      { status: { status: { attached: true } } },
    ),
    one(
      'admissionregistration{api}/v1',
      'mutatingwebhookconfigurations',
      'MutatingWebhookConfiguration',
      C,
      webhook,
    ),
    one(
      'admissionregistration{api}/v1',
      'validatingwebhookconfigurations',
      'ValidatingWebhookConfiguration',
      C,
      webhook,
    ),
    one(
      'apiextensions{api}/v1',
      'customresourcedefinitions',
      'CustomResourceDefinition',
      C,
      {
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: {
            plural: 'minimals',
            singular: 'minimal',
            kind: 'Minimal',
            listKind: 'MinimalList',
          },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object' } },
            },
          ],
        },
      },
      { name: 'minimals.example.com', status: { status: { conditions: [] } } },
    ),
    one(
      'apiregistration{api}/v1',
      'apiservices',
      'APIService',
      C,
      {
        spec: {
          group: 'minimal.example.com',
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
        },
      },
      { name: 'v1.minimal.example.com', status: { status: { conditions: [] } } },
    ),
    one(
      'certificates{api}/v1',
      'certificatesigningrequests',
      'CertificateSigningRequest',
      C,
      {
        spec: {
          request: Buffer.from(request).toString('base64'),
          signerName: 'example.com/signer',
          usages: ['client auth'],
        },
      },
      { status: { status: { conditions: [] } } },
    ),
    one('coordination{api}/v1', 'leases', 'Lease', N, {
      spec: { holderIdentity: 'me', leaseDurationSeconds: 10 },
    }),
    one('discovery{api}/v1', 'endpointslices', 'EndpointSlice', N, {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'] }],
    }),
    one(
      'events{api}/v1',
      'events',
      'Event',
      N,
      {
        eventTime: '2024-01-01T00:00:00.000000Z',
        reportingController: 'example.com/c',
        reportingInstance: 'c-1',
        action: 'Test',
        reason: 'Tested',
        type: 'Normal',
        regarding: { namespace: 'default', kind: 'Pod', name: 'x' },
      },
      { name: 'minimal-event' },
    ),
    one('flowcontrol.apiserver{api}/v1beta2', 'flowschemas', 'FlowSchema', C, flow, {
      status: { status: { conditions: [{ type: 'Dangling', status: 'False' }] } },
    }),
    one('flowcontrol.apiserver{api}/v1beta1', 'flowschemas', 'FlowSchema', C, flow, {
      status: { status: { conditions: [{ type: 'Dangling', status: 'False' }] } },
    }),
    one(
      'flowcontrol.apiserver{api}/v1beta2',
      'prioritylevelconfigurations',
      'PriorityLevelConfiguration',
      C,
      level,
      { status: { status: { conditions: [] } } },
    ),
    one(
      'flowcontrol.apiserver{api}/v1beta1',
      'prioritylevelconfigurations',
      'PriorityLevelConfiguration',
      C,
      level,
      { status: { status: { conditions: [] } } },
    ),
    one(
      'internal.apiserver{api}/v1alpha1',
      'storageversions',
      'StorageVersion',
      C,
      { spec: {}, status: {} },
      { name: 'apps.deployments', status: { status: { conditions: [] } } },
    ),
    one('node{api}/v1', 'runtimeclasses', 'RuntimeClass', C, { handler: 'runc' }),
    one('scheduling{api}/v1', 'priorityclasses', 'PriorityClass', C, { value: 10 }),
  ]
}

/** The object that a manifest describes. */
export const objectOf = (
  { apiVersion, kind, content, namespaced, name: own }: Manifest,
  name = own ?? 'minimal',
  namespace = 'default',
): Json => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespaced ? { namespace } : {}) },
  ...structuredClone(content),
})

/** Path of the collection. */
export function collectionOf(
  { apiVersion, resource, namespaced }: Manifest,
  namespace = 'default',
): string {
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
  return namespaced ? `${root}/namespaces/${namespace}/${resource}` : `${root}/${resource}`
}
