import {
  podSecurityEvaluations,
  podSecurityExemptions,
} from '../../../metrics/declared/admission.ts'
import type { Registry } from '../../../metrics/registry.ts'
import type { CounterSeries } from '../../../metrics/series.ts'
import type { Attributes } from '../../attributes.ts'
import { levelText, type LevelVersion } from './policy.ts'

/** What is counted, and where. */
interface Evaluation {
  readonly level: LevelVersion
  readonly mode: string
  readonly isAllowed: boolean
  readonly operation: string
  readonly resource: string
  readonly subresource: string
  readonly series: CounterSeries
}

/** Counts what pod security finds. */
export class SecurityMetrics {
  readonly #registry: Registry | null
  /** Labels are few; making them costs more than counting. */
  readonly #evaluations = new Map<string, CounterSeries>()
  /** Most pods are like the one before. */
  #last: Evaluation | null = null

  constructor(registry: Registry | undefined) {
    this.#registry = registry ?? null
  }

  evaluated(
    attributes: Attributes,
    mode: 'enforce' | 'audit' | 'warn',
    level: LevelVersion,
    isAllowed: boolean,
  ): void {
    if (!this.#registry) return
    const { operation, resource, subresource } = attributes
    const last = this.#last
    if (
      last?.level === level &&
      last.mode === mode &&
      last.isAllowed === isAllowed &&
      last.operation === operation &&
      last.resource === resource.resource &&
      last.subresource === subresource
    )
      return last.series.inc()
    const text = levelText(level)
    const key = `${operation} ${resource.resource} ${subresource} ${mode} ${text} ${isAllowed}`
    let series = this.#evaluations.get(key)
    if (!series) {
      const [policy_level = '', policy_version = ''] = text.split(':')
      series = this.#registry.of(podSecurityEvaluations).with({
        ...labelsOf(attributes),
        decision: isAllowed ? 'allow' : 'deny',
        ...{ mode, policy_level, policy_version },
      })
      this.#evaluations.set(key, series)
    }
    this.#last = {
      level,
      mode,
      isAllowed,
      operation,
      resource: resource.resource,
      subresource,
      series,
    }
    series.inc()
  }

  exempted(attributes: Attributes): void {
    this.#registry?.of(podSecurityExemptions).with(labelsOf(attributes)).inc()
  }
}

const labelsOf = ({ operation, resource, subresource }: Attributes) => ({
  request_operation: operation.toLowerCase(),
  resource: resource.resource === 'pods' ? 'pod' : 'controller',
  subresource,
})
