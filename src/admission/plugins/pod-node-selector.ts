import { plainError, notFound } from '../../meta/errors.ts'
import { renderValue } from '../../meta/field-errors.ts'
import { isLabelValue, isQualifiedName } from '../../meta/names.ts'
import type { Attributes } from '../attributes.ts'
import { recordAt, textAt, UnknownMembers, type Members } from '../../meta/config-members.ts'
import type { PluginDeps, PluginFactory } from '../plugin.ts'
import { podOf, PODS } from '../pods.ts'
import { refusalOf } from '../refusal.ts'

const NAMESPACES = { group: '', resource: 'namespaces' }
const POD_NODE_SELECTORS = 'podNodeSelectorPluginConfig'
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector'

type Labels = ReadonlyMap<string, string>
const NONE: Labels = new Map()

/** Selector of the cluster, and those that the pods of a namespace may use. */
export interface NodeSelectors {
  readonly clusterDefault: Labels
  readonly byNamespace: ReadonlyMap<string, Labels>
}

/** Limits the nodes of pods by their namespace. */
export const podNodeSelector: PluginFactory<NodeSelectors> = {
  name: 'PodNodeSelector',
  defaultOn: false,
  onlyMember: POD_NODE_SELECTORS,
  decodeConfig,
  create: (deps, config = { clusterDefault: NONE, byNamespace: new Map() }) => ({
    handles: (operation) => operation === 'CREATE',
    resources: PODS,
    replacesParts: true,
    async mutate(attributes) {
      const { spec } = podOf(attributes)
      const wanted = await selectorOf(attributes.namespace, deps, config)
      const own = spec.nodeSelector ?? {}
      for (const [key, value] of wanted) {
        if (!Object.hasOwn(own, key) || own[key] === value) continue
        throw refusalOf(
          attributes,
          'pod node label selector conflicts with its namespace node label selector',
        )
      }
      if (wanted.size > 0) spec.nodeSelector = { ...Object.fromEntries(wanted), ...own }
      checkAllowed(attributes, config)
    },
    validate: (attributes) => checkAllowed(attributes, config),
  }),
}

/** The selector of a namespace, or else of the cluster. Throws when it is malformed. */
async function selectorOf(
  name: string,
  { objects, v }: PluginDeps,
  { clusterDefault }: NodeSelectors,
): Promise<Labels> {
  const namespace = await objects.get(NAMESPACES, '', name)
  if (!namespace) throw notFound(NAMESPACES, name)
  const { annotations = {} } = namespace.metadata
  const key = v.resolve('scheduler.alpha.{label}/node-selector')
  if (!Object.hasOwn(annotations, key)) return clusterDefault
  try {
    return labelsIn(annotations[key]!)
  } catch (error) {
    throw plainError((error as Error).message)
  }
}

function checkAllowed(attributes: Attributes, { byNamespace }: NodeSelectors): void {
  const allowed = byNamespace.get(attributes.namespace) ?? NONE
  if (allowed.size === 0) return
  const { nodeSelector = {} } = podOf(attributes).spec
  if (Object.entries(nodeSelector).every(([key, value]) => allowed.get(key) === value)) return
  throw refusalOf(
    attributes,
    'pod node label selector labels conflict with its namespace whitelist',
  )
}

/** Labels of a selector such as `a=b,c=d`; an empty one has none. Throws an Error about any other form. */
function labelsIn(selector: string): Labels {
  const labels = new Map<string, string>()
  if (selector === '') return labels
  for (const part of selector.split(',')) {
    const sides = part.split('=').map((side) => side.trim())
    if (sides.length !== 2) throw new Error(`invalid selector: [${part.split('=').join(' ')}]`)
    const [key, value] = sides as [string, string]
    refuse('<nil>', key, isQualifiedName(key))
    refuse(`[${key}]`, value, isLabelValue(value))
    labels.set(key, value)
  }
  return labels
}

function refuse(field: string, value: string, faults: readonly string[]): void {
  if (faults.length === 0) return
  throw new Error(`${field}: Invalid value: ${renderValue(value)}: ${faults.join('; ')}`)
}

function decodeConfig(document: unknown): NodeSelectors {
  const members = recordAt(document, 'the document')
  const unknown = new UnknownMembers()
  unknown.collect(members, [POD_NODE_SELECTORS])
  unknown.refuse()
  const selectors: Members = recordAt(members[POD_NODE_SELECTORS], POD_NODE_SELECTORS)
  const byNamespace = new Map(
    Object.keys(selectors).map((name) => {
      const at = `${POD_NODE_SELECTORS}[${name}]`
      try {
        return [name, labelsIn(textAt(selectors[name], at))] as const
      } catch (error) {
        const { message } = error as Error
        throw new Error(message.startsWith(at) ? message : `${at}: ${message}`, { cause: error })
      }
    }),
  )
  const clusterDefault = byNamespace.get(CLUSTER_DEFAULT) ?? NONE
  byNamespace.delete(CLUSTER_DEFAULT)
  return { clusterDefault, byNamespace }
}
