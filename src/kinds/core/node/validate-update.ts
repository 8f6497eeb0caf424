import type { Steps } from '../../../base/steps.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import { isConfigKey, isDns1123Label, isDns1123Subdomain } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { Node } from './node.ts'
import type { NodeConfigSource } from './node-spec.ts'
import { validateNodeAmounts, validateNodeAnnotations, validateTaints } from './validate.ts'

/** Validates an update of a node or of its status. */
export function* validateNodeUpdate(
  next: Node,
  old: Node,
  errors: FieldErrors,
  c: HookContext,
): Steps<void> {
  const spec = errors.at('spec')
  validateNodeAnnotations(next, errors.at('metadata', 'annotations'), c)
  yield* validateNodeAmounts(next, errors.at('status'), c)
  const { config } = next.status
  for (const name of ['assigned', 'active', 'lastKnownGood'] as const) {
    const source = config?.[name]
    if (source) validateConfigSource(source, errors.at('status', 'config', name), c, true)
  }
  validateAddresses(next, errors.at('status', 'addresses'))
  keepPodCidrs(next, old, spec.at('podCIDRs'))
  const { providerID = '' } = old.spec
  if (providerID !== '' && next.spec.providerID !== providerID) {
    spec
      .at('providerID')
      .forbidden('node updates may not change providerID except from "" to valid')
  }
  if (next.spec.configSource) {
    validateConfigSource(next.spec.configSource, spec.at('configSource'), c, false)
  }
  validateTaints(next.spec.taints, errors.at('metadata', 'taints'))
  if (next.spec.externalID !== old.spec.externalID) {
    spec.at('externalID').forbidden('may not be updated')
  }
}

function validateAddresses({ status: { addresses = [] } }: Node, errors: FieldErrors): void {
  const seen = new Set<string>()
  addresses.forEach((address, i) => {
    const pair = `${address.type} ${address.address}`
    if (seen.has(pair)) errors.at(i).duplicate(address)
    seen.add(pair)
  })
}

/** Pod CIDRs are immutable once set. */
function keepPodCidrs(next: Node, old: Node, errors: FieldErrors): void {
  const before = old.spec.podCIDRs ?? []
  const after = next.spec.podCIDRs ?? []
  if (before.length === 0) return
  if (before.length !== after.length || before.some((cidr, i) => cidr !== after[i])) {
    errors.forbidden('node updates may not change podCIDR except from "" to valid')
  }
}

function validateConfigSource(
  source: NodeConfigSource,
  errors: FieldErrors,
  { v }: HookContext,
  isStatus: boolean,
): void {
  const { configMap } = source
  if (!configMap) {
    errors.invalid(source, 'exactly one reference subfield must be non-nil')
    return
  }
  const at = errors.at('configMap')
  for (const name of ['uid', 'resourceVersion'] as const) {
    const isSet = configMap[name] !== undefined
    if (isStatus && !isSet) at.at(name).required(`${name} must be set in status`)
    if (!isStatus && isSet) at.at(name).forbidden(`${name} must not be set in spec`)
  }
  const key = configMap['{agent}ConfigKey']
  const rules = [
    ['namespace', configMap.namespace, isDns1123Label],
    ['name', configMap.name, isDns1123Subdomain],
    [v.resolve('{agent}ConfigKey'), key, isConfigKey],
  ] as const
  for (const [name, value, rule] of rules) {
    if (value === '') at.at(name).required(`${name} must be set`)
    else at.at(name).invalidAll(value, rule(value))
  }
}
