import { age } from '../../../base/human-duration.ts'
import { sizeOf } from '../../../codec/json-view.ts'
import { column } from '../../../catalogue/resource.ts'
import { ageColumn, nameColumn } from '../../columns.ts'
import type { Pod } from './pod.ts'
import type { ContainerStateTerminated, ContainerStatus } from './pod-status.ts'

/** Summary of the container states of a pod. */
interface Summary {
  readonly ready: number
  readonly status: string
  readonly restarts: number
  /** Time of the last termination before a restart, as text; empty without one. */
  readonly restartedAt: string
}

/** The columns of pods. */
export const podColumns = [
  nameColumn,
  column<Pod>(
    'Ready',
    'string',
    (pod) => `${summaryOf(pod).ready}/${sizeOf(pod.spec, 'containers')}`,
    {
      description: 'Number of ready containers and of all containers.',
    },
  ),
  column<Pod>('Status', 'string', (pod) => summaryOf(pod).status, {
    description: 'Status summarized from the states of the containers.',
  }),
  column<Pod>(
    'Restarts',
    'string',
    (pod, c) => {
      const { restarts, restartedAt } = summaryOf(pod)
      // Cells that do not ask for the time are kept.
      return restartedAt === '' ? String(restarts) : `${restarts} (${age(restartedAt, c.now)} ago)`
    },
    { description: 'Number of container restarts and the time since the last one.' },
  ),
  ageColumn,
  column<Pod>('IP', 'string', ({ status }) => status.podIPs?.[0]?.ip || '<none>', {
    wide: true,
    description: 'Primary IP address of the pod.',
  }),
  column<Pod>('Node', 'string', ({ spec }) => spec.nodeName || '<none>', {
    wide: true,
    description: 'Node that runs the pod.',
  }),
  column<Pod>('Nominated Node', 'string', ({ status }) => status.nominatedNodeName || '<none>', {
    wide: true,
    description: 'Node on which pods of lower priority are preempted for the pod.',
  }),
  column<Pod>('Readiness Gates', 'string', readinessGates, {
    wide: true,
    description: 'Number of readiness gates that are met and of all gates.',
  }),
]

/** Several columns share one summary. */
const summaries = new WeakMap<Pod, Summary>()

function summaryOf(pod: Pod): Summary {
  let summary = summaries.get(pod)
  if (!summary) summaries.set(pod, (summary = summarize(pod)))
  return summary
}

function summarize(pod: Pod): Summary {
  // In the order of the JSON, so that each part is read once.
  const { deciding, looked } = initContainers(pod)
  const { metadata, status } = pod
  const containers = status.containerStatuses ?? []
  let text = status.reason || status.phase || ''
  let ready = 0
  let restarts = 0
  if (deciding !== null) {
    text = deciding
    for (const one of looked) restarts += one.restartCount
  } else {
    for (const one of containers.toReversed()) {
      restarts += one.restartCount
      text = containerWord(one) ?? text
      if (one.ready && one.state.running) ready++
    }
    if (text === 'Completed' && containers.some(({ state }) => state.running)) {
      text = isTrue(pod, 'Ready') ? 'Running' : 'NotReady'
    }
  }
  if (metadata.deletionTimestamp !== undefined) {
    text = status.reason === 'NodeLost' ? 'Unknown' : 'Terminating'
  }
  const seen = deciding === null ? [...looked, ...containers] : looked
  return { ready, status: text, restarts, restartedAt: latestEnd(seen) }
}

/**
 * Status text from the init containers, null once all have completed, and those that were looked
 * at.
 */
function initContainers({ spec, status }: Pod): {
  deciding: string | null
  looked: ContainerStatus[]
} {
  const looked: ContainerStatus[] = []
  const total = sizeOf(spec, 'initContainers')
  for (const [i, one] of (status.initContainerStatuses ?? []).entries()) {
    looked.push(one)
    const { terminated, waiting } = one.state
    if (terminated?.exitCode === 0) continue
    if (terminated) return { deciding: `Init:${terminated.reason || endWord(terminated)}`, looked }
    const reason = waiting?.reason ?? ''
    const isWaiting = reason !== '' && reason !== 'PodInitializing'
    return { deciding: isWaiting ? `Init:${reason}` : `Init:${i}/${total}`, looked }
  }
  return { deciding: null, looked }
}

/** Status text of a container; null without one. */
function containerWord({ state: { waiting, terminated } }: ContainerStatus): string | null {
  if (waiting?.reason) return waiting.reason
  if (!terminated) return null
  return terminated.reason || endWord(terminated)
}

const endWord = ({ signal = 0, exitCode }: ContainerStateTerminated): string =>
  signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`

/** Timestamps of the same format compare as text. */
const latestEnd = (list: readonly ContainerStatus[]): string =>
  list
    .map(({ lastState }) => lastState.terminated?.finishedAt ?? '')
    .reduce((a, b) => (b > a ? b : a), '')

const isTrue = ({ status }: Pod, type: string): boolean =>
  status.conditions?.find((one) => one.type === type)?.status === 'True'

function readinessGates(pod: Pod): string {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  return `${gates.filter(({ conditionType }) => isTrue(pod, conditionType)).length}/${gates.length}`
}
