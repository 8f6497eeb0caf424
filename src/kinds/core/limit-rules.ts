import { compareQuantity, milliValue, parseQuantity, quantityOf } from '../../base/quantity.ts'
import type { FieldErrors } from '../../meta/field-errors.ts'
import { isQualifiedName } from '../../meta/names.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { LimitRangeItem } from './limit-range.ts'
import { validateResourceName } from './resource-amounts.ts'
import { isOvercommitable, validateContainerResourceName } from './resource-names.ts'
import type { ResourceList } from './resource-requirements.ts'

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim']
const LISTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const
const DEFAULTS = ['default', 'defaultRequest'] as const

/** Validates the items of a limit range; reports to `errors`. */
export function validateLimits(
  limits: readonly LimitRangeItem[],
  errors: FieldErrors,
  v: Vocabulary,
): void {
  const types = new Set<string>()
  limits.forEach((item, i) => {
    const at = errors.at(i)
    validateType(item.type, at.at('type'))
    if (types.has(item.type)) at.at('type').duplicate(item.type)
    types.add(item.type)
    validateItem(item, at, v)
  })
}

function validateType(type: string, errors: FieldErrors): void {
  const messages = isQualifiedName(type)
  errors.invalidAll(type, messages)
  if (messages.length === 0 && !type.includes('/') && !TYPES.includes(type)) {
    errors.invalid(type, 'must be a standard limit type or fully qualified')
  }
}

function validateItem(item: LimitRangeItem, errors: FieldErrors, v: Vocabulary): void {
  const names = new Set<string>()
  for (const list of LISTS) {
    if (item.type === 'Pod' && isDefault(list)) continue
    for (const name of Object.keys(item[list] ?? {})) {
      validateName(item.type, name, errors.at(list).key(name), v)
      names.add(name)
    }
  }
  if (item.type === 'Pod') {
    for (const list of DEFAULTS) {
      if (Object.keys(item[list] ?? {}).length > 0) {
        errors.at(list).forbidden("may not be specified when `type` is 'Pod'")
      }
    }
  }
  if (
    item.type === 'PersistentVolumeClaim' &&
    !(amount(item.min, 'storage') || amount(item.max, 'storage'))
  ) {
    errors
      .at('limits')
      .required('either minimum or maximum storage value is required, but neither was provided')
  }
  for (const name of names) validateAmounts(item, name, errors, v)
}

const isDefault = (list: string) => (DEFAULTS as readonly string[]).includes(list)

function validateName(type: string, name: string, errors: FieldErrors, v: Vocabulary): void {
  if (type === 'Pod' || type === 'Container') validateContainerResourceName(name, errors, v)
  else validateResourceName(name, errors)
}

const amount = (list: ResourceList = {}, name: string): string | undefined =>
  Object.hasOwn(list, name) ? list[name] : undefined

const exceeds = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && compareQuantity(parseQuantity(a), parseQuantity(b)) > 0

function validateAmounts(
  item: LimitRangeItem,
  name: string,
  errors: FieldErrors,
  v: Vocabulary,
): void {
  const isPod = item.type === 'Pod'
  const min = amount(item.min, name)
  const max = amount(item.max, name)
  const standard = isPod ? undefined : amount(item.default, name)
  const request = isPod ? undefined : amount(item.defaultRequest, name)
  const ratio = amount(item.maxLimitRequestRatio, name)
  const at = (list: (typeof LISTS)[number]) => errors.at(list).key(name)
  if (exceeds(min, max)) {
    at('min').invalid(min, `min value ${min} is greater than max value ${max}`)
  }
  if (exceeds(min, request)) {
    at('defaultRequest').invalid(
      request,
      `min value ${min} is greater than default request value ${request}`,
    )
  }
  if (exceeds(request, max)) {
    at('defaultRequest').invalid(
      request,
      `default request value ${request} is greater than max value ${max}`,
    )
  }
  if (exceeds(request, standard)) {
    at('defaultRequest').invalid(
      request,
      `default request value ${request} is greater than default limit value ${standard}`,
    )
  }
  // As the reference writes it: these two show the bound, not the value.
  if (exceeds(min, standard)) {
    at('default').invalid(min, `min value ${min} is greater than default value ${standard}`)
  }
  if (exceeds(standard, max)) {
    at('default').invalid(max, `default value ${standard} is greater than max value ${max}`)
  }
  if (ratio !== undefined) validateRatio(ratio, min, max, at('maxLimitRequestRatio'))
  const differ = exceeds(standard, request) || exceeds(request, standard)
  if (!isOvercommitable(name, v) && differ) {
    at('default').invalid(
      standard,
      `default value ${standard} must equal to defaultRequest value ${request} in ${name}`,
    )
  }
}

function validateRatio(
  text: string,
  min: string | undefined,
  max: string | undefined,
  errors: FieldErrors,
): void {
  const ratio = parseQuantity(text)
  if (compareQuantity(ratio, quantityOf(1)) < 0)
    errors.invalid(text, `ratio ${text} is less than 1`)
  if (min === undefined || max === undefined) return
  const limit = Number(milliValue(parseQuantity(max))) / Number(milliValue(parseQuantity(min)))
  if (Number(milliValue(ratio)) / 1000 > limit) {
    errors.invalid(text, `ratio ${text} is greater than max/min = ${limit.toFixed(6)}`)
  }
}
