import { parseJson } from '../../codec/json-text.ts'
import { qosClass } from '../../kinds/core/pod/qos.ts'
import { validateTolerations, type Toleration } from '../../kinds/core/toleration.ts'
import { notFound, plainError } from '../../meta/errors.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Attributes } from '../attributes.ts'
import {
  listAt,
  membersOfKind,
  recordAt,
  refuseFaults,
  textAt,
  UnknownMembers,
} from '../../meta/config-members.ts'
import { coveredBy, mergeTolerations } from '../merge-tolerations.ts'
import type { PluginDeps, PluginFactory } from '../plugin.ts'
import { podOf, PODS } from '../pods.ts'

const NAMESPACES = { group: '', resource: 'namespaces' }
const DEFAULTS = 'scheduler.alpha.{label}/defaultTolerations'
const ALLOWED = 'scheduler.alpha.{label}/tolerationsWhitelist'
const MEMBERS = ['key', 'operator', 'value', 'effect', 'tolerationSeconds']

/** Tolerations for namespaces without annotations. */
export interface ClusterTolerations {
  readonly default: readonly Toleration[]
  readonly whitelist: readonly Toleration[]
}

/** Gives pods the tolerations of their namespace, and limits the tolerations that they may have. */
export const podTolerationRestriction: PluginFactory<ClusterTolerations> = {
  name: 'PodTolerationRestriction',
  defaultOn: false,
  decodeConfig,
  create(deps, config = { default: [], whitelist: [] }) {
    const { v } = deps
    return {
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      resources: PODS,
      async mutate(attributes) {
        const { spec } = podOf(attributes)
        const added: Toleration[] = []
        if (attributes.operation === 'CREATE') {
          added.push(...((await annotated(DEFAULTS, attributes, deps)) ?? config.default))
        }
        if (qosClass(spec) !== 'BestEffort') added.push(memoryPressure(v))
        if (added.length > 0) spec.tolerations = mergeTolerations(spec.tolerations ?? [], added)
        await checkAllowed(attributes, deps, config)
      },
      validate: (attributes) => checkAllowed(attributes, deps, config),
    }
  },
}

/** Pods that request something stay on nodes that are short of memory. */
const memoryPressure = (v: Vocabulary): Toleration => ({
  key: v.resolve('node.{label}/memory-pressure'),
  operator: 'Exists',
  effect: 'NoSchedule',
})

async function checkAllowed(
  attributes: Attributes,
  deps: PluginDeps,
  { whitelist }: ClusterTolerations,
): Promise<void> {
  const { tolerations = [] } = podOf(attributes).spec
  if (tolerations.length === 0) return
  const own = await annotated(ALLOWED, attributes, deps)
  const allowed = own ?? whitelist
  if (allowed.length === 0 || tolerations.every(coveredBy(allowed))) return
  throw plainError(
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own ? 'namespace' : 'cluster'} whitelist`,
  )
}

/** The tolerations in an annotation of the namespace; null without it. Throws when it is malformed. */
async function annotated(
  annotation: string,
  { namespace: name }: Attributes,
  { objects, v }: PluginDeps,
): Promise<readonly Toleration[] | null> {
  const namespace = await objects.get(NAMESPACES, '', name)
  if (!namespace) throw notFound(NAMESPACES, name)
  const { annotations = {} } = namespace.metadata
  const key = v.resolve(annotation)
  if (!Object.hasOwn(annotations, key)) return null
  const text = annotations[key]!
  if (text === '') return []
  try {
    // Other members are ignored, as elsewhere in annotations.
    return tolerationsIn(parseJson(text), key, new UnknownMembers())
  } catch (error) {
    throw plainError(`annotation ${key} of namespace ${name}: ${(error as Error).message}`)
  }
}

function tolerationsIn(list: unknown, at: string, unknown: UnknownMembers): Toleration[] {
  return listAt(list, at).map((item, i) => {
    const place = `${at}[${i}]`
    const members = recordAt(item, place)
    unknown.collect(members, MEMBERS, `${place}.`)
    const { tolerationSeconds: seconds } = members
    if (seconds !== undefined && seconds !== null && !Number.isSafeInteger(seconds)) {
      throw new Error(`${place}.tolerationSeconds: must be a whole number`)
    }
    const texts = ['key', 'operator', 'value', 'effect'].map((name) => [
      name,
      textAt(members[name], `${place}.${name}`),
    ])
    return {
      ...Object.fromEntries(texts.filter(([, text]) => text !== '')),
      ...(seconds === undefined || seconds === null ? {} : { tolerationSeconds: seconds }),
    } as Toleration
  })
}

function decodeConfig(document: unknown, v: Vocabulary): ClusterTolerations {
  const version = v.resolve('podtolerationrestriction.admission{api}/v1alpha1')
  const members = membersOfKind(document, 'Configuration', [version])
  const unknown = new UnknownMembers()
  unknown.collect(members, ['kind', 'apiVersion', 'default', 'whitelist'])
  const tolerations = tolerationsIn(members['default'], 'default', unknown)
  const whitelist = tolerationsIn(members['whitelist'], 'whitelist', unknown)
  unknown.refuse()
  const errors = new FieldErrors()
  validateTolerations(tolerations, errors.at('default'))
  validateTolerations(whitelist, errors.at('whitelist'))
  refuseFaults(errors)
  return { default: tolerations, whitelist }
}
