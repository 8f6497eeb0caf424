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

/** How a service fares. */
export class ServiceStatus extends shape({
  /** Where the load balancer takes traffic, once there is one. */
  loadBalancer: t.object(1, LoadBalancerStatus),
  /** What is going on. */
  conditions: t.list(2, Condition).keyed('type').patchBy('type'),
}) {}

/** A name and an address that stay while the pods behind them come and go. */
export class Service extends kind({
  /** What is offered, and how. */
  spec: t.object(2, ServiceSpec),
  /** How the service fares; kept by the cluster. */
  status: t.object(3, ServiceStatus),
}) {}

export const services = resource(Service, {
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
    // It was once filled in here as well, where it means nothing.
    if (isExternalName(spec)) delete spec.internalTrafficPolicy
  },

  allocate: (next, old, pools, errors) =>
    allocateService(next.spec, old?.spec ?? null, pools, errors.at('spec')),

  claims: ({ spec }) => claimsOf(spec),
})
