import { sameValue, type FieldErrors } from '../../meta/field-errors.ts'
import { isPortName, isPortNumber } from '../../meta/names.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, type HookContext, part, resource } from '../../catalogue/resource.ts'
import { describeLabelSelector } from '../../meta/selectors.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import { Condition, validateConditions } from '../meta/condition.ts'
import { isStrictlyWithin, parseCidr } from './cidr.ts'
import {
  type IPBlock,
  type NetworkPolicyPeer,
  type NetworkPolicyPort,
  NetworkPolicySpec,
} from './network-policy-spec.ts'

const { kind, shape } = group('networking{api}/v1')

const STATUS = 'NetworkPolicyStatus'

/** Conditions that network plugins report for a policy. */
export class NetworkPolicyStatus extends shape({
  /** Current conditions of the policy, by type. */
  conditions: t.list(1, Condition).keyed('type').patchBy('type'),
}) {}

/**
 * A NetworkPolicy restricts the network traffic of selected pods. Pods that no policy selects accept and send all
 * traffic.
 */
export class NetworkPolicy extends kind({
  /** Desired restrictions of network traffic. */
  spec: t.object(2, NetworkPolicySpec),
  /** Most recently observed state. Dropped unless the feature gate NetworkPolicyStatus is enabled. */
  status: t.object(3, NetworkPolicyStatus),
}) {}

export const networkPolicies = resource(NetworkPolicy, {
  plural: 'networkpolicies',
  short: ['netpol'],
  scope: 'namespace',
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
      prepareForUpdate: keepStatus,
      validate: ({ status }, errors) =>
        validateConditions(status.conditions, errors.at('status', 'conditions')),
    }),
  },
  columns: [
    nameColumn,
    column('Pod-Selector', 'string', ({ spec }) => describeLabelSelector(spec.podSelector), {
      description: 'Label selector of the pods the policy applies to.',
    }),
    ageColumn,
  ],

  setDefaults({ spec }) {
    const { ingress = [], egress = [] } = spec
    for (const { ports = [] } of [...ingress, ...egress]) {
      for (const port of ports) port.protocol ??= 'TCP'
    }
    if ((spec.policyTypes ?? []).length === 0) {
      spec.policyTypes = egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']
    }
  },

  prepareForCreate(policy, c) {
    if (c.gate(STATUS)) policy.status = {}
    policy.metadata.generation = 1
  },

  prepareForUpdate(next, old, c) {
    if (!c.gate(STATUS) && !hasConditions(old)) next.status = {}
    if (!sameValue(next.spec, old.spec)) {
      next.metadata.generation = raised(old.metadata)
    }
  },

  validate({ spec }, errors) {
    const at = errors.at('spec')
    validateLabelSelector(spec.podSelector, at.at('podSelector'))
    spec.ingress?.forEach((rule, i) =>
      validateRule(rule.ports, rule.from, 'from', at.at('ingress', i)),
    )
    spec.egress?.forEach((rule, i) => validateRule(rule.ports, rule.to, 'to', at.at('egress', i)))
    validateTypes(spec.policyTypes ?? [], at.at('policyTypes'))
  },
})

const hasConditions = ({ status }: NetworkPolicy): boolean => (status.conditions ?? []).length > 0

/** While the feature is off, conditions can only be removed, and only all of them. */
function keepStatus(next: NetworkPolicy, old: NetworkPolicy, c: HookContext): void {
  if (!c.gate(STATUS)) next.status = hasConditions(next) ? structuredClone(old.status) : {}
}

function validateRule(
  ports: readonly NetworkPolicyPort[] | undefined,
  peers: readonly NetworkPolicyPeer[] | undefined,
  side: 'from' | 'to',
  errors: FieldErrors,
): void {
  ports?.forEach((port, i) => validatePort(port, errors.at('ports', i)))
  peers?.forEach((peer, i) => validatePeer(peer, errors.at(side, i)))
}

function validatePort(one: NetworkPolicyPort, errors: FieldErrors): void {
  const { port, endPort } = one
  const at = errors.at('port')
  const end = errors.at('endPort')
  if (typeof port === 'number') {
    at.invalidAll(port, isPortNumber(port))
    if (endPort === undefined) return
    // As the reference writes it: the value shown is that of the port.
    if (endPort < port) end.invalid(port, 'must be greater than or equal to `port`')
    end.invalidAll(endPort, isPortNumber(endPort))
    return
  }
  if (endPort !== undefined) {
    const why = port === undefined ? 'not specified' : 'non-numeric'
    end.invalid(endPort, `may not be specified when \`port\` is ${why}`)
  }
  if (port !== undefined) at.invalidAll(port, isPortName(port))
}

function validatePeer(peer: NetworkPolicyPeer, errors: FieldErrors): void {
  const { podSelector, namespaceSelector, ipBlock } = peer
  if (podSelector) validateLabelSelector(podSelector, errors.at('podSelector'))
  if (namespaceSelector) validateLabelSelector(namespaceSelector, errors.at('namespaceSelector'))
  if (ipBlock) validateBlock(ipBlock, errors.at('ipBlock'))
  const selects = podSelector !== undefined || namespaceSelector !== undefined
  if (!selects && !ipBlock) errors.required('must specify a peer')
  if (selects && ipBlock) errors.forbidden('may not specify both ipBlock and another peer')
}

function validateBlock({ cidr, except = [] }: IPBlock, errors: FieldErrors): void {
  const at = errors.at('cidr')
  if (cidr === '') {
    at.required()
    return
  }
  const block = parseCidr(cidr)
  if (!block) {
    at.invalid(cidr, 'not a valid CIDR')
    return
  }
  for (const [i, text] of except.entries()) {
    const inner = parseCidr(text)
    if (!inner) {
      errors.at('except', i).invalid(text, 'not a valid CIDR')
      return
    }
    if (!isStrictlyWithin(inner, block)) {
      errors.at('except', i).invalid(text, 'must be a strict subset of `cidr`')
    }
  }
}

const TYPES: readonly string[] = ['Ingress', 'Egress']

function validateTypes(types: readonly string[], errors: FieldErrors): void {
  if (types.length > TYPES.length) {
    errors.invalid(types, 'may not specify more than two policyTypes')
    return
  }
  types.forEach((type, i) => {
    if (!TYPES.includes(type)) errors.at(i).notSupported(type, TYPES)
  })
}
