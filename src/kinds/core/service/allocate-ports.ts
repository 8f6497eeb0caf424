import { internalError } from '../../../meta/errors.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import type { Allocators } from '../../../catalogue/resource.ts'
import type { ServiceSpec } from './service-spec.ts'
import { needsHealthCheck, nodePortsOf, picksNodePorts, usesNodes } from './traits.ts'

/** Name of the allocator of node ports. */
export const NODE_PORTS = 'servicenodeports'

/**
 * Allocates requested and missing node ports for one service. Throws 500 when the range is
 * exhausted.
 */
export function allocatePorts(
  spec: ServiceSpec,
  old: ServiceSpec | null,
  allocators: Allocators,
  errors: FieldErrors,
): void {
  const ports = new NodePorts(spec, allocators)
  if (usesNodes(spec)) {
    if (old) updateNodePorts(spec, old, ports, errors)
    else createNodePorts(spec, ports, errors)
  }
  if (needsHealthCheck(spec) && !(old && needsHealthCheck(old)) && errors.list.length === 0) {
    allocateHealthCheck(spec, ports)
  }
}

/** View of the node port allocator for one service: ports that it allocates are no longer free. */
class NodePorts {
  readonly #allocators: Allocators
  readonly #taken = new Set<number>()
  readonly #asked: ReadonlySet<number>
  /** Requested ports that were picked before their own turn, so that they are allocated already. */
  readonly #kept = new Set<number>()

  constructor(spec: ServiceSpec, allocators: Allocators) {
    this.#allocators = allocators
    this.#asked = new Set([...nodePortsOf(spec), spec.healthCheckNodePort ?? 0])
  }

  /** Allocates a requested port. Returns the violation, or null on success. */
  take(port: number): string | null {
    const value = String(port)
    if (!this.#allocators.contains(NODE_PORTS, value)) {
      const range = this.#allocators.range(NODE_PORTS) ?? ''
      return `provided port is not in the valid range. The range of valid ports is ${range}`
    }
    const isFree = this.#kept.has(port) || this.#allocators.isFree(NODE_PORTS, value)
    if (this.#taken.has(port) || !isFree) return 'provided port is already allocated'
    this.#taken.add(port)
    return null
  }

  /** A free port that no other port of the service requests; null without one. */
  pick(): number | null {
    for (;;) {
      const value = this.#allocators.pick(NODE_PORTS)
      if (value === null) return null
      const port = Number(value)
      if (this.#asked.has(port)) {
        this.#kept.add(port)
        continue
      }
      this.#taken.add(port)
      return port
    }
  }
}

function pickNodePort(ports: NodePorts): number {
  const port = ports.pick()
  if (port === null) throw internalError('failed to allocate a nodePort: range is full')
  return port
}

/** Node ports of a new service: equal ports with different protocols share one node port. */
function createNodePorts(spec: ServiceSpec, ports: NodePorts, errors: FieldErrors): void {
  const { ports: list = [] } = spec
  const picks = picksNodePorts(spec)
  const byPort = new Map<number, number>()
  for (const [i, port] of list.entries()) {
    const own = port.nodePort ?? 0
    if (own === 0 && !picks) continue
    const at = errors.at('ports', i, 'nodePort')
    const shared = byPort.get(port.port)
    if (shared === undefined) {
      const asked = list.find((p) => p.port === port.port && (p.nodePort ?? 0) !== 0)?.nodePort
      if (asked !== undefined && !takeNodePort(asked, ports, at)) return
      port.nodePort = asked ?? pickNodePort(ports)
      byPort.set(port.port, port.nodePort)
    } else if (own === 0) port.nodePort = shared
    else if (own !== shared && !takeNodePort(own, ports, at)) return
  }
}

/** Node ports of an updated service: existing ones are kept, new ones are not shared. */
function updateNodePorts(
  spec: ServiceSpec,
  old: ServiceSpec,
  ports: NodePorts,
  errors: FieldErrors,
): void {
  const picks = picksNodePorts(spec)
  const mine = new Set(nodePortsOf(old))
  for (const [i, port] of (spec.ports ?? []).entries()) {
    const own = port.nodePort ?? 0
    if (own !== 0) {
      if (mine.has(own)) continue
      if (!takeNodePort(own, ports, errors.at('ports', i, 'nodePort'))) return
      mine.add(own)
    } else if (picks) port.nodePort = pickNodePort(ports)
  }
}

function takeNodePort(port: number, ports: NodePorts, errors: FieldErrors): boolean {
  const problem = ports.take(port)
  if (problem !== null) errors.invalid(port, problem)
  return problem === null
}

function allocateHealthCheck(spec: ServiceSpec, ports: NodePorts): void {
  const asked = spec.healthCheckNodePort ?? 0
  if (asked !== 0) {
    const problem = ports.take(asked)
    if (problem === null) return
    throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`)
  }
  const port = ports.pick()
  if (port === null) {
    throw internalError('failed to allocate a HealthCheck NodePort 0: range is full')
  }
  spec.healthCheckNodePort = port
}
