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

/** Resources that running a pod takes in addition to its containers. */
export class Overhead extends shape({
  /** Fixed overhead of each pod, by resource name, such as `cpu` and `memory`. */
  podFixed: t.map(1, 'quantity'),
}) {}

/** Constraints on the nodes that support the RuntimeClass. */
export class Scheduling extends shape({
  /**
   * Labels that nodes must have to support the class. Merged into the node selector of pods that use it; a conflict
   * rejects the pod.
   */
  nodeSelector: t.map(1, 'string').atomic(),
  /** Tolerations that admission adds to pods that use the class. */
  tolerations: t.list(2, Toleration).atomic(),
}) {}

/** A RuntimeClass selects the container runtime configuration that pods run with, by `spec.runtimeClassName`. */
export class RuntimeClass extends kind({
  /**
   * Name of the runtime configuration on the nodes, a DNS label. Nodes must support it for pods to start. Required and
   * immutable.
   */
  handler: t.string(2).required(),
  /** Resource overhead of pods that use the class, added to their requests for scheduling and quota. */
  overhead: t.object(3, Overhead).explicit(),
  /**
   * Constraints for pods that use the class, so that they are scheduled to nodes that support it. If unset, all nodes
   * are assumed to.
   */
  scheduling: t.object(4, Scheduling).explicit(),
}) {}

export const runtimeClasses = resource(RuntimeClass, {
  plural: 'runtimeclasses',
  scope: 'cluster',
  takesPlainFinalizers: true,
  createOnUpdate: true,
  needsVersionOnUpdate: true,
  deleteAnswers: 'status',
  columns: [
    nameColumn,
    column('Handler', 'string', ({ handler }) => handler, {
      description: 'Name of the runtime configuration on the nodes.',
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
