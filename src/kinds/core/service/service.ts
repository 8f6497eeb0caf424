import { isDns1035Label } from '../../../meta/names.ts'
import { group } from '../../../meta/object-meta.ts'
import { connect, part, resource } from '../../../catalogue/resource.ts'
import { t } from '../../../notation/shape.ts'
import { Condition } from '../../meta/condition.ts'
import { LoadBalancerStatus, validateLoadBalancerStatus } from '../load-balancer-status.ts'
import { allocateService, claimsOf } from './allocate.ts'
import { serviceColumns } from './columns.ts'
import { fillServiceSpec } from './defaults.ts'
import { ServiceSpec } from './service-spec.ts'
import { isExternalName, isLoadBalancer } from './traits.ts'
import { alignClusterIps, dropUnused, keepAllocated } from './update.ts'
import { validateService, validateServiceUpdate } from './validate.ts'

const { kind, shape } = group('core/v1')

const INTERNAL_POLICY = 'ServiceInternalTrafficPolicy'

/** Most recently observed status of a service. */
export class ServiceStatus extends shape({
  /** Status of the load balancer, for type `LoadBalancer`. */
  loadBalancer: t.object(1, LoadBalancerStatus),
  /** Observed conditions of the service, one for each type. */
  conditions: t.list(2, Condition).keyed('type').patchBy('type'),
}) {}

/** A stable name and virtual IP address for a set of pods, with the ports to reach them. */
export class Service extends kind({
  /** Desired behavior of the service. */
  spec: t.object(2, ServiceSpec),
  /** Most recently observed status. Set by controllers; read-only for users. */
  status: t.object(3, ServiceStatus),
}) {}

export const services = resource<Service>(Service, {
  plural: 'services',
  short: ['svc'],
  categories: ['all'],
  scope: 'namespace',
  nameRule: isDns1035Label,
  createOnUpdate: true,
  removes: [{ group: '', resource: 'endpoints' }],
  subresources: {
    proxy: connect(
      'ServiceProxyOptions',
      'serviceProxy',
      ['create', 'delete', 'get', 'patch', 'update'],
      { deep: true },
    ),
    status: part('status', {
      validate: ({ status }, errors) =>
        validateLoadBalancerStatus(status.loadBalancer, errors.at('status', 'loadBalancer')),
    }),
  },
  columns: serviceColumns,

  setDefaults: ({ spec }, c) => fillServiceSpec(spec, c),

  prepareForCreate(service, c) {
    const { spec } = service
    service.status = { loadBalancer: {} }
    alignClusterIps(spec, null)
    if (!c.gate(INTERNAL_POLICY)) delete spec.internalTrafficPolicy
  },

  prepareForUpdate(next, old, c) {
    keepAllocated(next.spec, old.spec)
    alignClusterIps(next.spec, old.spec)
    if (!c.gate(INTERNAL_POLICY) && old.spec.internalTrafficPolicy === undefined) {
      delete next.spec.internalTrafficPolicy
    }
    dropUnused(next.spec, old.spec)
    if (!isLoadBalancer(next.spec)) next.status = { ...next.status, loadBalancer: {} }
  },

  validate: validateService,

  validateUpdate: (next, old, errors) =>
    validateServiceUpdate(next.spec, old.spec, errors.at('spec')),

  canonicalize({ spec }) {
    // Older releases also set it here, where it has no effect.
    if (isExternalName(spec)) delete spec.internalTrafficPolicy
  },

  allocate: (next, old, allocators, errors) =>
    allocateService(next.spec, old?.spec ?? null, allocators, errors.at('spec')),

  allocations: ({ spec }) => claimsOf(spec),
})
