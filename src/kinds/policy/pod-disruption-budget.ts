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

/** How many pods may be missing by intent. */
export class PodDisruptionBudgetSpec extends shape({
  /** Pods that must stay available, as a number or a share such as `80%`; not together with `maxUnavailable`. */
  minAvailable: t.intOrString(1).explicit(),
  /** Pods it is about. Empty: all of the namespace; absent: none. */
  selector: t.object(2, LabelSelector).explicit().patch('replace'),
  /** Pods that may be missing, as a number or a share; not together with `minAvailable`. */
  maxUnavailable: t.intOrString(3).explicit(),
}) {}

/** How the budget stands. */
export class PodDisruptionBudgetStatus extends shape({
  /** Generation of the object that the figures belong to. */
  observedGeneration: t.int64(1),
  /** Pods whose eviction was allowed and that are not gone yet, with the time of it. */
  disruptedPods: t.map(2, 'time'),
  /** How many pods may be evicted now. */
  disruptionsAllowed: t.int32(3).required(),
  /** Healthy pods. */
  currentHealthy: t.int32(4).required(),
  /** Healthy pods there have to be. */
  desiredHealthy: t.int32(5).required(),
  /** Pods that are counted. */
  expectedPods: t.int32(6).required(),
  /** What is going on; `DisruptionAllowed` is one of them. */
  conditions: t.list(7, Condition).keyed('type').patchBy('type'),
}) {}

/** Bounds how many pods of a group may be missing by intent, such as for the repair of nodes. */
export class PodDisruptionBudget extends kind({
  /** What is bounded. */
  spec: t.object(2, PodDisruptionBudgetSpec),
  /** How it stands; kept by the cluster. */
  status: t.object(3, PodDisruptionBudgetStatus),
}) {}

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const

const amountText = (amount: number | string | undefined) =>
  amount === undefined ? 'N/A' : String(amount)

export const podDisruptionBudgets = resource(PodDisruptionBudget, {
  plural: 'poddisruptionbudgets',
  short: ['pdb'],
  scope: 'namespace',
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
      description: 'Pods that must stay available.',
    }),
    column('Max Unavailable', 'string', ({ spec }) => amountText(spec.maxUnavailable), {
      description: 'Pods that may be missing.',
    }),
    column('Allowed Disruptions', 'integer', ({ status }) => status.disruptionsAllowed, {
      description: 'How many pods may be evicted now.',
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
