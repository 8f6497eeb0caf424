/** What the status of a budget says of its pods. */
import type { Clock } from '../../base/clock.ts'
import { formatTime, parsedTime } from '../../base/time.ts'
import type { Pod } from '../../kinds/core/pod/pod.ts'
import type { PodDisruptionBudget } from '../../kinds/policy/pod-disruption-budget.ts'
import { sameValue } from '../../meta/field-errors.ts'
import { numberOf } from '../workloads/amounts.ts'
import { isEnding } from '../workloads/owner.ts'
import { isReady } from '../workloads/pod-state.ts'

export type BudgetStatus = PodDisruptionBudget['status']

/** How long an eviction is waited for, milliseconds. */
const DELETION_MS = 120_000
const ALLOWED = 'DisruptionAllowed'

/** Pods that were evicted and are still there. */
export interface Disrupted {
  /** Times of the evictions by the names of the pods. */
  readonly pods: Readonly<Record<string, string>>
  /** Names of those that should have been deleted by now. */
  readonly late: readonly string[]
  /** Milliseconds until the first of the others is late; null: there is none. */
  readonly recheckMs: number | null
}

export function disruptedPods(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  nowMs: number,
): Disrupted {
  const known = (status.disruptedPods ?? {}) as Readonly<Record<string, string>>
  const left: Record<string, string> = {}
  const late: string[] = []
  let recheckMs: number | null = null
  for (const pod of pods) {
    const { name = '' } = pod.metadata
    if (isEnding(pod) || !Object.hasOwn(known, name)) continue
    const dueMs = (parsedTime(known[name]) ?? 0) + DELETION_MS
    if (dueMs < nowMs) {
      late.push(name)
      continue
    }
    left[name] = known[name]!
    recheckMs = Math.min(recheckMs ?? Infinity, dueMs - nowMs)
  }
  return { pods: left, late, recheckMs }
}

/** Pods that are ready and neither deleted nor evicted. */
const healthyPods = (pods: readonly Pod[], disrupted: Disrupted): number =>
  pods.filter(
    (pod) =>
      isReady(pod) && !isEnding(pod) && !Object.hasOwn(disrupted.pods, pod.metadata.name ?? ''),
  ).length

/** Pods that there should be, and of those that must be healthy. */
export interface Wanted {
  readonly expected: number
  readonly healthy: number
}

/** `scale`: the sizes of the controllers of the pods, where it is needed. */
export async function wantedOf(
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
  scale: () => Promise<number>,
): Promise<Wanted> {
  const { minAvailable, maxUnavailable } = spec
  if (maxUnavailable !== undefined) {
    const expected = await scale()
    return { expected, healthy: Math.max(expected - numberOf(maxUnavailable, expected, 'up'), 0) }
  }
  if (minAvailable === undefined) return { expected: 0, healthy: 0 }
  if (typeof minAvailable === 'number') return { expected: pods.length, healthy: minAvailable }
  const expected = await scale()
  return { expected, healthy: numberOf(minAvailable, expected, 'up') }
}

/** The status of a budget. */
export function budgetStatus(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { wanted, disrupted }: { readonly wanted: Wanted; readonly disrupted: Disrupted },
  clock: Pick<Clock, 'now'>,
): BudgetStatus {
  const currentHealthy = healthyPods(pods, disrupted)
  const spare = wanted.expected > 0 ? Math.max(currentHealthy - wanted.healthy, 0) : 0
  const status = {
    ...budget.status,
    observedGeneration: budget.metadata.generation,
    currentHealthy,
    desiredHealthy: wanted.healthy,
    expectedPods: wanted.expected,
    disruptionsAllowed: spare,
    disruptedPods: Object.keys(disrupted.pods).length > 0 ? disrupted.pods : undefined,
  } as unknown as BudgetStatus
  const condition =
    spare > 0
      ? { status: 'True', reason: 'SufficientPods', message: '' }
      : { status: 'False', reason: 'InsufficientPods', message: '' }
  return withCondition(status, condition, clock)
}

/** The status of a budget whose pods could not be counted: nothing may be evicted. */
export const failedStatus = (
  { status }: PodDisruptionBudget,
  message: string,
  clock: Pick<Clock, 'now'>,
): BudgetStatus =>
  withCondition(
    { ...status, disruptionsAllowed: 0 } as BudgetStatus,
    { status: 'False', reason: 'SyncFailed', message },
    clock,
  )

function withCondition(
  status: BudgetStatus,
  wanted: { readonly status: string; readonly reason: string; readonly message: string },
  clock: Pick<Clock, 'now'>,
): BudgetStatus {
  const conditions = status.conditions ?? []
  const at = conditions.findIndex(({ type }) => type === ALLOWED)
  const old = conditions[at]
  const lastTransitionTime =
    old?.status === wanted.status ? old.lastTransitionTime : formatTime(clock.now())
  const { observedGeneration } = status
  const condition = { type: ALLOWED, ...wanted, observedGeneration, lastTransitionTime } as never
  const next = at < 0 ? [...conditions, condition] : conditions.with(at, condition)
  return { ...status, conditions: next } as BudgetStatus
}

export const isSameStatus = (a: BudgetStatus, b: BudgetStatus): boolean =>
  sameValue(comparable(a), comparable(b))

const comparable = (status: BudgetStatus) => ({
  ...status,
  observedGeneration: String(status.observedGeneration ?? 0),
  conditions: (status.conditions ?? []).map((one) => ({
    ...one,
    observedGeneration: String(one.observedGeneration ?? 0),
  })),
})
