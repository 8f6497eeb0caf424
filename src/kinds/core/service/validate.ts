import type { FieldErrors } from '../../../meta/field-errors.ts'
import {
  isCidr,
  isDns1123Label,
  isDns1123Subdomain,
  isIp,
  isPortName,
  isPortNumber,
  isQualifiedName,
} from '../../../meta/names.ts'
import type { Typed } from '../../../meta/object-meta.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { isReachableIp } from '../reachable-ip.ts'
import { validateLabels } from '../volumes/meta-rules.ts'
import type { ServicePort, ServiceSpec } from './service-spec.ts'
import {
  isExternalName,
  isHeadless,
  isLoadBalancer,
  needsHealthCheck,
  NONE,
  usesNodes,
} from './traits.ts'
import { validateAddresses } from './validate-addresses.ts'

/** Port on which the node agent listens. */
const AGENT_PORT = 10_250
const MAX_AFFINITY_SECONDS = 86_400
const SOURCE_RANGES = 'service.beta.{label}/load-balancer-source-ranges'
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'"

/** Validates a service before allocation. */
export function validateService(
  service: Typed & { spec: ServiceSpec },
  errors: FieldErrors,
  c: HookContext,
  old?: { spec: ServiceSpec },
): void {
  const { spec } = service
  const at = errors.at('spec')
  const { ports = [] } = spec
  if (ports.length === 0 && !isHeadless(spec) && !isExternalName(spec)) at.at('ports').required()
  validateType(spec, at, c, old?.spec)
  validatePorts(ports, at.at('ports'))
  validateLabels(spec.selector, at.at('selector'))
  validateAffinity(spec, at)
  validateAddresses(spec, at)
  spec.externalIPs?.forEach((ip, i) => {
    const problems = isIp(ip)
    at.at('externalIPs', i).invalidAll(ip, problems.length > 0 ? problems : isReachableIp(ip))
  })
  validateNodePorts(spec, at.at('ports'))
  validateUniquePorts(ports, at.at('ports'))
  validateSourceRanges(service, errors, c)
  validateLoadBalancer(spec, errors)
  validateTraffic(spec, at, c)
}

/** Validates an update as far as it does not depend on allocation. */
export function validateServiceUpdate(
  next: ServiceSpec,
  old: ServiceSpec,
  errors: FieldErrors,
): void {
  if (
    isLoadBalancer(next) &&
    isLoadBalancer(old) &&
    next.loadBalancerClass !== old.loadBalancerClass
  ) {
    errors.at('loadBalancerClass').invalid(next.loadBalancerClass, 'may not change once set')
  }
  if (
    needsHealthCheck(next) &&
    needsHealthCheck(old) &&
    next.healthCheckNodePort !== old.healthCheckNodePort
  ) {
    errors.at('healthCheckNodePort').forbidden('field is immutable')
  }
}

function validateType(
  spec: ServiceSpec,
  errors: FieldErrors,
  c: HookContext,
  old?: ServiceSpec,
): void {
  const { type, ports = [] } = spec
  if (isLoadBalancer(spec)) {
    ports.forEach(({ port }, i) => {
      if (port === AGENT_PORT) {
        const agent = c.v.resolve('{agent}')
        const text = `may not expose port ${port} externally since it is used by ${agent}`
        errors.at('ports', i).invalid(port, text)
      }
    })
    if (!c.gate('MixedProtocolLBService') && mixesProtocols(spec) && !(old && mixesProtocols(old)))
      errors
        .at('ports')
        .invalid(ports, 'cannot create an external load balancer with mix protocols')
  }
  if (usesNodes(spec) && isHeadless(spec)) {
    errors.at('clusterIPs', 0).invalid(NONE, `may not be set to 'None' for ${type} services`)
  }
  if (isExternalName(spec)) validateExternalName(spec, errors)
}

const mixesProtocols = (spec: ServiceSpec): boolean =>
  isLoadBalancer(spec) && new Set(spec.ports?.map(({ protocol }) => protocol)).size > 1

function validateExternalName(spec: ServiceSpec, errors: FieldErrors): void {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy, externalName = '' } = spec
  const unwanted = 'may not be set for ExternalName services'
  if (clusterIPs.length > 0) errors.at('clusterIPs').forbidden(unwanted)
  if (ipFamilies.length > 0) errors.at('ipFamilies').forbidden(unwanted)
  if (ipFamilyPolicy !== undefined) errors.at('ipFamilyPolicy').forbidden(unwanted)
  // A trailing dot marks a fully qualified name.
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName
  if (name === '') errors.at('externalName').required()
  else errors.at('externalName').invalidAll(name, isDns1123Subdomain(name))
}

function validatePorts(ports: readonly ServicePort[], errors: FieldErrors): void {
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const at = errors.at(i)
    const { name = '', targetPort = 0, appProtocol } = port
    if (name !== '') {
      at.at('name').invalidAll(name, isDns1123Label(name))
      if (names.has(name)) at.at('name').duplicate(name)
      names.add(name)
    } else if (ports.length > 1) at.at('name').required()
    at.at('port').invalidAll(port.port, isPortNumber(port.port))
    at.at('targetPort').invalidAll(
      targetPort,
      typeof targetPort === 'number' ? isPortNumber(targetPort) : isPortName(targetPort),
    )
    if (appProtocol !== undefined) {
      at.at('appProtocol').invalidAll(appProtocol, isQualifiedName(appProtocol))
    }
  }
}

function validateAffinity(spec: ServiceSpec, errors: FieldErrors): void {
  const { sessionAffinity: affinity, sessionAffinityConfig: config } = spec
  const at = errors.at('sessionAffinityConfig')
  if (affinity === 'None' && config) {
    at.forbidden('must not be set when session affinity is None')
  }
  if (affinity !== 'ClientIP') return
  const why = 'when session affinity type is ClientIP'
  const seconds = config?.clientIP?.timeoutSeconds
  if (!config) at.required(why)
  else if (!config.clientIP) at.at('clientIP').required(why)
  else if (seconds === undefined) at.at('clientIP', 'timeoutSeconds').required(why)
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    const text = `must be greater than 0 and less than or equal to ${MAX_AFFINITY_SECONDS}`
    at.at('clientIP', 'timeoutSeconds').invalid(seconds, text)
  }
}

function validateNodePorts({ type, ports = [] }: ServiceSpec, errors: FieldErrors): void {
  const taken = new Set<string>()
  if (type === 'ClusterIP') {
    ports.forEach(({ nodePort = 0 }, i) => {
      if (nodePort !== 0) {
        errors.at(i, 'nodePort').forbidden("may not be used when `type` is 'ClusterIP'")
      }
    })
  }
  ports.forEach(({ protocol, nodePort = 0 }, i) => {
    if (nodePort === 0) return
    const key = `${protocol}/${nodePort}`
    if (taken.has(key)) errors.at(i, 'nodePort').duplicate(nodePort)
    taken.add(key)
  })
}

function validateUniquePorts(ports: readonly ServicePort[], errors: FieldErrors): void {
  const taken = new Set<string>()
  ports.forEach(({ protocol, port }, i) => {
    const key = `${protocol}/${port}`
    if (taken.has(key)) errors.at(i).duplicate({ protocol, port })
    taken.add(key)
  })
}

function validateSourceRanges(
  { metadata, spec }: Typed & { spec: ServiceSpec },
  errors: FieldErrors,
  c: HookContext,
): void {
  const key = c.v.resolve(SOURCE_RANGES)
  const { loadBalancerSourceRanges: ranges = [] } = spec
  const { annotations = {} } = metadata
  const inSpec = ranges.length > 0
  if (!inSpec && !Object.hasOwn(annotations, key)) return
  const annotation = inSpec ? '' : annotations[key]!
  // As the reference writes it: the Go name, not the field name.
  const at = inSpec
    ? errors.at('spec', 'LoadBalancerSourceRanges')
    : errors.at('metadata', 'annotations').key(key)
  if (!isLoadBalancer(spec)) at.forbidden(ONLY_LOAD_BALANCER)
  const blocks = inSpec ? ranges : annotation.trim() === '' ? [] : annotation.split(',')
  if (blocks.some((block) => isCidr(block.trim()).length > 0)) {
    at.invalid(
      inSpec ? `[${ranges.join(' ')}]` : annotation,
      'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ',
    )
  }
}

function validateLoadBalancer(spec: ServiceSpec, errors: FieldErrors): void {
  const at = errors.at('spec')
  const { allocateLoadBalancerNodePorts: allocate, loadBalancerClass } = spec
  if (!isLoadBalancer(spec)) {
    if (allocate !== undefined) {
      at.at('allocateLoadBalancerNodePorts').forbidden(ONLY_LOAD_BALANCER)
    }
    if (loadBalancerClass !== undefined) at.at('loadBalancerClass').forbidden(ONLY_LOAD_BALANCER)
    return
  }
  // As the reference writes it: the path lacks its prefix.
  if (allocate === undefined) errors.at('allocateLoadBalancerNodePorts').required()
  if (loadBalancerClass !== undefined) {
    at.at('loadBalancerClass').invalidAll(loadBalancerClass, isQualifiedName(loadBalancerClass))
  }
}

function validateTraffic(spec: ServiceSpec, errors: FieldErrors, c: HookContext): void {
  const { externalTrafficPolicy: outside = '', healthCheckNodePort: check = 0 } = spec
  if (usesNodes(spec)) {
    if (outside === '') errors.at('externalTrafficPolicy').required()
  } else if (outside !== '') {
    errors
      .at('externalTrafficPolicy')
      .invalid(outside, "may only be set when `type` is 'NodePort' or 'LoadBalancer'")
  }
  // A missing one is allocated later.
  if (check !== 0) {
    errors
      .at('healthCheckNodePort')
      .invalidAll(
        check,
        needsHealthCheck(spec)
          ? isPortNumber(check)
          : [
              "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
            ],
      )
  }
  if (
    spec.internalTrafficPolicy === undefined &&
    c.gate('ServiceInternalTrafficPolicy') &&
    !isExternalName(spec)
  ) {
    errors.at('internalTrafficPolicy').required()
  }
}
