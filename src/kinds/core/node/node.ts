import { group } from '../../../meta/object-meta.ts'
import { connect, type HookContext, part, resource } from '../../../catalogue/resource.ts'
import { t } from '../../../notation/shape.ts'
import { roundResources } from '../resource-requirements.ts'
import { nodeColumns } from './columns.ts'
import { NodeSpec } from './node-spec.ts'
import { NodeStatus } from './node-status.ts'
import { validateNode } from './validate.ts'
import { validateNodeUpdate } from './validate-update.ts'

const { kind } = group('core/v1')

/** A machine of the cluster that runs pods. The name of the object identifies the machine. */
export class Node extends kind({
  /** Desired state of the node. */
  spec: t.object(2, NodeSpec),
  /** Most recently observed status. Set by the node agent and controllers; read-only for users. */
  status: t.object(3, NodeStatus),
}) {}

const AGENT_CONFIG = 'Dynamic{Agent}Config'

/** `podCIDR` is the first of `podCIDRs`; where they differ, the older field wins. */
function mirrorPodCidr(spec: NodeSpec): void {
  const { podCIDR, podCIDRs } = spec
  const first = podCIDRs?.[0]
  if (podCIDR !== undefined && podCIDR !== first) spec.podCIDRs = [podCIDR]
  else if (first !== undefined && first !== '') spec.podCIDR = first
}

/** Drops configSource when its feature gate is off and none is stored. */
function dropGated(next: Node, old: Node | null, c: HookContext): void {
  if (!c.gate(AGENT_CONFIG) && !old?.spec.configSource) delete next.spec.configSource
}

/** The machines of the cluster. */
export const nodes = resource<Node>(Node, {
  plural: 'nodes',
  short: ['no'],
  scope: 'cluster',
  deleteAnswers: 'status',
  noNamespaceSelector: true,
  selectable: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
  columns: nodeColumns,

  subresources: {
    proxy: connect(
      'NodeProxyOptions',
      'nodeProxy',
      ['create', 'delete', 'get', 'patch', 'update'],
      { deep: true },
    ),
    status: part('status', {
      prepareForUpdate({ status }, old, c) {
        if (!c.gate(AGENT_CONFIG) && !old.status.config) delete status.config
      },
      validateUpdate: validateNodeUpdate,
    }),
  },

  setDefaults({ spec, status }) {
    mirrorPodCidr(spec)
    if (status.capacity && !status.allocatable) status.allocatable = { ...status.capacity }
    roundResources(status.capacity)
    roundResources(status.allocatable)
  },

  prepareForCreate: (node, c) => dropGated(node, null, c),
  prepareForUpdate: dropGated,
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  warn: ({ spec }) =>
    spec.configSource
      ? ['spec.configSource: deprecated in v1.22, support removal is planned in v1.23']
      : [],
})
