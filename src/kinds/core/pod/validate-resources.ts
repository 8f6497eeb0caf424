import { compareQuantity, isInteger, parseQuantity, sign } from '../../../base/quantity.ts'
import type { FieldErrors } from '../../../meta/field-errors.ts'
import { NEGATIVE_MESSAGE } from '../../../meta/names.ts'
import type { HookContext } from '../../../catalogue/resource.ts'
import type { Vocabulary } from '../../../vocabulary/vocabulary.ts'
import {
  isHugePages,
  isOvercommitable,
  isWholeResource,
  validateContainerResourceName,
} from '../resource-names.ts'
import type { ResourceList, ResourceRequirements } from '../resource-requirements.ts'

/** Validates a container's resources; reports to `errors`. */
export function validateContainerResources(
  { limits = NOTHING, requests = NOTHING }: ResourceRequirements,
  errors: FieldErrors,
  c: HookContext,
): void {
  if (limits === NOTHING && requests === NOTHING) return
  const inLimits = errors.at('limits')
  for (const name in limits) validateAmount(name, limits[name]!, inLimits.key(name), c.v)
  const inRequests = errors.at('requests')
  for (const name in requests) {
    const text = requests[name]!
    validateAmount(name, text, inRequests.key(name), c.v)
    validateRequest(name, text, limits, errors, c.v)
  }
  if (hasBase(limits) || hasBase(requests)) return
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  if (names.some(isHugePages)) errors.forbidden('HugePages require cpu or memory')
}

const NOTHING: ResourceList = Object.freeze({})

const hasBase = (list: ResourceList): boolean =>
  Object.hasOwn(list, 'cpu') || Object.hasOwn(list, 'memory')

/** Validates pod overhead, with the rules of limits; reports to `errors`. */
export function validateOverhead(
  overhead: ResourceList,
  errors: FieldErrors,
  c: HookContext,
): void {
  validateContainerResources({ limits: overhead }, errors, c)
}

function validateAmount(name: string, text: string, errors: FieldErrors, v: Vocabulary): void {
  validateContainerResourceName(name, errors, v)
  const amount = parseQuantity(text)
  if (sign(amount) < 0) errors.invalid(text, NEGATIVE_MESSAGE)
  if (isWholeResource(name, v) && !isInteger(amount)) errors.invalid(text, 'must be an integer')
  if (isHugePages(name)) validatePages(name, text, errors)
}

/** Amounts of huge pages are multiples of the page size. */
function validatePages(name: string, text: string, errors: FieldErrors): void {
  const sizeText = name.slice(name.indexOf('-') + 1)
  const size = readPageSize(sizeText)
  if (size === null) {
    errors.invalid(text, `page size ${JSON.stringify(sizeText)} is not a positive quantity`)
  } else if (parseQuantity(text).nanos % size !== 0n) {
    errors.invalid(text, `must be a multiple of the page size ${sizeText}`)
  }
}

function readPageSize(text: string): bigint | null {
  try {
    const { nanos } = parseQuantity(text)
    return nanos > 0n ? nanos : null
  } catch {
    return null
  }
}

function validateRequest(
  name: string,
  text: string,
  limits: ResourceList,
  errors: FieldErrors,
  v: Vocabulary,
): void {
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined
  if (limit === undefined) {
    if (!isOvercommitable(name, v)) {
      errors.at('limits').required('limit must be set for non overcommitable resources')
    }
    return
  }
  const order = compareQuantity(parseQuantity(text), parseQuantity(limit))
  if (!isOvercommitable(name, v)) {
    if (order !== 0) errors.at('requests').invalid(text, `must be equal to ${name} limit`)
  } else if (order > 0) {
    errors.at('requests').invalid(text, `must be less than or equal to ${name} limit`)
  }
}
