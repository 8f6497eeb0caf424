/** Every field with a closed set of words, given as the empty text: where it stands in a smallest object, and what comes of it. */

/** What the server makes of an empty text. */
export type Outcome =
  | {
      readonly refused: 'NotSupported' | 'Required' | 'Invalid'
      readonly at: string
      /** Told of the same field besides. */
      readonly also?: 'NotSupported'
    }
  | { readonly becomes: unknown }

/** One field; `change` is a merge patch of the smallest object of the resource. */
export interface EmptyWord {
  /** Type and name of the field. */
  readonly field: string
  readonly resource: string
  readonly change: object
  readonly outcome: Outcome
  /** What an update makes of it, where that differs. */
  readonly update?: Outcome
}

const notSupported = (at: string): Outcome => ({ refused: 'NotSupported', at })
const required = (at: string): Outcome => ({ refused: 'Required', at })
const becomes = (value: unknown): Outcome => ({ becomes: value })

const container = { name: 'c', image: 'i' }
const pod = (spec: object) => ({ spec })
const inContainer = (more: object) => pod({ containers: [{ ...container, ...more }] })
const volume = (source: object) => pod({ volumes: [{ name: 'v', ...source }] })
const disk = (more: object) => ({
  azureDisk: { diskName: 'd', diskURI: 'https://a.blob.core.windows.net/c/d.vhd', ...more },
})
const webhook = (more: object) => ({
  webhooks: [
    {
      name: 'hook.example.com',
      clientConfig: { url: 'https://hook.example.com/' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...more,
    },
  ],
})
const webhookRule = (more: object) =>
  webhook({
    rules: [
      {
        operations: ['CREATE'],
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['pods'],
        ...more,
      },
    ],
  })
const spread = (more: object) =>
  pod({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: {},
        ...more,
      },
    ],
  })
const scaling = (scaleUp: object) => ({ spec: { behavior: { scaleUp } } })
const metric = (more: object) => ({ spec: { metrics: [more] } })
const target = { type: 'Utilization', averageUtilization: 50 }
const nodeTerm = (operator: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: {
    nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator, values: ['b'] }] }],
  },
})

/** Fields that are told apart from absent ones. */
const TOLD: readonly EmptyWord[] = [
  ...(['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'] as const).flatMap(
    (resource) => {
      const owner = resource.startsWith('m') ? 'MutatingWebhook' : 'ValidatingWebhook'
      return ['failurePolicy', 'matchPolicy', 'sideEffects'].map((name) => ({
        field: `${owner}.${name}`,
        resource,
        change: webhook({ [name]: '' }),
        outcome: notSupported(`webhooks[0].${name}`),
      }))
    },
  ),
  {
    field: 'MutatingWebhook.reinvocationPolicy',
    resource: 'mutatingwebhookconfigurations',
    change: webhook({ reinvocationPolicy: '' }),
    outcome: notSupported('webhooks[0].reinvocationPolicy'),
  },
  {
    field: 'Rule.scope',
    resource: 'validatingwebhookconfigurations',
    change: webhookRule({ scope: '' }),
    outcome: notSupported('webhooks[0].rules[0].scope'),
  },
  {
    field: 'JobSpec.completionMode',
    resource: 'jobs',
    change: pod({ completionMode: '' }),
    outcome: notSupported('spec.completionMode'),
  },
  {
    field: 'JobSpec.completionMode',
    resource: 'cronjobs',
    change: pod({ jobTemplate: { spec: { completionMode: '' } } }),
    outcome: notSupported('spec.jobTemplate.spec.completionMode'),
  },
  {
    field: 'AzureDiskVolumeSource.cachingMode',
    resource: 'pods',
    change: volume(disk({ cachingMode: '' })),
    outcome: notSupported('spec.volumes[0].azureDisk.cachingMode'),
  },
  {
    field: 'AzureDiskVolumeSource.kind',
    resource: 'deployments',
    change: pod({ template: volume(disk({ kind: '' })) }),
    outcome: notSupported('spec.template.spec.volumes[0].azureDisk.kind'),
  },
  {
    field: 'HostPathVolumeSource.type',
    resource: 'pods',
    change: volume({ hostPath: { path: '/a', type: '' } }),
    outcome: becomes(volume({ hostPath: { path: '/a', type: '' } })),
  },
  {
    field: 'PersistentVolumeClaimSpec.volumeMode',
    resource: 'persistentvolumeclaims',
    change: pod({ volumeMode: '' }),
    outcome: notSupported('spec.volumeMode'),
  },
  {
    field: 'PersistentVolumeSpec.volumeMode',
    resource: 'persistentvolumes',
    change: pod({ volumeMode: '' }),
    outcome: notSupported('spec.volumeMode'),
  },
  {
    // The status of a new object is not the client's.
    field: 'PersistentVolumeClaimStatus.resizeStatus',
    resource: 'persistentvolumeclaims',
    change: { status: { resizeStatus: '' } },
    outcome: becomes({ status: { phase: 'Pending' } }),
  },
  {
    field: 'PodSecurityContext.fsGroupChangePolicy',
    resource: 'pods',
    change: pod({ securityContext: { fsGroupChangePolicy: '' } }),
    outcome: notSupported('spec.securityContext.fsGroupChangePolicy'),
  },
  {
    field: 'PodSpec.preemptionPolicy',
    resource: 'pods',
    change: pod({ preemptionPolicy: '' }),
    outcome: required('spec.preemptionPolicy'),
  },
  {
    // Its gate is off.
    field: 'SecurityContext.procMount',
    resource: 'pods',
    change: inContainer({ securityContext: { procMount: '' } }),
    outcome: becomes(inContainer({ securityContext: {} })),
  },
  {
    field: 'ServiceSpec.internalTrafficPolicy',
    resource: 'services',
    change: pod({ internalTrafficPolicy: '' }),
    outcome: notSupported('spec.internalTrafficPolicy'),
  },
  {
    field: 'ServiceSpec.ipFamilyPolicy',
    resource: 'services',
    change: pod({ ipFamilyPolicy: '' }),
    outcome: notSupported('spec.ipFamilyPolicy'),
  },
  ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].map((name) => ({
    // Their gate is off.
    field: `TopologySpreadConstraint.${name}`,
    resource: 'pods',
    change: spread({ [name]: '' }),
    outcome: becomes(spread({})),
  })),
  {
    field: 'VolumeMount.mountPropagation',
    resource: 'pods',
    change: pod({
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        { ...container, volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: '' }] },
      ],
    }),
    outcome: notSupported('spec.containers[0].volumeMounts[0].mountPropagation'),
  },
  {
    field: 'EndpointPort.protocol',
    resource: 'endpointslices',
    change: { ports: [{ port: 80, protocol: '' }] },
    outcome: notSupported('ports[0].protocol'),
  },
  {
    field: 'HTTPIngressPath.pathType',
    resource: 'ingresses',
    change: pod({
      rules: [
        {
          http: {
            paths: [
              {
                path: '/',
                pathType: '',
                backend: { service: { name: 's', port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    }),
    outcome: notSupported('spec.rules[0].http.paths[0].pathType'),
  },
  {
    field: 'NetworkPolicyPort.protocol',
    resource: 'networkpolicies',
    change: pod({ ingress: [{ ports: [{ port: 80, protocol: '' }] }] }),
    outcome: notSupported('spec.ingress[0].ports[0].protocol'),
  },
  {
    field: 'PriorityClass.preemptionPolicy',
    resource: 'priorityclasses',
    change: { preemptionPolicy: '' },
    outcome: required('preemptionPolicy'),
    update: { refused: 'Invalid', at: 'preemptionPolicy' },
  },
  {
    field: 'StorageClass.reclaimPolicy',
    resource: 'storageclasses',
    change: { reclaimPolicy: '' },
    outcome: becomes({ reclaimPolicy: '' }),
  },
  {
    field: 'StorageClass.volumeBindingMode',
    resource: 'storageclasses',
    change: { volumeBindingMode: '' },
    outcome: notSupported('volumeBindingMode'),
  },
  {
    field: 'CSIDriverSpec.fsGroupPolicy',
    resource: 'csidrivers',
    change: pod({ fsGroupPolicy: '' }),
    outcome: notSupported('spec.fsGroupPolicy'),
  },
  {
    field: 'HPAScalingRules.selectPolicy',
    resource: 'horizontalpodautoscalers',
    change: scaling({
      selectPolicy: '',
      policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
    }),
    outcome: notSupported('spec.behavior.scaleUp.selectPolicy'),
  },
]

/** Items of lists. */
const ITEMS: readonly EmptyWord[] = [
  {
    field: 'Rule.operations',
    resource: 'mutatingwebhookconfigurations',
    change: webhookRule({ operations: [''] }),
    outcome: notSupported('webhooks[0].rules[0].operations[0]'),
  },
  {
    field: 'PersistentVolumeClaimSpec.accessModes',
    resource: 'persistentvolumeclaims',
    change: pod({ accessModes: [''] }),
    outcome: notSupported('spec.accessModes'),
  },
  {
    field: 'PersistentVolumeSpec.accessModes',
    resource: 'persistentvolumes',
    change: pod({ accessModes: [''] }),
    outcome: notSupported('spec.accessModes'),
  },
  {
    field: 'ServiceSpec.ipFamilies',
    resource: 'services',
    change: pod({ ipFamilies: [''] }),
    outcome: notSupported('spec.ipFamilies[0]'),
  },
  {
    field: 'NetworkPolicySpec.policyTypes',
    resource: 'networkpolicies',
    change: pod({ policyTypes: [''] }),
    outcome: notSupported('spec.policyTypes[0]'),
  },
  {
    field: 'ResourceQuotaSpec.scopes',
    resource: 'resourcequotas',
    change: pod({ scopes: [''] }),
    outcome: { refused: 'Invalid', at: 'spec.scopes' },
  },
  {
    field: 'CSIDriverSpec.volumeLifecycleModes',
    resource: 'csidrivers',
    change: pod({ volumeLifecycleModes: [''] }),
    outcome: notSupported('spec.volumeLifecycleModes'),
  },
  {
    field: 'CertificateSigningRequestSpec.usages',
    resource: 'certificatesigningrequests',
    change: pod({ usages: [''] }),
    outcome: notSupported('spec.usages[0]'),
    // The spec stays as it is.
    update: becomes({}),
  },
]

/** Fields that must be given, and of which an empty one is as none. */
const MUST: readonly EmptyWord[] = [
  {
    field: 'CustomResourceDefinitionSpec.scope',
    resource: 'customresourcedefinitions',
    change: pod({ scope: '' }),
    outcome: required('spec.scope'),
  },
  {
    field: 'EndpointSlice.addressType',
    resource: 'endpointslices',
    change: { addressType: '' },
    outcome: required('addressType'),
  },
  {
    field: 'NodeSelectorRequirement.operator',
    resource: 'pods',
    change: pod({ affinity: { nodeAffinity: nodeTerm('') } }),
    outcome: {
      refused: 'Invalid',
      at: 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator',
    },
  },
  {
    field: 'Taint.effect',
    resource: 'nodes',
    change: pod({ taints: [{ key: 'a', effect: '' }] }),
    // As in the reference, the path does not follow the object.
    outcome: required('metadata.taints[0].effect'),
  },
  {
    field: 'TopologySpreadConstraint.whenUnsatisfiable',
    resource: 'pods',
    change: spread({ whenUnsatisfiable: '' }),
    outcome: notSupported('spec.topologySpreadConstraints[0].whenUnsatisfiable'),
  },
  {
    field: 'SeccompProfile.type',
    resource: 'pods',
    change: pod({ securityContext: { seccompProfile: { type: '' } } }),
    outcome: required('spec.securityContext.seccompProfile.type'),
  },
  {
    field: 'PodOS.name',
    resource: 'pods',
    change: pod({ os: { name: '' } }),
    outcome: required('spec.os.name'),
  },
  {
    field: 'LimitRangeItem.type',
    resource: 'limitranges',
    change: pod({ limits: [{ type: '', max: { cpu: '1' } }] }),
    outcome: { refused: 'Invalid', at: 'spec.limits[0].type' },
  },
  {
    field: 'ScopedResourceSelectorRequirement.scopeName',
    resource: 'resourcequotas',
    change: pod({ scopeSelector: { matchExpressions: [{ scopeName: '', operator: 'Exists' }] } }),
    outcome: { refused: 'Invalid', at: 'spec.scopeSelector.matchExpressions.scopeName' },
  },
  {
    field: 'ScopedResourceSelectorRequirement.operator',
    resource: 'resourcequotas',
    change: pod({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: '' }] },
    }),
    outcome: { refused: 'Invalid', at: 'spec.scopeSelector.matchExpressions.operator' },
  },
  {
    field: 'MetricSpec.type',
    resource: 'horizontalpodautoscalers',
    change: metric({ type: '', resource: { name: 'cpu', target } }),
    outcome: { refused: 'Required', at: 'spec.metrics[0].type', also: 'NotSupported' },
  },
  {
    field: 'MetricTarget.type',
    resource: 'horizontalpodautoscalers',
    change: metric({
      type: 'Resource',
      resource: { name: 'cpu', target: { ...target, type: '' } },
    }),
    outcome: required('spec.metrics[0].resource.target.type'),
  },
  {
    field: 'HPAScalingPolicy.type',
    resource: 'horizontalpodautoscalers',
    change: scaling({ policies: [{ type: '', value: 1, periodSeconds: 60 }] }),
    outcome: notSupported('spec.behavior.scaleUp.policies[0].type'),
  },
  {
    field: 'PriorityLevelConfigurationSpec.type',
    resource: 'prioritylevelconfigurations',
    change: pod({ type: '' }),
    outcome: notSupported('spec.type'),
  },
  {
    field: 'LimitResponse.type',
    resource: 'prioritylevelconfigurations',
    change: pod({ limited: { limitResponse: { type: '' } } }),
    outcome: notSupported('spec.limited.limitResponse.type'),
  },
  {
    field: 'FlowDistinguisherMethod.type',
    resource: 'flowschemas',
    change: pod({ distinguisherMethod: { type: '' } }),
    outcome: notSupported('spec.distinguisherMethod.type'),
  },
  {
    field: 'Subject.kind',
    resource: 'flowschemas',
    change: pod({
      rules: [
        {
          subjects: [{ kind: '', user: { name: 'u' } }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
        },
      ],
    }),
    outcome: notSupported('spec.rules[0].subjects[0].kind'),
  },
]

/** Fields in which empty and absent are the same, and have a default. */
const DEFAULTED: readonly EmptyWord[] = [
  ...(
    [
      ['PodSpec.restartPolicy', pod({ restartPolicy: '' }), pod({ restartPolicy: 'Always' })],
      ['PodSpec.dnsPolicy', pod({ dnsPolicy: '' }), pod({ dnsPolicy: 'ClusterFirst' })],
      [
        'Container.imagePullPolicy',
        inContainer({ imagePullPolicy: '' }),
        inContainer({ imagePullPolicy: 'Always' }),
      ],
      [
        'Container.terminationMessagePolicy',
        inContainer({ terminationMessagePolicy: '' }),
        inContainer({ terminationMessagePolicy: 'File' }),
      ],
      [
        'ContainerPort.protocol',
        inContainer({ ports: [{ containerPort: 80, protocol: '' }] }),
        inContainer({ ports: [{ containerPort: 80, protocol: 'TCP' }] }),
      ],
      [
        'HTTPGetAction.scheme',
        inContainer({ livenessProbe: { httpGet: { port: 80, scheme: '' } } }),
        inContainer({ livenessProbe: { httpGet: { port: 80, scheme: 'HTTP' } } }),
      ],
      [
        'Toleration.operator',
        pod({ tolerations: [{ key: 'a', operator: '', effect: '' }] }),
        pod({ tolerations: [{ key: 'a' }] }),
      ],
    ] as const
  ).map(([field, change, made]) => ({
    field,
    resource: 'pods',
    change,
    outcome: becomes(made),
  })),
  {
    field: 'CronJobSpec.concurrencyPolicy',
    resource: 'cronjobs',
    change: pod({ concurrencyPolicy: '' }),
    outcome: becomes(pod({ concurrencyPolicy: 'Allow' })),
  },
  {
    field: 'DeploymentStrategy.type',
    resource: 'deployments',
    change: pod({ strategy: { type: '' } }),
    outcome: becomes(pod({ strategy: { type: 'RollingUpdate' } })),
  },
  {
    field: 'DaemonSetUpdateStrategy.type',
    resource: 'daemonsets',
    change: pod({ updateStrategy: { type: '' } }),
    outcome: becomes(pod({ updateStrategy: { type: 'RollingUpdate' } })),
  },
  {
    field: 'StatefulSetUpdateStrategy.type',
    resource: 'statefulsets',
    change: pod({ updateStrategy: { type: '' }, podManagementPolicy: '' }),
    outcome: becomes(
      pod({ updateStrategy: { type: 'RollingUpdate' }, podManagementPolicy: 'OrderedReady' }),
    ),
  },
  {
    field: 'ServiceSpec.type',
    resource: 'services',
    change: pod({ type: '', sessionAffinity: '', externalTrafficPolicy: '' }),
    outcome: becomes(pod({ type: 'ClusterIP', sessionAffinity: 'None' })),
  },
  {
    field: 'ServicePort.protocol',
    resource: 'services',
    change: pod({ ports: [{ port: 80, protocol: '' }] }),
    outcome: becomes(pod({ ports: [{ port: 80, protocol: 'TCP' }] })),
  },
  {
    field: 'PersistentVolumeSpec.persistentVolumeReclaimPolicy',
    resource: 'persistentvolumes',
    change: pod({ persistentVolumeReclaimPolicy: '' }),
    outcome: becomes(pod({ persistentVolumeReclaimPolicy: 'Retain' })),
  },
]

/** All of them. */
export const emptyWords: readonly EmptyWord[] = [...TOLD, ...ITEMS, ...MUST, ...DEFAULTED]
