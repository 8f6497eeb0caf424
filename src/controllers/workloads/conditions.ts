/** Conditions in the status of workloads. */
import type { Clock } from '../../base/clock.ts'
import { formatTime } from '../../base/time.ts'

/** A condition as all kinds of workloads have it. */
export interface Condition {
  readonly type: string
  readonly status: string
  readonly lastUpdateTime?: string | undefined
  readonly lastTransitionTime?: string | undefined
  readonly reason?: string | undefined
  readonly message?: string | undefined
}

/** What a condition is to be. */
export interface NewCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
}

/** The condition of a type; null when there is none. */
export const conditionOf = <T extends Condition>(
  conditions: readonly T[] | undefined,
  type: string,
): T | null => conditions?.find((one) => one.type === type) ?? null

/** All conditions but those of a type. */
export const withoutCondition = <T extends Condition>(
  conditions: readonly T[],
  type: string,
): T[] => conditions.filter((one) => one.type !== type)

/**
 * Sets a condition. One of the same status and reason stays as it is; else the new one is the last of the list, and keeps
 * the time of its last transition if only the reason differs. Kinds without
 * `lastUpdateTime` say so in the options.
 */
export function withCondition<T extends Condition>(
  conditions: readonly T[],
  wanted: NewCondition,
  clock: Pick<Clock, 'now'>,
  { hasUpdateTime = true } = {},
): readonly T[] {
  const old = conditionOf(conditions, wanted.type)
  if (old?.status === wanted.status && old.reason === wanted.reason) return conditions
  const now = formatTime(clock.now())
  const made = {
    type: wanted.type,
    status: wanted.status,
    ...(hasUpdateTime ? { lastUpdateTime: now } : {}),
    lastTransitionTime: old?.status === wanted.status ? old.lastTransitionTime : now,
    reason: wanted.reason,
    message: wanted.message,
  }
  return [...withoutCondition(conditions, wanted.type), made as unknown as T]
}
