/** Eviction of pods without taints: they are deleted, and say why. */
import type { Client } from '../../client/client.ts'
import type { EventRecorder } from '../../client/event-recorder.ts'
import type { Lister } from '../../client/informer.ts'
import { isNotFound } from '../../client/resource-client.ts'
import type { DaemonSet } from '../../kinds/apps/daemon-set.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { matchesLabels, selectorFromObject } from '../../meta/selectors.ts'
import { PODS } from '../addresses.ts'
import { isTerminating } from '../finalizer.ts'
import type { NodeFacts } from './node-facts.ts'
import { nodeReference, podReference, podsOn, writeStatus } from './node-writes.ts'

interface EvictionParts {
  readonly client: Client
  readonly recorder: EventRecorder
  readonly daemonSets: Lister<DaemonSet>
}

/** Deletes the pods of a node that is lost, but for those of daemon sets, which would create them again there. */
export async function evictAll(parts: EvictionParts, facts: NodeFacts): Promise<void> {
  const { client, recorder } = parts
  const { name } = facts
  const pods = await podsOn(client, name)
  if (pods.length === 0) return
  const message = `Node ${name} event: Deleting all Pods from Node ${name}.`
  recorder.event(nodeReference(facts), 'Normal', 'DeletingAllPods', message)
  for (const pod of pods) await evict(parts, name, pod)
}

async function evict(parts: EvictionParts, node: string, pod: Pod): Promise<void> {
  const { client, recorder, daemonSets } = parts
  const { namespace = '', name = '', uid = '' } = pod.metadata
  if (pod.status.reason !== REASON) {
    const message = `Node ${node} which was running pod ${name} is unresponsive`
    const status = { ...pod.status, reason: REASON, message }
    if (!(await writeStatus(client, { ...pod, status }))) return
  }
  if (isTerminating(pod)) return
  if (isOfDaemonSet(pod, daemonSets)) return
  const message = `Marking for deletion Pod ${name} from Node ${node}`
  recorder.event(podReference(pod), 'Normal', 'NodeControllerEviction', message)
  try {
    await client.resource<Pod>(PODS).in(namespace).delete(name, { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Whether a daemon set of its namespace selects a pod. */
function isOfDaemonSet({ metadata }: Pod, daemonSets: Lister<DaemonSet>): boolean {
  const { namespace = '', labels = {} } = metadata
  return daemonSets
    .list(namespace)
    .some(({ spec }) => matchesLabels(selectorFromObject(spec.selector), labels))
}

const REASON = 'NodeLost'
