import type { Steps } from '../../../base/steps.ts'
import { FieldErrors } from '../../../meta/field-errors.ts'
import { ipFamily, isCidr, isLabelValue, isQualifiedName } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import { validateResourceAmount } from '../resource-amounts.ts'
import type { Node } from './node.ts'
import type { Taint } from './node-spec.ts'

/** Amounts that are checked in one step. */
const STEP = 5_000
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

/** Validates a node on create and update. */
export function* validateNode(node: Node, errors: FieldErrors, c: HookContext): Steps<void> {
  validateNodeAnnotations(node, errors.at('metadata', 'annotations'), c)
  // As the reference writes it: violations of taints have paths below metadata.
  validateTaints(node.spec.taints, errors.at('metadata', 'taints'))
  yield* validateNodeAmounts(node, errors.at('status'), c)
  validatePodCidrs(node.spec.podCIDRs ?? [], errors.at('spec', 'podCIDRs'))
}

/** Validates capacity and allocatable; reports to `errors`. */
export function* validateNodeAmounts(
  { status }: Node,
  errors: FieldErrors,
  { v }: HookContext,
): Steps<void> {
  for (const list of ['capacity', 'allocatable'] as const) {
    const amounts = status[list] ?? {}
    for (const [i, name] of Object.keys(amounts).entries()) {
      validateResourceAmount(name, amounts[name]!, errors.at(list, name), v)
      if (i % STEP === STEP - 1) yield
    }
  }
}

/** Validates taints; reports to `errors`. They are unique by key and effect. */
export function validateTaints(taints: readonly Taint[] | undefined, errors: FieldErrors): void {
  const seen = new Set<string>()
  taints?.forEach((taint, i) => {
    const at = errors.at(i)
    const { key, value = '' } = taint
    const effect: string = taint.effect
    at.at('key').invalidAll(key, isQualifiedName(key))
    const messages = isLabelValue(value)
    if (messages.length > 0) at.at('value').invalid(value, messages.join(';'))
    if (effect === '') at.at('effect').required()
    else if (!EFFECTS.includes(effect)) at.at('effect').notSupported(effect, EFFECTS)
    const pair = `${effect} ${key}`
    if (seen.has(pair)) at.duplicate(taint, 'taints must be unique by key and effect pair')
    seen.add(pair)
  })
}

function validatePodCidrs(cidrs: readonly string[], errors: FieldErrors): void {
  const wrong = cidrs.map((cidr) => isCidr(cidr).length > 0)
  wrong.forEach((isWrong, i) => {
    if (isWrong) errors.at(i).invalid(cidrs, 'must be valid CIDR')
  })
  if (cidrs.length < 2) return
  const families = new Set(cidrs.map((cidr) => ipFamily(cidr.split('/')[0] ?? '')))
  if (cidrs.length > 2 || families.size < 2 || wrong.includes(true)) {
    errors.invalid(cidrs, 'may specify no more than one CIDR for each IP family')
  }
  cidrs.forEach((cidr, i) => {
    if (cidrs.indexOf(cidr) < i) errors.at(i).duplicate(cidr)
  })
}

/** Validates the annotations that predate fields; reports to `errors`. */
export function validateNodeAnnotations(
  { metadata: { annotations = {} } }: Node,
  errors: FieldErrors,
  { v }: HookContext,
): void {
  const taints = v.resolve('scheduler.alpha.{label}/taints')
  const avoided = v.resolve('scheduler.alpha.{label}/preferAvoidPods')
  if (Object.hasOwn(annotations, taints)) {
    const list = parsed(annotations[taints] ?? '', taints, errors)
    if (Array.isArray(list)) validateTaints(list.map(asTaint), errors.at(taints))
    else if (list !== undefined && list !== null) errors.invalid(taints, 'must be a list of taints')
  }
  if (Object.hasOwn(annotations, avoided)) {
    const value = parsed(annotations[avoided] ?? '', avoided, errors)
    const entries = isObject(value) ? value.preferAvoidPods : undefined
    if (value !== undefined && !isObject(value)) errors.invalid(avoided, 'must be an object')
    if (Array.isArray(entries)) {
      entries.forEach((entry: unknown, i) => validateAvoided(entry, errors.at(avoided, i)))
    }
  }
}

function parsed(text: string, key: string, errors: FieldErrors): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    errors.invalid(key, error instanceof Error ? error.message : String(error))
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function asTaint(value: unknown): Taint {
  const given = isObject(value) ? value : {}
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '')
  return { key: text('key'), value: text('value'), effect: text('effect') as Taint['effect'] }
}

/** Entries of the annotation preferAvoidPods name the controller of the pods. */
function validateAvoided(entry: unknown, errors: FieldErrors): void {
  const signature = isObject(entry) ? entry.podSignature : undefined
  const controller = isObject(signature) ? signature.podController : undefined
  // As the reference writes it: Go names, not field names.
  if (!isObject(controller)) errors.at('PodSignature').required()
  else if (controller.controller !== true) {
    errors
      .at('PodSignature', 'PodController', 'Controller')
      .invalid(controller.controller ?? false, 'must point to a controller')
  }
}
