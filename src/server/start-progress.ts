/** Conditions of the server's health that say whether the steps of its start are finished (operations page, Health). */
import type { HealthCheck } from '../http/context.ts'
import { ExpectedFailure } from '../http/endpoints/health.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Steps by the names that probes of the reference have for them, as templates, in their order. */
const STEPS = [
  'start-{system}-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'max-in-flight-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'bootstrap-controller',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'start-cluster-authentication-info-controller',
  'aggregator-reload-proxy-client-cert',
  'start-{system}-aggregator-informers',
  'apiservice-registration-controller',
  'apiservice-status-available-controller',
  '{system}-apiserver-autoregistration',
  'autoregister-completion',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
] as const

/** Steps whose checks have no prefix. */
const WITHOUT_PREFIX: readonly StartStep[] = ['autoregister-completion']

/** One step of the start. */
export type StartStep = (typeof STEPS)[number]

/** How far a start has come. */
export class StartProgress {
  readonly #steps: ReadonlySet<StartStep>
  readonly #done = new Set<StartStep>()
  readonly #failures = new Map<StartStep, string>()

  /** `without` are steps that this server does not take. */
  constructor(without: readonly StartStep[] = []) {
    this.#steps = new Set(STEPS.filter((step) => !without.includes(step)))
  }

  done(...steps: readonly StartStep[]): void {
    for (const step of steps) this.#done.add(step)
  }

  /** The step is finished when the work is; its failure is the reason of the check. */
  async follow(step: StartStep, work: Promise<unknown>): Promise<void> {
    try {
      await work
      this.#done.add(step)
    } catch (error) {
      this.#failures.set(step, error instanceof Error ? error.message : String(error))
    }
  }

  /** A check for each step. A server counts as live whatever its steps, while `mayTakeLonger`. */
  checks(v: Vocabulary, mayTakeLonger: () => boolean = () => false): readonly HealthCheck[] {
    return [...this.#steps].flatMap((step): HealthCheck[] => {
      const name = WITHOUT_PREFIX.includes(step) ? step : `poststarthook/${v.resolve(step)}`
      const check = () => {
        if (this.#done.has(step)) return
        const failure = this.#failures.get(step)
        throw failure === undefined ? new ExpectedFailure('not finished') : new Error(failure)
      }
      const unlessEarly = () => {
        if (!mayTakeLonger()) check()
      }
      return [
        { name, of: ['healthz', 'readyz'], check },
        { name, of: ['livez'], check: unlessEarly },
      ]
    })
  }
}
