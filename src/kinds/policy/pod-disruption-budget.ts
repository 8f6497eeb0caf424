import { sameValue } from '../../meta/field-errors.ts'
import { isNonNegative, isPathSegmentName } from '../../meta/names.ts'
import { group, raised } from '../../meta/object-meta.ts'
import { column, part, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { refuseAboveAll, validateAmount } from '../apps/rolling.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { validateLabelSelector } from '../core/volumes/meta-rules.ts'
import { Condition, validateConditions } from '../meta/condition.ts'
import { LabelSelector } from '../meta/label-selector.ts'

const { kind, shape } = group('policy/v1')

/** Limits of a PodDisruptionBudget. `minAvailable` and `maxUnavailable` are mutually exclusive. */
export class PodDisruptionBudgetSpec extends shape({
  /**
   * Number of selected pods that must remain available after an eviction: an absolute number, or a percentage such as
   * `80%`. `100%` prevents all evictions. Mutually exclusive with `maxUnavailable`.
   */
  minAvailable: t.intOrString(1).explicit(),
  /** Label selector of the protected pods. An empty selector matches all pods in the namespace, an unset one none. */
  selector: t.object(2, LabelSelector).explicit().patch('replace'),
  /**
   * Number of selected pods that may be unavailable after an eviction: an absolute number, or a percentage such as
   * `20%`. 0 prevents all evictions. Mutually exclusive with `minAvailable`.
   */
  maxUnavailable: t.intOrString(3).explicit(),
}) {}

/** Pod counts, allowed disruptions and conditions of a PodDisruptionBudget. */
export class PodDisruptionBudgetStatus extends shape({
  /**
   * Generation of the spec that the status was computed for. Evictions are refused while it is lower than the current
   * generation.
   */
  observedGeneration: t.int64(1),
  /**
   * Names of pods whose eviction was approved but is not yet observed by the controller, with the time of approval. At
   * most 2000.
   */
  disruptedPods: t.map(2, 'time'),
  /** Number of pods that may currently be evicted. */
  disruptionsAllowed: t.int32(3).required(),
  /** Number of selected pods that are healthy. */
  currentHealthy: t.int32(4).required(),
  /** Minimum number of selected pods that must be healthy. */
  desiredHealthy: t.int32(5).required(),
  /** Number of pods that the budget covers. */
  expectedPods: t.int32(6).required(),
  /** Current conditions of the budget, by type. `DisruptionAllowed` reports whether evictions are possible. */
  conditions: t.list(7, Condition).keyed('type').patchBy('type'),
}) {}

/**
 * A PodDisruptionBudget limits how many pods of an application may be down at the same time through voluntary
 * disruptions such as node drains.
 */
export class PodDisruptionBudget extends kind({
  /** Desired limits for the selected pods. */
  spec: t.object(2, PodDisruptionBudgetSpec),
  /** Most recently observed state. Set by the controller; read-only for users. */
  status: t.object(3, PodDisruptionBudgetStatus),
}) {}

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const

const amountText = (amount: number | string | undefined) =>
  amount === undefined ? 'N/A' : String(amount)

export const podDisruptionBudgets = resource(PodDisruptionBudget, {
  plural: 'poddisruptionbudgets',
  short: ['pdb'],
  scope: 'namespace',
  takesPlainFinalizers: true,
  nameRule: isPathSegmentName,
  needsVersionOnUpdate: true,
  deleteAnswers: 'status',
  subresources: {
    status: part('status', {
      validate({ status }, errors) {
        const at = errors.at('status')
        validateConditions(status.conditions, at.at('conditions'))
        for (const name of COUNTS) at.at(name).invalidAll(status[name], isNonNegative(status[name]))
      },
    }),
  },
  columns: [
    nameColumn,
    column('Min Available', 'string', ({ spec }) => amountText(spec.minAvailable), {
      description: 'Number of pods that must remain available.',
    }),
    column('Max Unavailable', 'string', ({ spec }) => amountText(spec.maxUnavailable), {
      description: 'Number of pods that may be unavailable.',
    }),
    column('Allowed Disruptions', 'integer', ({ status }) => status.disruptionsAllowed, {
      description: 'Number of pods that may currently be evicted.',
    }),
    ageColumn,
  ],

  prepareForCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
    budget.metadata.generation = 1
  },

  prepareForUpdate(next, old) {
    if (!sameValue(next.spec, old.spec)) next.metadata.generation = raised(old.metadata)
  },

  validate({ spec }, errors) {
    const at = errors.at('spec')
    const { minAvailable, maxUnavailable, selector } = spec
    if (minAvailable !== undefined && maxUnavailable !== undefined)
      at.invalid(spec, 'minAvailable and maxUnavailable cannot be both set')
    for (const [name, amount] of Object.entries({ minAvailable, maxUnavailable })) {
      if (amount === undefined) continue
      validateAmount(amount, at.at(name))
      refuseAboveAll(amount, at.at(name))
    }
    if (selector) validateLabelSelector(selector, at.at('selector'))
  },
})
