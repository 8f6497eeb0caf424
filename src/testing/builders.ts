/** Objects for tests: the least that is valid, with what the test is about merged in. */
import type {
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Ingress,
  Job,
  Lease,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodTemplateSpec,
  RbacAuthorizationV1Subject,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
} from '../client/kinds.ts'
import type { Metadata } from '../client/transport.ts'
import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'
import type { VocabularyName } from '../vocabulary/vocabulary.ts'

/** Any part of a value. Lists are whole. */
export type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Partly<T[K]> }
    : T

/** An object with everything that a create needs. */
export type Built<T> = T & {
  apiVersion: string
  kind: string
  metadata: Metadata & { name: string }
}

/** Makes an object of a name; `more` is merged in: members of objects one by one, lists and texts whole. */
export type Builder<T> = (name: string, more?: Partly<T>) => Built<T>

/** Who is granted what. */
export interface Grant {
  /** Name of the role; a cluster role where `clusterRole` is given instead. */
  readonly role?: string
  readonly clusterRole?: string
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
  /** Service accounts, `namespace/name`. */
  readonly accounts?: readonly string[]
  readonly metadata?: Partly<Metadata>
}

/** A custom resource. */
export interface Definition {
  readonly group: string
  readonly kind: string
  /** The kind in lower case with an `s` by default. */
  readonly plural?: string
  /** `v1` by default. */
  readonly version?: string
  /** `Namespaced` by default. */
  readonly scope?: 'Namespaced' | 'Cluster'
  /** Schema of the object; any object by default. */
  readonly schema?: object
  /** Sub-resources, such as `{ status: {} }`. */
  readonly subresources?: object
  readonly shortNames?: readonly string[]
}

/** Builders of one vocabulary. */
export interface Builders {
  readonly namespace: Builder<Namespace>
  readonly configMap: Builder<ConfigMap>
  readonly secret: Builder<Secret>
  readonly serviceAccount: Builder<ServiceAccount>
  readonly node: Builder<Node>
  /** With one container. */
  readonly pod: Builder<Pod>
  /** With one port, for pods with the label `app` of its name. */
  readonly service: Builder<Service>
  readonly persistentVolumeClaim: Builder<PersistentVolumeClaim>
  /** Workloads have pods with one container and the label `app` of their name. */
  readonly deployment: Builder<Deployment>
  readonly statefulSet: Builder<StatefulSet>
  readonly daemonSet: Builder<DaemonSet>
  readonly job: Builder<Job>
  readonly cronJob: Builder<CronJob>
  readonly ingress: Builder<Ingress>
  readonly lease: Builder<Lease>
  readonly role: Builder<Role>
  readonly clusterRole: Builder<ClusterRole>
  readonly roleBinding: (name: string, grant: Grant) => Built<RoleBinding>
  readonly clusterRoleBinding: (name: string, grant: Grant) => Built<ClusterRoleBinding>
  readonly definition: (definition: Definition) => Built<CustomResourceDefinition>
}

const IMAGE = 'example.com/app:1'

/** The builders of a vocabulary, by default that of a server without the option. */
export function builders(vocabulary: VocabularyName = defaultVocabulary): Builders {
  const v = vocabularies[vocabulary]
  const of =
    <T>(apiVersion: string, kind: string, rest: (name: string) => object = () => ({})) =>
    (name: string, more: Partly<T> | object = {}): Built<T> => {
      const object = { apiVersion: v.resolve(apiVersion), kind, metadata: { name }, ...rest(name) }
      // What is merged in has the type of the object.
      return merged(object, more) as Built<T>
    }
  const rbac = 'rbac.authorization{api}/v1'
  const grant = (apiVersion: string, kind: string) => (name: string, given: Grant) =>
    of<RoleBinding>(apiVersion, kind, () => granted(given, v.resolve('rbac.authorization{api}')))(
      name,
      given.metadata === undefined ? {} : { metadata: given.metadata },
    )
  const workload = (name: string) => ({
    spec: { selector: { matchLabels: { app: name } }, ...template(name) },
  })
  return {
    namespace: of('v1', 'Namespace'),
    configMap: of('v1', 'ConfigMap'),
    secret: of('v1', 'Secret'),
    serviceAccount: of('v1', 'ServiceAccount'),
    node: of('v1', 'Node'),
    pod: of('v1', 'Pod', () => ({ spec: { containers: [{ name: 'main', image: IMAGE }] } })),
    service: of('v1', 'Service', (app) => ({ spec: { selector: { app }, ports: [{ port: 80 }] } })),
    persistentVolumeClaim: of('v1', 'PersistentVolumeClaim', () => ({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })),
    deployment: of('apps/v1', 'Deployment', workload),
    statefulSet: of('apps/v1', 'StatefulSet', (name) => ({
      spec: { serviceName: name, ...workload(name).spec },
    })),
    daemonSet: of('apps/v1', 'DaemonSet', workload),
    job: of('batch/v1', 'Job', () => ({ spec: task() })),
    cronJob: of('batch/v1', 'CronJob', () => ({
      spec: { schedule: '0 * * * *', jobTemplate: { spec: task() } },
    })),
    ingress: of('networking{api}/v1', 'Ingress', (name) => ({
      spec: { defaultBackend: { service: { name, port: { number: 80 } } } },
    })),
    lease: of('coordination{api}/v1', 'Lease'),
    role: of(rbac, 'Role'),
    clusterRole: of(rbac, 'ClusterRole'),
    roleBinding: grant(rbac, 'RoleBinding'),
    clusterRoleBinding: grant(rbac, 'ClusterRoleBinding'),
    definition: (given) => {
      const { plural, spec } = defined(given, v.resolve('x-{brand}-preserve-unknown-fields'))
      return of<CustomResourceDefinition>(
        'apiextensions{api}/v1',
        'CustomResourceDefinition',
        () => ({
          spec,
        }),
      )(`${plural}.${given.group}`)
    },
  }
}

const template = (app: string): { readonly template: PodTemplateSpec } => ({
  template: {
    metadata: { labels: { app } },
    spec: { containers: [{ name: 'main', image: IMAGE }] },
  },
})

const task = () => ({
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: IMAGE }] } },
})

function granted(
  { role, clusterRole, users = [], groups = [], accounts = [] }: Grant,
  apiGroup: string,
) {
  if ((role === undefined) === (clusterRole === undefined))
    throw new TypeError('a binding needs either role or clusterRole')
  const subjects: RbacAuthorizationV1Subject[] = [
    ...users.map((name) => ({ kind: 'User', apiGroup, name })),
    ...groups.map((name) => ({ kind: 'Group', apiGroup, name })),
    ...accounts.map((account) => {
      const [namespace = '', name = ''] = account.split('/')
      if (name === '') throw new TypeError(`an account is namespace/name, and not ${account}`)
      return { kind: 'ServiceAccount', namespace, name }
    }),
  ]
  const roleRef =
    role === undefined
      ? { apiGroup, kind: 'ClusterRole', name: clusterRole }
      : { apiGroup, kind: 'Role', name: role }
  return { subjects, roleRef }
}

function defined(given: Definition, preserving: string) {
  const { group, kind, version = 'v1', scope = 'Namespaced', subresources, shortNames } = given
  const { plural = `${kind.toLowerCase()}s`, schema = { type: 'object', [preserving]: true } } =
    given
  return {
    plural,
    spec: {
      group,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), ...(shortNames ? { shortNames } : {}) },
      versions: [
        {
          ...{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } },
          ...(subresources ? { subresources } : {}),
        },
      ],
    },
  }
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A new value: members of both, those of `more` count; undefined removes. */
function merged(base: unknown, more: unknown): unknown {
  if (!isMap(base) || !isMap(more)) return more
  const result = new Map(Object.entries(base))
  for (const [name, value] of Object.entries(more)) {
    if (value === undefined) result.delete(name)
    else result.set(name, result.has(name) ? merged(result.get(name), value) : value)
  }
  return Object.fromEntries(result)
}
