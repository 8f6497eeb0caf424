import { badRequest } from '../meta/errors.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import {
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type FieldTerm,
  type LabelSelector,
} from '../meta/selectors.ts'
import type { Requirement } from '../cache/selector-indexes.ts'
import { filterBit, type Selectable } from '../cache/stored-object.ts'

/** Selects objects of a collection. */
export interface Selection {
  /** null: all of them. */
  readonly matches: ((object: Selectable) => boolean) | null
  /** The only name that `metadata.name=x` allows; undefined when there is none. */
  readonly name: string | undefined
  /** What every selected object has, for indexes; others may have it as well. */
  readonly requires: readonly Requirement[]
  /** Equal ids mean equal selections. */
  readonly id: string
}

const EVERYTHING: Selection = { matches: null, name: undefined, requires: [], id: '' }

/**
 * Parses label and field selectors. Throws 400 on bad syntax and on fields that the kind does not support in
 * selectors.
 */
export function selection(served: ResourceEntry, labelText: string, fieldText: string): Selection {
  if (labelText === '' && fieldText === '') return EVERYTHING
  const labels = labelText === '' ? null : parsed(() => parseLabelSelector(labelText))
  const terms =
    fieldText === ''
      ? []
      : parsed(() => parseFieldSelector(fieldText)).map((t) => resolve(served, t))
  const byName = terms.filter((t) => t.field === 'metadata.name')
  const byNamespace = terms.filter((t) => t.field === 'metadata.namespace')
  const byField = terms.filter(
    (t) => t.field !== 'metadata.name' && t.field !== 'metadata.namespace',
  )
  const filter = neededFilterBits(labels, byField)
  const names = byName.filter((t) => t.op === '=').map((t) => t.value)
  return {
    id: `${labelText}\0${fieldText}`,
    name: names[0],
    requires: requirementsOf(labels, terms),
    matches(object) {
      const { key } = object
      if (byName.length > 0 || byNamespace.length > 0) {
        const slash = key.lastIndexOf('/')
        const name = key.slice(slash + 1)
        const namespace = served.namespaced ? key.slice(served.keyPrefix.length, slash) : ''
        if (!byName.every((t) => (t.value === name) === (t.op === '='))) return false
        if (!byNamespace.every((t) => (t.value === namespace) === (t.op === '='))) return false
      }
      if (!labels && byField.length === 0) return true
      if (!object.mayHave(filter)) return false
      const facts = object.facts()
      if (labels && !matchesLabels(labels, facts.labels)) return false
      return byField.length === 0 || matchesFields(byField, facts.fields)
    },
  }
}

/** What conditions require of an object: those that ask for absence, or for anything but a value, require nothing. */
function requirementsOf(
  labels: LabelSelector | null,
  fields: readonly FieldTerm[],
): readonly Requirement[] {
  const found: Requirement[] = []
  for (const { key: name, operator, values } of labels?.requirements ?? []) {
    if (operator === '=' || operator === '==' || operator === 'in')
      found.push({ attribute: { of: 'label', name }, values })
    else if (operator === 'exists' || operator === 'gt' || operator === 'lt')
      found.push({ attribute: { of: 'hasLabel', name }, values: [''] })
  }
  for (const { field, op, value } of fields) {
    if (op !== '=' || value === '' || field === 'metadata.namespace') continue
    const attribute =
      field === 'metadata.name'
        ? ({ of: 'name', name: '' } as const)
        : ({ of: 'field', name: field } as const)
    found.push({ attribute, values: [value] })
  }
  return found
}

/** Bits that the bloom filter of every selected object has. */
function neededFilterBits(labels: LabelSelector | null, fields: readonly FieldTerm[]): number {
  let marks = 0
  for (const { key, operator, values } of labels?.requirements ?? []) {
    if (operator === '!' || operator === '!=' || operator === 'notin') continue
    const isExact = operator !== 'exists' && operator !== 'gt' && operator !== 'lt'
    marks |= isExact && values.length === 1 ? filterBit(key, values[0]) : filterBit(key)
  }
  for (const { field, op, value } of fields)
    if (op === '=' && value !== '') marks |= filterBit(field, value)
  return marks
}

function resolve(served: ResourceEntry, term: FieldTerm): FieldTerm {
  const { selectable, noNamespaceSelector, unknownSelector } = served.strategy
  const field = served.selectable.get(term.field)
  if (field !== undefined) return { ...term, field }
  if (term.field === 'metadata.name') return term
  if (term.field === 'metadata.namespace' && noNamespaceSelector !== true) return term
  if (unknownSelector) throw badRequest(unknownSelector(term.field))
  if (selectable) throw badRequest(`field label not supported: ${term.field}`)
  throw badRequest(
    `${JSON.stringify(term.field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  )
}

function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error))
  }
}
