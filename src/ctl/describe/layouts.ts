/** Which kind is described how. */
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { ServedResource } from '../api/discovery.ts'
import { binding, configMap, role, secret, serviceAccount, signingRequest } from './access.ts'
import { limitRange, namespace, node, priorityClass, quota } from './cluster.ts'
import { generic } from './generic.ts'
import {
  endpoints,
  endpointSlice,
  ingress,
  ingressClass,
  networkPolicy,
  service,
} from './network.ts'
import type { Page } from './page.ts'
import { pod } from './pods.ts'
import { autoscaler, budget } from './scaling.ts'
import type { Scene } from './scene.ts'
import { claim, storageClass, volume } from './storage.ts'
import { cronJob, daemonSet, deployment, job, replicas, statefulSet } from './workloads.ts'

/** Writes about the object of a scene. */
export interface Layout {
  readonly write: (page: Page, scene: Scene) => void | Promise<void>
  /** Whether events follow. */
  readonly hasEvents: boolean
}

const withEvents = (write: Layout['write']): Layout => ({ write, hasEvents: true })
const alone = (write: Layout['write']): Layout => ({ write, hasEvents: false })

/** By group, a template, and kind. */
const LAYOUTS: Readonly<Record<string, Layout>> = {
  '/ConfigMap': withEvents(configMap),
  '/Endpoints': withEvents(endpoints),
  '/LimitRange': alone(limitRange),
  '/Namespace': alone(namespace),
  '/Node': withEvents(node),
  '/PersistentVolume': withEvents(volume),
  '/PersistentVolumeClaim': withEvents(claim),
  '/Pod': withEvents((page, scene) => pod(page, { object: scene.object, now: () => scene.now() })),
  '/ReplicationController': withEvents(replicas),
  '/ResourceQuota': alone(quota),
  '/Secret': alone(secret),
  '/Service': withEvents(service),
  '/ServiceAccount': withEvents(serviceAccount),
  'apps/DaemonSet': withEvents(daemonSet),
  'apps/Deployment': withEvents(deployment),
  'apps/ReplicaSet': withEvents(replicas),
  'apps/StatefulSet': withEvents(statefulSet),
  'autoscaling/HorizontalPodAutoscaler': withEvents(autoscaler),
  'batch/CronJob': withEvents(cronJob),
  'batch/Job': withEvents(job),
  'certificates{api}/CertificateSigningRequest': withEvents(signingRequest),
  'discovery{api}/EndpointSlice': withEvents(endpointSlice),
  'networking{api}/Ingress': withEvents(ingress),
  'networking{api}/IngressClass': withEvents(ingressClass),
  'networking{api}/NetworkPolicy': alone(networkPolicy),
  'policy/PodDisruptionBudget': withEvents(budget),
  'rbac.authorization{api}/ClusterRole': alone(role),
  'rbac.authorization{api}/ClusterRoleBinding': alone(binding),
  'rbac.authorization{api}/Role': alone(role),
  'rbac.authorization{api}/RoleBinding': alone(binding),
  'scheduling{api}/PriorityClass': withEvents(priorityClass),
  'storage{api}/StorageClass': withEvents(storageClass),
}

/** The layout of a kind. */
export function layoutOf({ group, kind }: ServedResource, v: Vocabulary): Layout {
  const found = Object.entries(LAYOUTS).find(([key]) => v.resolve(key) === `${group}/${kind}`)
  return found?.[1] ?? withEvents(generic)
}
