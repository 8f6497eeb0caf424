/** Writes of nodes and of the pods on them. */
import { formatTime } from '../../base/time.ts'
import type { Client } from '../../client/client.ts'
import type { EventRecorder, ObjectReference } from '../../client/event-recorder.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { Node } from '../../kinds/core/node/node.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { NODES, PODS } from '../addresses.ts'
import type { NodeFacts } from './node-facts.ts'
import type { Taint } from './node-taints.ts'

/** The node, as events name it. */
export const nodeReference = ({ name, uid }: Pick<NodeFacts, 'name' | 'uid'>): ObjectReference => ({
  ...{ apiVersion: 'v1', kind: 'Node', name, uid },
})

/** The pod, as events name it. */
export const podReference = ({ metadata }: Pod): ObjectReference => {
  const { namespace = '', name = '', uid = '' } = metadata
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid }
}

const TRIES = 5

/** Replaces the taints of a node by what `change` makes of those that it has now; returns whether it did. */
export async function changeTaints(
  client: Client,
  name: string,
  change: (node: Node) => readonly Taint[] | null,
): Promise<boolean> {
  const nodes = client.resource<Node>(NODES)
  for (let tries = 1; ; tries++) {
    const node = await nodes.find(name)
    const taints = node ? change(node) : null
    if (!node || !taints) return false
    const { resourceVersion, uid } = node.metadata
    const patch = { metadata: { uid, resourceVersion }, spec: { taints } }
    try {
      await nodes.patch(name, patch, { type: 'merge' })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      // Somebody else has written the node meanwhile.
      if (tries === TRIES || (error as { readonly code?: number }).code !== 409) throw error
    }
  }
}

/** All pods on a node. */
export async function podsOn(client: Client, node: string): Promise<Pod[]> {
  const pods: Pod[] = []
  const fieldSelector = `spec.nodeName=${node}`
  for await (const pod of client.resource<Pod>(PODS).each({ fieldSelector })) pods.push(pod)
  return pods
}

/** Pods whose node is not ready are not ready either. */
export async function markNotReady(
  { client, recorder }: { readonly client: Client; readonly recorder: EventRecorder },
  pod: Pod,
  nowMs: number,
): Promise<void> {
  const conditions = pod.status.conditions ?? []
  const ready = conditions.find(({ type }) => type === 'Ready')
  if (!ready || ready.status === 'False') return
  const lastTransitionTime = formatTime(nowMs)
  const status = {
    ...pod.status,
    conditions: conditions.map((one) =>
      one === ready ? { ...one, status: 'False', lastTransitionTime } : one,
    ),
  }
  if (await writeStatus(client, { ...pod, status }))
    recorder.event(podReference(pod), 'Warning', 'NodeNotReady', 'Node is not ready')
}

/** Writes the status of a pod; false: it is gone. */
export async function writeStatus(client: Client, pod: Pod): Promise<boolean> {
  try {
    await client
      .resource<Pod>(PODS)
      .in(pod.metadata.namespace ?? '')
      .sub('status')
      .update(pod)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}
