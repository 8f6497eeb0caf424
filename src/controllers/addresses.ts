/** Addresses of the resources that controllers work on. */
import type { ResourceAddress } from '../client/transport.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

const core = (resource: string): ResourceAddress => ({ group: '', version: 'v1', resource })

export const NAMESPACES = core('namespaces')
export const CONFIG_MAPS = core('configmaps')
export const SECRETS = core('secrets')
export const SERVICE_ACCOUNTS = core('serviceaccounts')
export const RESOURCE_QUOTAS = core('resourcequotas')
export const PODS = core('pods')
export const NODES = core('nodes')
export const CLAIMS = core('persistentvolumeclaims')
export const VOLUMES = core('persistentvolumes')
const apps = (resource: string): ResourceAddress => ({ group: 'apps', version: 'v1', resource })
const batch = (resource: string): ResourceAddress => ({ group: 'batch', version: 'v1', resource })

export const JOBS = batch('jobs')
export const CRON_JOBS = batch('cronjobs')
export const DAEMON_SETS = apps('daemonsets')
export const DEPLOYMENTS = apps('deployments')
export const REPLICA_SETS = apps('replicasets')
export const STATEFUL_SETS = apps('statefulsets')
export const CONTROLLER_REVISIONS = apps('controllerrevisions')
export const REPLICATION_CONTROLLERS = core('replicationcontrollers')
export const DISRUPTION_BUDGETS: ResourceAddress = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
}
export const EVENTS = core('events')
export const SERVICES = core('services')
export const ENDPOINTS = core('endpoints')

export const clusterRoles = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('rbac.authorization{api}'),
  version: 'v1',
  resource: 'clusterroles',
})

export const leases = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('coordination{api}'),
  version: 'v1',
  resource: 'leases',
})

export const storageClasses = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('storage{api}'),
  version: 'v1',
  resource: 'storageclasses',
})

export const csiDrivers = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('storage{api}'),
  version: 'v1',
  resource: 'csidrivers',
})

export const csiNodes = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('storage{api}'),
  version: 'v1',
  resource: 'csinodes',
})

export const volumeAttachments = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('storage{api}'),
  version: 'v1',
  resource: 'volumeattachments',
})

export const endpointSlices = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('discovery{api}'),
  version: 'v1',
  resource: 'endpointslices',
})

export const definitions = (v: Vocabulary): ResourceAddress => ({
  group: v.resolve('apiextensions{api}'),
  version: 'v1',
  resource: 'customresourcedefinitions',
})
