import { isDns1123Label } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { column, resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ageColumn, nameColumn } from '../columns.ts'
import { oldNodeLabel } from '../core/node-selector.ts'
import { validateResourceAmount, validateResourceName } from '../core/resource-amounts.ts'
import { textOfToleration, Toleration, validateTolerations } from '../core/toleration.ts'
import { validateLabels } from '../core/volumes/meta-rules.ts'

const { kind, shape } = group('node{api}/v1')

/** What a pod costs beside its containers. */
export class Overhead extends shape({
  /** Amounts that each pod costs, by resource. */
  podFixed: t.map(1, 'quantity'),
}) {}

/** Which nodes can run pods of the class. */
export class Scheduling extends shape({
  /** Labels that nodes must have; pods of the class get them too. */
  nodeSelector: t.map(1, 'string').atomic(),
  /** Tolerations that pods of the class get. */
  tolerations: t.list(2, Toleration).atomic(),
}) {}

/** A way to run containers. */
export class RuntimeClass extends kind({
  /** What the container runtime of nodes calls it. */
  handler: t.string(2).required(),
  /** What a pod costs beside its containers. */
  overhead: t.object(3, Overhead).explicit(),
  /** Which nodes can run it; absent: all. */
  scheduling: t.object(4, Scheduling).explicit(),
}) {}

export const runtimeClasses = resource(RuntimeClass, {
  plural: 'runtimeclasses',
  scope: 'cluster',
  createOnUpdate: true,
  needsVersionOnUpdate: true,
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Handler', 'string', ({ handler }) => handler, {
      description: 'What the container runtime calls it.',
    }),
    ageColumn,
  ],

  validate({ handler, overhead, scheduling }, errors, { v }) {
    errors.at('handler').invalidAll(handler, isDns1123Label(handler))
    for (const [name, amount] of Object.entries(overhead?.podFixed ?? {})) {
      const at = errors.at('overhead', 'podFixed').key(name)
      validateResourceName(name, at)
      validateResourceAmount(name, amount, at, v)
    }
    if (!scheduling) return
    const at = errors.at('scheduling')
    validateLabels(scheduling.nodeSelector, at.at('nodeSelector'))
    const { tolerations = [] } = scheduling
    // As the reference writes it: the path has the name twice.
    validateTolerations(tolerations, at.at('tolerations', 'tolerations'))
    const seen = new Set<string>()
    tolerations.forEach((one, i) => {
      const text = textOfToleration(one)
      if (seen.has(text)) at.at('tolerations', i).duplicate(one)
      seen.add(text)
    })
  },

  validateUpdate: (next, old, errors) => errors.at('handler').immutable(next.handler, old.handler),

  warn: ({ scheduling }, _old, { v }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
      const text = oldNodeLabel(key, v)
      return text === null ? [] : [`scheduling.nodeSelector: ${key} is ${text}`]
    }),
})
