import type { Node } from '../../kinds/core/node/node.ts'
import { sameValue } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { OfNode } from './of-node.ts'

/** Labels of the domain of the cluster that agents may set. */
const OPEN_LABELS = [
  '{label}/hostname',
  '{label}/os',
  '{label}/arch',
  'beta.{label}/os',
  'beta.{label}/arch',
  'beta.{label}/instance-type',
  'node.{label}/instance-type',
  'topology.{label}/zone',
  'topology.{label}/region',
  'failure-domain.beta.{label}/zone',
  'failure-domain.beta.{label}/region',
]
/** Prefixes of labels that agents may set, with their sub-domains. */
const OPEN_PREFIXES = ['{agent}.{label}', 'node.{label}']

/** Agents write the object of their own node, but neither what steers pods to it nor its end. */
export function checkNodeObject({ attributes, node, deps, refuse }: OfNode): void {
  const { operation, object, oldObject } = attributes
  const shown = JSON.stringify(node)
  const next = object?.live as Node | undefined
  const old = oldObject?.live as Node | undefined
  if (operation === 'CREATE') {
    if (next!.spec.configSource !== undefined) {
      refuse(`node ${shown} is not allowed to create pods with a non-nil configSource`)
    }
    const labels = closedLabels(next!, undefined, deps.v)
    if (labels.length > 0) {
      refuse(`node ${shown} is not allowed to set the following labels: ${labels.join(', ')}`)
    }
  }
  const name = old?.metadata.name ?? attributes.name
  if (name !== node) {
    refuse(`node ${shown} is not allowed to modify node ${JSON.stringify(name)}`)
  }
  if (operation === 'DELETE') refuse(`node ${shown} is not allowed to delete node ${shown}`)
  if (operation !== 'UPDATE') return
  const { configSource } = next!.spec
  if (configSource !== undefined && !sameValue(configSource, old!.spec.configSource)) {
    refuse(`node ${shown} is not allowed to update configSource to a new non-nil configSource`)
  }
  if (!sameValue(next!.spec.taints ?? [], old!.spec.taints ?? [])) {
    refuse(`node ${shown} is not allowed to modify taints`)
  }
  const labels = closedLabels(next!, old, deps.v)
  if (labels.length > 0) {
    refuse(`is not allowed to modify labels: ${labels.join(', ')}`)
  }
}

/** Changed labels that agents must not change, sorted. */
function closedLabels(next: Node, old: Node | undefined, v: Vocabulary): string[] {
  const after = new Map(Object.entries(next.metadata.labels ?? {}))
  const before = new Map(Object.entries(old?.metadata.labels ?? {}))
  const keys = new Set([...after.keys(), ...before.keys()])
  return [...keys].filter((key) => after.get(key) !== before.get(key) && isClosed(key, v)).sort()
}

function isClosed(key: string, v: Vocabulary): boolean {
  const slash = key.indexOf('/')
  const domain = slash === -1 ? '' : key.slice(0, slash)
  const within = (template: string) => {
    const outer = v.resolve(template)
    return domain === outer || domain.endsWith(`.${outer}`)
  }
  if (within('node-restriction.{label}')) return true
  // Groups of the API are in a domain of their own.
  const isOfCluster = within('{label}') || `.${domain}`.endsWith(v.resolve('{api}'))
  if (!isOfCluster) return false
  return !OPEN_LABELS.some((label) => v.resolve(label) === key) && !OPEN_PREFIXES.some(within)
}
