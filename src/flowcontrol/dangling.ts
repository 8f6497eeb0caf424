/** The condition of a FlowSchema that says whether its priority level exists. */

/** What the condition says. */
export interface DanglingCondition {
  readonly type: 'Dangling'
  readonly status: 'True' | 'False'
  readonly reason: 'Found' | 'NotFound'
  readonly message: string
}

/** The condition of a schema whose level exists or not. */
export function danglingCondition(level: string, exists: boolean): DanglingCondition {
  const about = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`
  return exists
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${about} and it exists` }
    : {
        type: 'Dangling',
        status: 'True',
        reason: 'NotFound',
        message: `${about} but there is no such object`,
      }
}

/** Whether conditions say something else. */
export function needsCondition(
  conditions: readonly { type?: string; status?: string; reason?: string; message?: string }[],
  { type, status, reason, message }: DanglingCondition,
): boolean {
  const present = conditions.find((one) => one.type === type)
  return present?.status !== status || present.reason !== reason || present.message !== message
}

const MINUTE_MS = 60_000
const WRITES_PER_MINUTE = 5
const DELAY_MS = 30_000
const SPREAD_MS = 45_000

/** Limits how often the status of one object is written, so that servers that disagree do not fill the store. */
export class WritePace {
  readonly #writes = new Map<string, number[]>()

  /** Milliseconds to wait before the next write of an object; 0: none, and the write counts. */
  delay(name: string, now: number, fraction: number): number {
    const recent = (this.#writes.get(name) ?? []).filter((at) => now - at < MINUTE_MS)
    if (recent.length >= WRITES_PER_MINUTE) return DELAY_MS + SPREAD_MS * fraction
    recent.push(now)
    this.#writes.set(name, recent)
    return 0
  }

  /** The object is gone. */
  forget(name: string): void {
    this.#writes.delete(name)
  }
}
