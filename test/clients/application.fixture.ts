/** An application of thirty objects of mixed kinds, as somebody would write it. */

const labels = 'app: shop'
const pod = (image: string, port: number) => `
      containers:
        - name: main
          image: ${image}
          ports: [{ name: http, containerPort: ${port} }]
          env:
            - { name: LEVEL, valueFrom: { configMapKeyRef: { name: settings, key: level } } }
            - { name: PORT, value: "${port}" }
          resources: { requests: { cpu: 50m, memory: 64Mi }, limits: { memory: 128Mi } }
          readinessProbe: { httpGet: { path: /ready, port: http } }
          volumeMounts: [{ name: config, mountPath: /etc/shop }]
      volumes: [{ name: config, configMap: { name: settings } }]`

const deployment = (name: string, image: string, port: number, replicas: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: shop, labels: { ${labels} } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { ${labels}, part: ${name} } }
  template:
    metadata: { labels: { ${labels}, part: ${name} } }
    spec:${pod(image, port)}`

const service = (name: string, port: number, type = 'ClusterIP') => `
apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: shop, labels: { ${labels} } }
spec:
  type: ${type}
  selector: { ${labels}, part: ${name} }
  ports: [{ name: http, port: ${port}, targetPort: http }]`

const simple = (apiVersion: string, kind: string, name: string, rest: string) => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: ${name}, namespace: shop, labels: { ${labels} } }
${rest}`

const global = (apiVersion: string, kind: string, name: string, rest: string) => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: ${name}, labels: { ${labels} } }
${rest}`

/** The manifests as YAML documents; `image` and `level` are what a change changes. */
export function application(image = 'registry.example/shop:1', level = 'info'): string[] {
  const job = `
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers: [{ name: main, image: "${image}", args: [sweep] }]`
  return [
    `
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { ${labels} } }`,
    simple('v1', 'ServiceAccount', 'shop', 'automountServiceAccountToken: false'),
    simple('v1', 'ConfigMap', 'settings', `data: { level: ${level}, colour: blue }`),
    simple('v1', 'ConfigMap', 'pages', 'data: { index.html: "<p>hello</p>" }'),
    simple('v1', 'Secret', 'keys', 'data: { token: YWJj }\ntype: Opaque'),
    simple(
      'v1',
      'PersistentVolumeClaim',
      'data',
      'spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }',
    ),
    simple('v1', 'ResourceQuota', 'quota', 'spec: { hard: { pods: "50", requests.cpu: "10" } }'),
    simple(
      'v1',
      'LimitRange',
      'limits',
      'spec: { limits: [{ type: Container, default: { cpu: 200m }, defaultRequest: { cpu: 100m } }] }',
    ),
    deployment('web', image, 8080, 3),
    deployment('cart', image, 8081, 2),
    deployment('search', image, 8082, 1),
    service('web', 80, 'NodePort'),
    service('cart', 80),
    service('search', 80),
    simple(
      'v1',
      'Service',
      'headless',
      `spec: { clusterIP: None, selector: { ${labels} }, ports: [{ port: 80 }] }`,
    ),
    simple(
      'apps/v1',
      'StatefulSet',
      'database',
      `spec:
  serviceName: headless
  replicas: 1
  selector: { matchLabels: { part: database } }
  template:
    metadata: { labels: { part: database } }
    spec:${pod('registry.example/database:9', 5432)}
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 2Gi } } }`,
    ),
    simple(
      'apps/v1',
      'DaemonSet',
      'collector',
      `spec:
  selector: { matchLabels: { part: collector } }
  template:
    metadata: { labels: { part: collector } }
    spec:${pod('registry.example/collector:2', 9000)}`,
    ),
    simple(
      'batch/v1',
      'CronJob',
      'sweeper',
      `spec:\n  schedule: "*/5 * * * *"\n  jobTemplate:${job}`,
    ),
    simple(
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'web',
      'spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }, minReplicas: 2, maxReplicas: 9 }',
    ),
    simple(
      'policy/v1',
      'PodDisruptionBudget',
      'web',
      'spec: { minAvailable: 1, selector: { matchLabels: { part: web } } }',
    ),
    simple(
      'networking.k8s.io/v1',
      'Ingress',
      'web',
      `spec:
  rules:
    - host: shop.example
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: web, port: { name: http } } } }] }`,
    ),
    simple(
      'networking.k8s.io/v1',
      'NetworkPolicy',
      'inside',
      `spec: { podSelector: { matchLabels: { ${labels} } }, ingress: [{ from: [{ podSelector: {} }] }] }`,
    ),
    simple(
      'rbac.authorization.k8s.io/v1',
      'Role',
      'reader',
      'rules: [{ apiGroups: [""], resources: [configmaps], verbs: [get, list] }]',
    ),
    simple(
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      'reader',
      'roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }\nsubjects: [{ kind: ServiceAccount, name: shop, namespace: shop }]',
    ),
    simple(
      'coordination.k8s.io/v1',
      'Lease',
      'leader',
      'spec: { holderIdentity: web-0, leaseDurationSeconds: 15 }',
    ),
    global(
      'rbac.authorization.k8s.io/v1',
      'ClusterRole',
      'shop-reader',
      'rules: [{ apiGroups: [""], resources: [nodes], verbs: [get] }]',
    ),
    global(
      'rbac.authorization.k8s.io/v1',
      'ClusterRoleBinding',
      'shop-reader',
      'roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: shop-reader }\nsubjects: [{ kind: ServiceAccount, name: shop, namespace: shop }]',
    ),
    global('scheduling.k8s.io/v1', 'PriorityClass', 'shop', 'value: 1000'),
    global('storage.k8s.io/v1', 'StorageClass', 'shop', 'provisioner: example.com/disk'),
    global(
      'networking.k8s.io/v1',
      'IngressClass',
      'shop',
      'spec: { controller: example.com/ingress }',
    ),
  ]
}
