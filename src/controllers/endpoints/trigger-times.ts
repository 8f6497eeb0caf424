/** When the changes happened that endpoints follow from. */
import { parsedTime } from '../../base/time.ts'
import type { Service } from '../../kinds/core/service/service.ts'
import type { PodFacts } from './pod-facts.ts'

/** The newest times of causes that were seen, by the keys of services. */
export class TriggerTimes {
  readonly #seen = new Map<string, number>()

  /**
   * The newest time at which service or pods changed since the last call, as an RFC 3339 time; null when nothing that
   * has a time did.
   */
  next(key: string, { metadata }: Service, pods: readonly PodFacts[]): string | null {
    const made = parsedTime(metadata.creationTimestamp) ?? 0
    const newest = pods.reduce((most, { readySince }) => Math.max(most, readySince), made)
    const before = this.#seen.get(key) ?? 0
    this.#seen.set(key, Math.max(newest, before))
    return newest > before ? new Date(newest).toISOString().replace(/\.000Z$/, 'Z') : null
  }

  forget(key: string): void {
    this.#seen.delete(key)
  }
}
