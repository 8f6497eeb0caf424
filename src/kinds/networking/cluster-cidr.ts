import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Label } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import {
  NodeSelector,
  type NodeSelectorRequirement,
  validateNodeSelector,
} from '../core/node-selector.ts'
import { parseCidr } from './cidr.ts'

const { kind, shape } = group('networking{api}/v1alpha1')

/** CIDRs from which nodes get their pod CIDRs. Immutable. */
export class ClusterCIDRSpec extends shape({
  /** Node selector of the nodes that get pod CIDRs from here. If unset, it applies to all nodes. */
  nodeSelector: t.object(1, NodeSelector).explicit(),
  /**
   * Number of host bits in the pod CIDR of a node: a node has 2 to this power addresses. At least 4, and at most the
   * host bits of the CIDR. Immutable.
   */
  perNodeHostBits: t.int32(2).required(),
  /** IPv4 CIDR to allocate from, such as `10.0.0.0/8`. At least one of `ipv4` and `ipv6` is required. Immutable. */
  ipv4: t.string(3),
  /** IPv6 CIDR to allocate from, such as `fd12:3456::/64`. At least one of `ipv4` and `ipv6` is required. Immutable. */
  ipv6: t.string(4),
}) {}

/** A ClusterCIDR defines address ranges from which nodes get the CIDRs of their pods. */
export class ClusterCIDR extends kind({
  /** Desired CIDRs and the nodes they apply to. Immutable. */
  spec: t.object(2, ClusterCIDRSpec),
}) {}

const MIN_HOST_BITS = 4

export const clusterCIDRs = resource(ClusterCIDR, {
  plural: 'clustercidrs',
  short: ['cc'],
  scope: 'cluster',
  deleteAnswers: 'status',
  nameRule: isDns1123Label,
  columns: [
    nameColumn,
    column('PerNodeHostBits', 'string', ({ spec }) => String(spec.perNodeHostBits), {
      description: 'Number of host bits in the pod CIDR of a node.',
    }),
    column('IPv4', 'string', ({ spec }) => spec.ipv4 || '<none>', {
      description: 'IPv4 CIDR to allocate from.',
    }),
    column('IPv6', 'string', ({ spec }) => spec.ipv6 || '<none>', {
      description: 'IPv6 CIDR to allocate from.',
    }),
    ageColumn,
    column('NodeSelector', 'string', ({ spec }) => selectorText(spec.nodeSelector), {
      wide: true,
      description: 'Node selector of the nodes it applies to.',
    }),
  ],

  validate({ spec }, errors) {
    const at = errors.at('spec')
    const { ipv4 = '', ipv6 = '' } = spec
    if (spec.nodeSelector) validateNodeSelector(spec.nodeSelector, at.at('nodeSelector'))
    if (ipv4 === '' && ipv6 === '') {
      at.required('one or both of `ipv4` and `ipv6` must be specified')
    }
    if (ipv4 !== '') validateBlock(ipv4, 'IPv4', spec.perNodeHostBits, at)
    if (ipv6 !== '') validateBlock(ipv6, 'IPv6', spec.perNodeHostBits, at)
  },

  validateUpdate({ spec: next }, { spec: old }, errors) {
    const at = errors.at('spec')
    at.at('nodeSelector').immutable(next.nodeSelector, old.nodeSelector)
    at.at('perNodeHostBits').immutable(next.perNodeHostBits, old.perNodeHostBits)
    at.at('ipv4').immutable(next.ipv4 ?? '', old.ipv4 ?? '')
    at.at('ipv6').immutable(next.ipv6 ?? '', old.ipv6 ?? '')
  },
})

function validateBlock(
  text: string,
  family: 'IPv4' | 'IPv6',
  hostBits: number,
  errors: FieldErrors,
): void {
  // As the reference writes it: the path is the name of the family and not that of the field.
  const at = errors.at(family)
  const block = parseCidr(text)
  if (!block) {
    at.invalid(text, `must be a valid CIDR: ${text}`)
    return
  }
  if (block.family !== family) at.invalid(text, `must be a valid ${family} CIDR`)
  const most = (family === 'IPv4' ? 32 : 128) - block.bits
  const bits = errors.at('perNodeHostBits')
  if (hostBits < MIN_HOST_BITS) {
    bits.invalid(hostBits, `must be greater than or equal to ${MIN_HOST_BITS}`)
  }
  if (hostBits > most) bits.invalid(hostBits, `must be less than or equal to ${most}`)
}

function selectorText(selector: NodeSelector | undefined): string {
  if (!selector) return '<none>'
  return selector.nodeSelectorTerms
    .flatMap(({ matchExpressions = [], matchFields = [] }) => [
      ...requirementsText('MatchExpressions', matchExpressions),
      ...requirementsText('MatchFields', matchFields),
    ])
    .join(',')
}

const requirementsText = (what: string, list: readonly NodeSelectorRequirement[]): string[] =>
  list.length === 0
    ? []
    : [
        `${what}: [${list
          .map(({ key, operator, values = [] }) => `{${key} ${operator} [${values.join(' ')}]}`)
          .join(' ')}]`,
      ]
