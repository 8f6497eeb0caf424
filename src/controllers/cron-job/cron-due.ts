/** Which start of a cron job is due. */
import { parsedTime } from '../../base/time.ts'
import type { CronJob } from '../../kinds/batch/cron-job.ts'
import type { Schedule } from './schedule.ts'

/** A start that is due. */
export interface Due {
  /** Milliseconds since the epoch. */
  readonly atMs: number
  /** Starts that were missed, this one included. */
  readonly missed: number
}

/** The last start until now that was not made; null: none is due. Throws Error for schedules of less than a second. */
export function dueStart(
  { metadata, spec, status }: CronJob,
  schedule: Schedule,
  nowMs: number,
): Due | null {
  const { startingDeadlineSeconds: deadline } = spec
  const last = parsedTime(status?.lastScheduleTime) ?? parsedTime(metadata.creationTimestamp) ?? 0
  const from = deadline === undefined ? last : Math.max(last, nowMs - Number(deadline) * 1000)
  const first = schedule.next(from)
  const second = schedule.next(first)
  if (nowMs < first) return null
  if (nowMs < second) return { atMs: first, missed: 1 }
  const stepSeconds = Math.round((second - first) / 1000)
  if (stepSeconds < 1) throw new Error('time difference between two schedules less than 1 second')
  const missed = Math.floor(Math.floor((nowMs - first) / 1000) / stepSeconds) + 1
  // Where the steps are uneven, this is no time of the schedule: as in the reference.
  return { atMs: first + (missed - 1) * stepSeconds * 1000, missed }
}
