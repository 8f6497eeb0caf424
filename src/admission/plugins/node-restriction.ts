import { nodeNameOf } from '../../authz/node.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { notFound } from '../../meta/errors.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { ResourceName } from '../../meta/resource-name.ts'
import type { Attributes } from '../attributes.ts'
import { checkClaimStatus } from '../node-restriction/claims.ts'
import { checkMirrorPod } from '../node-restriction/mirror-pods.ts'
import { checkNodeObject } from '../node-restriction/nodes.ts'
import type { OfNode } from '../node-restriction/of-node.ts'
import { checkPodToken } from '../node-restriction/pod-tokens.ts'
import type { PluginFactory } from '../plugin.ts'
import { podOf } from '../pods.ts'
import { refusalOf } from '../refusal.ts'

const PODS = { group: '', resource: 'pods' }

/** Confines the agent of a node to the objects of that node. The Node authorizer does the same for reads. */
export const nodeRestriction: PluginFactory = {
  name: 'NodeRestriction',
  defaultOn: false,
  create(deps) {
    const { v } = deps
    const csiNodes = { group: v.resolve('storage{api}'), resource: 'csinodes' }
    const leases = { group: v.resolve('coordination{api}'), resource: 'leases' }
    const checks: readonly (readonly [ResourceName, (of: OfNode) => void | Promise<void>])[] = [
      [PODS, checkPods],
      [{ group: '', resource: 'nodes' }, checkNodeObject],
      [{ group: '', resource: 'persistentvolumeclaims' }, checkClaimStatus],
      [{ group: '', resource: 'serviceaccounts' }, checkPodToken],
      [leases, checkLease],
      [csiNodes, checkCsiNode],
    ]
    return {
      handles: () => true,
      keepsParts: true,
      passesAgain: ({ user }) => nodeNameOf(user) === null,
      mutate(attributes) {
        const node = nodeNameOf(attributes.user)
        if (node === null) return
        if (node === '') {
          const { name } = attributes.user
          throw refusalOf(attributes, `could not determine node from user ${JSON.stringify(name)}`)
        }
        const { group, resource } = attributes.resource
        const check = checks.find(([one]) => one.resource === resource && one.group === group)
        return check?.[1]({ node, attributes, deps, refuse: (why) => refuse(attributes, why) })
      },
    }
  },
}

function refuse(attributes: Attributes, why: string): never {
  throw refusalOf(attributes, why)
}

function checkPods(of: OfNode): void | Promise<void> {
  const { attributes, node, refuse: no } = of
  const { operation, subresource, oldObject } = attributes
  switch (subresource) {
    case '':
      if (operation === 'CREATE') return checkMirrorPod(of)
      if (operation !== 'DELETE') {
        return no(
          `unexpected operation ${JSON.stringify(operation)}, node ${JSON.stringify(node)} can only create and delete mirror pods`,
        )
      }
      if ((oldObject!.live as Pod).spec.nodeName === node) return
      return no(
        `node ${JSON.stringify(node)} can only delete pods with spec.nodeName set to itself`,
      )
    case 'status':
      return checkPodStatus(of)
    case 'eviction':
      return checkEviction(of)
    default:
      return no(
        `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`,
      )
  }
}

function checkPodStatus({ attributes, node, refuse: no }: OfNode): void {
  const { operation, oldObject } = attributes
  if (operation !== 'UPDATE') return no(`unexpected operation ${JSON.stringify(operation)}`)
  const old = oldObject!.live as Pod
  if (old.spec.nodeName !== node) {
    return no(
      `node ${JSON.stringify(node)} can only update pod status for pods with spec.nodeName set to itself`,
    )
  }
  if (sameLabels(podOf(attributes), old)) return
  return no(`node ${JSON.stringify(node)} cannot update labels through pod status`)
}

function sameLabels(
  { metadata: { labels: a = {} } }: Typed,
  { metadata: { labels: b = {} } }: Typed,
): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  )
}

async function checkEviction({ attributes, node, deps, refuse: no }: OfNode): Promise<void> {
  const { operation, namespace, name } = attributes
  if (operation !== 'CREATE') return no(`unexpected operation ${operation}`)
  // Another server may just have made or bound the pod.
  await deps.objects.fresh?.()
  const pod = await deps.objects.get<Pod>(PODS, namespace, name)
  if (!pod) throw notFound(PODS, name)
  if (pod.spec.nodeName === node) return
  return no(`node ${node} can only evict pods with spec.nodeName set to itself`)
}

function checkLease({ attributes, node, deps, refuse: no }: OfNode): void {
  const namespace = deps.v.resolve('{system}-node-lease')
  if (attributes.namespace !== namespace) {
    return no(`can only access leases in the ${JSON.stringify(namespace)} system namespace`)
  }
  if (ownName(attributes) === node) return
  return no('can only access node lease with the same name as the requesting node')
}

function checkCsiNode({ attributes, node, refuse: no }: OfNode): void {
  if (ownName(attributes) === node) return
  return no('can only access CSINode with the same name as the requesting node')
}

/** The name of the object; of one of a deleted collection too, whose name is not that of the request. */
const ownName = ({ object, oldObject }: Attributes): string =>
  (oldObject ?? object)!.live.metadata.name ?? ''
