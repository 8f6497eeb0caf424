import { quantityOf } from '../base/quantity.ts'
import type { Service } from '../kinds/core/service/service.ts'
import type { Typed } from '../meta/object-meta.ts'
import { NOTHING } from './amounts.ts'
import type { Evaluator } from './evaluator.ts'
import { countName, ONE } from './object-count.ts'

const SERVICES = { group: '', resource: 'services' }
const COUNT = countName(SERVICES)
const NODE_PORTS = 'services.nodeports'
const LOAD_BALANCERS = 'services.loadbalancers'
const NAMES: ReadonlySet<string> = new Set([COUNT, 'services', NODE_PORTS, LOAD_BALANCERS])

/** Counts services, the node ports that they have or will get, and load balancers. */
export const serviceUsage: Evaluator = {
  of: SERVICES,
  chargesUpdates: true,
  isCount: false,
  measures: (name) => NAMES.has(name),
  usage(object: Typed) {
    const { spec } = object as Service
    return new Map([
      [COUNT, ONE],
      ['services', ONE],
      [NODE_PORTS, quantityOf(nodePorts(spec))],
      [LOAD_BALANCERS, spec.type === 'LoadBalancer' ? ONE : NOTHING],
    ])
  },
}

/** Ports are not allocated yet where that counts: what the service asks for does. */
function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: Service['spec']): number {
  if (type === 'NodePort') return ports.length
  if (type !== 'LoadBalancer') return 0
  if (allocateLoadBalancerNodePorts !== false) return ports.length
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length
}
