import { renderValue } from './field-errors.ts'
import { type LabelOperator, parseRequirements } from './label-selector-text.ts'
import { isLabelValue, isQualifiedName } from './names.ts'
import { SelectorError } from './selector-error.ts'

/** One condition on the labels of an object. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: LabelOperator
  /** Sorted and unique. */
  readonly values: readonly string[]
  /** The same values, for fast lookup. */
  readonly set: ReadonlySet<string>
}

/** Conditions that must all hold, sorted by key. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[]
  /** Set for a selector that selects no object at all (an absent one in object form). */
  readonly nothing: boolean
}

/** The object form, `matchLabels` and `matchExpressions`. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined
  readonly matchExpressions?:
    | readonly {
        readonly key: string
        readonly operator: string
        readonly values?: readonly string[] | undefined
      }[]
    | undefined
}

/** Selects every object. */
export const everything: LabelSelector = { requirements: [], nothing: false }
/** Selects no object. */
export const nothing: LabelSelector = { requirements: [], nothing: true }

type Labels = Readonly<Record<string, string>> | undefined

/**
 * Reads a selector as in `?labelSelector=`; throws SelectorError.
 *
 *     parseLabelSelector('app=web,tier in (front,back),!legacy')
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return everything
  return selectorOf(parseRequirements(text, requirement))
}

const selectorOf = (requirements: readonly LabelRequirement[]): LabelSelector =>
  requirements.length === 0
    ? everything
    : { requirements: [...requirements].sort(byKey), nothing: false }

const byKey = (a: LabelRequirement, b: LabelRequirement): number =>
  a.key < b.key ? -1 : Number(a.key > b.key)

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/** Converts the object form: absent selects nothing, empty selects everything; throws SelectorError. */
export function selectorFromObject(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === null || object === undefined) return nothing
  const requirements: LabelRequirement[] = []
  for (const [key, value] of Object.entries(object.matchLabels ?? {})) {
    requirements.push(requirement(key, '=', [value]))
  }
  for (const { key, operator, values } of object.matchExpressions ?? []) {
    const known = OPERATORS.get(operator)
    if (!known) {
      throw new SelectorError(`${renderValue(operator)} is not a valid label selector operator`)
    }
    requirements.push(requirement(key, known, values ?? []))
  }
  return selectorOf(requirements)
}

/** A selector for exactly these labels, unchecked; absent and empty select everything. */
export function selectorFromLabels(labels: Labels): LabelSelector {
  return selectorOf(
    Object.entries(labels ?? {}).map(([key, value]) => ({
      key,
      operator: '=',
      values: [value],
      set: new Set([value]),
    })),
  )
}

/** Builds a condition and checks its key and values; throws SelectorError with all violations. */
function requirement(
  key: string,
  operator: LabelOperator,
  given: readonly string[],
): LabelRequirement {
  const set = new Set(given)
  const values = [...set].sort()
  const problems: string[] = []
  const report = (path: string, value: unknown, why: string) =>
    problems.push(`${path}: Invalid value: ${renderValue(value)}: ${why}`)

  const keyProblems = isQualifiedName(key)
  if (keyProblems.length > 0) report('key', key, keyProblems.join('; '))
  if (operator === 'in' || operator === 'notin') {
    if (values.length === 0) {
      report('values', values, "for 'in', 'notin' operators, values set can't be empty")
    }
  } else if (operator === 'exists' || operator === '!') {
    if (values.length > 0) {
      report('values', values, 'values set must be empty for exists and does not exist')
    }
  } else if (operator === 'gt' || operator === 'lt') {
    for (const [i, value] of values.entries()) {
      if (readInt64(value) === null) {
        report(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")
      }
    }
  }
  for (const [i, value] of values.entries()) {
    const why = isLabelValue(value)
    if (why.length > 0) report(`values[${i}][${key}]`, value, why.join('; '))
  }
  if (problems.length > 0) {
    const distinct = [...new Set(problems)]
    throw new SelectorError(distinct.length === 1 ? distinct[0] : `[${distinct.join(', ')}]`)
  }
  return { key, operator, values, set }
}

/** A signed 64-bit integer, or null. */
function readInt64(text: string): bigint | null {
  if (!/^[+-]?\d+$/.test(text) || text.length > 256) return null
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  return value === BigInt.asIntN(64, value) ? value : null
}

/** Whether all conditions hold for these labels. */
export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  if (selector.nothing) return false
  for (const one of selector.requirements) if (!holds(one, labels)) return false
  return true
}

function holds({ key, operator, values, set }: LabelRequirement, labels: Labels): boolean {
  // Keys are user data: `__proto__` must not reach the prototype.
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case '=':
    case '==':
    case 'in':
      return value !== undefined && set.has(value)
    case '!=':
    case 'notin':
      return value === undefined || !set.has(value)
    case 'gt':
    case 'lt': {
      const has = value === undefined ? null : readInt64(value)
      const limit = readInt64(values[0] ?? '')
      if (has === null || limit === null) return false
      return operator === 'gt' ? has > limit : has < limit
    }
    default:
      throw new Error(`no label operator ${String(operator satisfies never)}`)
  }
}

/** Whether no condition limits the selection. */
export const isEverything = (selector: LabelSelector): boolean =>
  !selector.nothing && selector.requirements.length === 0

/** The value that the selector requires for a key, if it is a single one. */
export function requiredLabel(selector: LabelSelector, key: string): string | undefined {
  for (const one of selector.requirements) {
    const exact = one.operator === '=' || one.operator === '==' || one.operator === 'in'
    if (one.key === key && exact && one.values.length === 1) return one.values[0]
  }
  return undefined
}

/** The canonical text: conditions sorted by key, values sorted. */
export const formatLabelSelector = (selector: LabelSelector): string =>
  selector.requirements.map(formatRequirement).join(',')

const SIGNS = { '=': '=', '==': '==', '!=': '!=', gt: '>', lt: '<' } as const

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key
    case '!':
      return `!${key}`
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`
    default:
      return key + SIGNS[operator] + (values[0] ?? '')
  }
}

/** The object form as tables show it: `<none>` when it has no conditions, `<error>` when it is invalid. */
export function describeLabelSelector(object: LabelSelectorObject | null | undefined): string {
  try {
    return formatLabelSelector(selectorFromObject(object)) || '<none>'
  } catch (error) {
    if (error instanceof SelectorError) return '<error>'
    throw error
  }
}

/** One condition on a field of an object. */
export interface FieldTerm {
  readonly field: string
  readonly op: '=' | '!='
  readonly value: string
}

type Fields = Readonly<Record<string, string | undefined>>

const ESCAPE = '\\'

/**
 * Parses a selector as in `?fieldSelector=`; throws SelectorError. The caller checks whether a kind supports the named
 * fields.
 *
 *     parseFieldSelector('metadata.name=a,status.phase!=Running')
 */
export function parseFieldSelector(text: string): FieldTerm[] {
  const terms: FieldTerm[] = []
  for (const part of splitTerms(text).sort()) {
    if (part === '') continue
    const operator = /!=|==|=/.exec(part)
    if (!operator) {
      throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`)
    }
    terms.push({
      field: part.slice(0, operator.index),
      op: operator[0] === '!=' ? '!=' : '=',
      value: unescapeValue(part.slice(operator.index + operator[0].length)),
    })
  }
  return terms
}

/** Splits at commas that are not escaped. */
function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === ESCAPE) i++
    else if (char === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  let escaped = false
  for (const char of text) {
    if (escaped) {
      if (char !== ESCAPE && char !== ',' && char !== '=') throw badEscape(ESCAPE + char)
      value += char
      escaped = false
    } else if (char === ESCAPE) {
      escaped = true
    } else if (char === ',' || char === '=') {
      throw new SelectorError(
        `invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`,
      )
    } else {
      value += char
    }
  }
  if (escaped) throw badEscape(ESCAPE)
  return value
}

const badEscape = (sequence: string) =>
  new SelectorError(`invalid field selector: invalid escape sequence: ${sequence}`)

/** Whether all conditions hold; an absent field counts as empty. */
export function matchesFields(terms: readonly FieldTerm[], fields: Fields): boolean {
  for (const { field, op, value } of terms) {
    const has = Object.hasOwn(fields, field) ? (fields[field] ?? '') : ''
    if ((has === value) !== (op === '=')) return false
  }
  return true
}

/** The value that the selector requires for a field, or undefined. */
export function requiredValue(terms: readonly FieldTerm[], field: string): string | undefined {
  return terms.find((term) => term.field === field && term.op === '=')?.value
}

/** The canonical text of conditions. */
export const formatFieldSelector = (terms: readonly FieldTerm[]): string =>
  terms.map(({ field, op, value }) => field + op + value.replace(/[\\,=]/g, '\\$&')).join(',')
