/** The JSON of objects that requests carry. */
import { CHANGING, REVISION, type ObjectType, type Pods } from './job.ts'

/** Digits of the number in a name. */
const NUMBER_DIGITS = 7
const VALUES = 8

// What the server adds to an object of this size: uid, revision, time of creation, namespace.
const SERVER_PART_BYTES = 160

/** JSON around the number in an object's name. */
export interface Parts {
  readonly before: string
  readonly after: string
}

const CONFIG_MAP: ObjectType = { apiVersion: 'v1', kind: 'ConfigMap' }

/** A config map, or another kind with the same data; `sizeBytes` long when it is read back. */
export function configMapParts(
  sizeBytes: number,
  prefix: string,
  {
    labels,
    of = CONFIG_MAP,
    fill = 'v',
  }: {
    readonly labels?: Readonly<Record<string, string>>
    readonly of?: ObjectType
    /** The letter that values consist of. */
    readonly fill?: string
  } = {},
): Parts {
  const around = (data: Record<string, string>) =>
    JSON.stringify({
      ...of,
      metadata: { name: `${prefix}#`, ...(labels === undefined ? {} : { labels }) },
      data,
    })
  const keys = Array.from({ length: VALUES }, (_, i) => `setting-${i}`)
  const empty = around(Object.fromEntries(keys.map((key) => [key, ''])))
  const room = Math.max(0, sizeBytes - SERVER_PART_BYTES - empty.length - NUMBER_DIGITS + 1)
  return parted(
    around(
      Object.fromEntries(keys.map((key, i) => [key, fill.repeat(Math.floor((room + i) / VALUES))])),
    ),
  )
}

/** A deployment as people write them, about 1.5 KiB: two containers, settings, resources, probes, volumes. */
export function deploymentParts(prefix: string, replicas: number): Parts {
  const labels = { app: 'shop', component: 'web', tier: 'front' }
  const probe = (path: string, periodSeconds: number) => ({
    httpGet: { path, port: 8080 },
    periodSeconds,
    timeoutSeconds: 2,
  })
  return parted(
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `${prefix}#`, labels, annotations: { owner: 'the shop team' } },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: 'web',
                image: 'registry.example.com/shop/web:1.4.2',
                args: ['--listen=:8080', '--verbose=false'],
                ports: [
                  { name: 'http', containerPort: 8080, protocol: 'TCP' },
                  { name: 'metrics', containerPort: 9090, protocol: 'TCP' },
                ],
                env: [
                  { name: 'LOG_LEVEL', value: 'info' },
                  { name: 'DATABASE_HOST', value: 'database.shop.svc' },
                  {
                    name: 'DATABASE_PASSWORD',
                    valueFrom: { secretKeyRef: { name: 'database', key: 'password' } },
                  },
                ],
                resources: {
                  requests: { cpu: '100m', memory: '128Mi' },
                  limits: { cpu: '1', memory: '512Mi' },
                },
                readinessProbe: probe('/ready', 5),
                livenessProbe: probe('/alive', 20),
                volumeMounts: [{ name: 'settings', mountPath: '/etc/shop', readOnly: true }],
              },
              {
                name: 'proxy',
                image: 'registry.example.com/base/proxy:2.31',
                ports: [{ name: 'proxy', containerPort: 15001, protocol: 'TCP' }],
                resources: { requests: { cpu: '10m', memory: '32Mi' } },
              },
            ],
            volumes: [{ name: 'settings', configMap: { name: 'shop-settings' } }],
          },
        },
      },
    }),
  )
}

/** Labels of a pod's own, one with its number; selections of one pod use it. */
export const OWN_LABEL = 'number'
/** The node that so many pods are on. */
export const nodeOf = (number: number, onEachNode: number): string =>
  `node-${numberText(Math.floor(number / onEachNode))}`

/** A pod with one container. */
export function podText(
  number: number,
  { prefix, markEvery, onEachNode }: Pick<Pods, 'prefix' | 'markEvery' | 'onEachNode'>,
): string {
  const marked = markEvery !== undefined && number % markEvery === 0
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: prefix + numberText(number),
      labels: {
        app: 'shop',
        [OWN_LABEL]: numberText(number),
        ...(marked ? { marked: 'yes' } : {}),
      },
    },
    spec: {
      ...(onEachNode === undefined ? {} : { nodeName: nodeOf(number, onEachNode) }),
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/shop/web:1.4.2',
          ports: [{ containerPort: 8080 }],
          resources: { requests: { cpu: '100m', memory: '128Mi' } },
        },
      ],
    },
  })
}

/** The lease of a lane's node agent, as it renews it; a template for `replace`. */
export const leaseText = (apiVersion: string, name: string): string =>
  JSON.stringify({
    apiVersion,
    kind: 'Lease',
    metadata: { name, resourceVersion: REVISION },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: 40,
      renewTime: `2022-11-01T10:00:00.${CHANGING}Z`,
    },
  })

/** A binding of a role for one user, who has no other. */
export const bindingText = (prefix: string, number: number): string =>
  JSON.stringify({
    metadata: { name: `${prefix}${numberText(number)}` },
    roleRef: { kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'User', name: `somebody-${numberText(number)}` }],
  })

function parted(text: string): Parts {
  const [before = '', after = ''] = text.split('#')
  return { before, after }
}

/** The number of an object as it stands in its name. */
export const numberText = (number: number): string => String(number).padStart(NUMBER_DIGITS, '0')
