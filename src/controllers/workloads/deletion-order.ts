/** Which pods of a set are deleted first when it has too many. */
import type { Pod } from '../../kinds/core/pod/pod.ts'
import { createdMs } from './owner.ts'
import { isReady, maxRestarts, readyChangedMs } from './pod-state.ts'

/** A pod to be ranked. */
export interface Candidate {
  readonly pod: Pod
  /** Deletion cost of its annotation; lower ones are deleted first. */
  readonly cost: number
  /** Number of active pods of related sets on its node. */
  readonly onNode: number
}

/** How ages are compared. */
export interface AgeOrder {
  readonly nowMs: number
  /** Ages of the same power of two in nanoseconds are the same; then the uid decides. */
  readonly isLogarithmic: boolean
}

type Order = (a: Candidate, b: Candidate) => number

/** Sorts in the order of deletion: the first is deleted first. */
export function inDeletionOrder(candidates: readonly Candidate[], ages: AgeOrder): Candidate[] {
  const rules: readonly Order[] = [
    lowest(({ pod }) => Number((pod.spec.nodeName ?? '') !== '')),
    lowest(({ pod }) => PHASES.indexOf(pod.status?.phase ?? '')),
    lowest(({ pod }) => Number(isReady(pod))),
    lowest(({ cost }) => cost),
    highest(({ onNode }) => onNode),
    (a, b) =>
      isReady(a.pod) && isReady(b.pod)
        ? byAge(ages, a.pod, b.pod, readyChangedMs(a.pod), readyChangedMs(b.pod))
        : 0,
    highest(({ pod }) => maxRestarts(pod)),
    (a, b) => byAge(ages, a.pod, b.pod, createdMs(a.pod), createdMs(b.pod)),
  ]
  return [...candidates].sort((a, b) => {
    for (const rule of rules) {
      const difference = rule(a, b)
      if (difference !== 0) return difference
    }
    return 0
  })
}

/** The plain order of jobs: without cost, nodes and logarithms. */
export const inPlainOrder = (pods: readonly Pod[], nowMs: number): Pod[] =>
  inDeletionOrder(
    pods.map((pod) => ({ pod, cost: 0, onNode: 0 })),
    { nowMs, isLogarithmic: false },
  ).map(({ pod }) => pod)

/** The deletion cost that an annotation gives a pod; 0 where it is absent or not a 32-bit integer. */
export function deletionCost(pod: Pod, annotation: string): number {
  const text = pod.metadata.annotations?.[annotation]
  if (text === undefined || !/^(?:0|-?[1-9][0-9]{0,9})$/.test(text)) return 0
  const cost = Number(text)
  return cost === Math.trunc(cost) && cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0
}

const PHASES: readonly string[] = ['Pending', 'Unknown', 'Running']

const lowest =
  (of: (one: Candidate) => number): Order =>
  (a, b) =>
    of(a) - of(b)
const highest =
  (of: (one: Candidate) => number): Order =>
  (a, b) =>
    of(b) - of(a)

/** Younger first; an unknown time counts as the youngest. */
function byAge(
  { nowMs, isLogarithmic }: AgeOrder,
  a: Pod,
  b: Pod,
  ...[aMs, bMs]: readonly [number | null, number | null]
): number {
  if (aMs === bMs) return 0
  if (aMs === null) return -1
  if (bMs === null) return 1
  if (!isLogarithmic) return bMs - aMs
  const difference = powerOfAge(nowMs - aMs) - powerOfAge(nowMs - bMs)
  if (difference !== 0) return difference
  const [left, right] = [a.metadata.uid ?? '', b.metadata.uid ?? '']
  return left < right ? -1 : Number(left > right)
}

const powerOfAge = (ageMs: number): number =>
  ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1_000_000))
