import type { FieldErrors } from '../../meta/field-errors.ts'
import { isDns1123Subdomain, isQualifiedName } from '../../meta/names.ts'
import { home, t } from '../../notation/shape.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

const { shape } = home('core/v1')

/** A condition on a label or field of a node. */
export class NodeSelectorRequirement extends shape({
  /** Label key, or name of the field. Required. */
  key: t.string(1).required(),
  /**
   * Relation of the value to `values`: `In`, `NotIn`, `Exists`, `DoesNotExist`, or `Gt` and `Lt`
   * for integers. Fields allow only `In` and `NotIn`. Required.
   */
  operator: t.string(2).required().oneOf('DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'),
  /**
   * Values to compare with: at least one for `In` and `NotIn`, a single integer for `Gt` and `Lt`,
   * none for `Exists` and `DoesNotExist`.
   */
  values: t.list(3, 'string'),
}) {}

/** Conditions on a node, all of which must be met. A term without conditions matches no node. */
export class NodeSelectorTerm extends shape(
  {
    /** Conditions on labels of the node. */
    matchExpressions: t.list(1, NodeSelectorRequirement),
    /** Conditions on fields of the node. Only `metadata.name` is supported, with a single value. */
    matchFields: t.list(2, NodeSelectorRequirement),
  },
  { atomic: true },
) {}

/** Selects the nodes that match at least one of its terms. */
export class NodeSelector extends shape(
  {
    /** Terms of the selector, of which one must match. At least one is required. */
    nodeSelectorTerms: t.list(1, NodeSelectorTerm).required(),
  },
  { atomic: true },
) {}

/** Validates a required node selector. */
export function validateNodeSelector(selector: NodeSelector, errors: FieldErrors): void {
  const terms = selector.nodeSelectorTerms
  const at = errors.at('nodeSelectorTerms')
  if (terms.length === 0) at.required('must have at least one node selector term')
  terms.forEach((term, i) => validateNodeSelectorTerm(term, at.at(i)))
}

/** Validates one term; preferred scheduling terms have the same. */
export function validateNodeSelectorTerm(term: NodeSelectorTerm, errors: FieldErrors): void {
  term.matchExpressions?.forEach((one, i) =>
    validateExpression(one, errors.at('matchExpressions', i)),
  )
  term.matchFields?.forEach((one, i) => validateField(one, errors.at('matchFields', i)))
}

function validateExpression(one: NodeSelectorRequirement, errors: FieldErrors): void {
  const count = one.values?.length ?? 0
  const values = errors.at('values')
  switch (one.operator) {
    case 'In':
    case 'NotIn':
      if (count === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'")
      break
    case 'Exists':
    case 'DoesNotExist':
      if (count > 0) {
        values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
      }
      break
    case 'Gt':
    case 'Lt':
      if (count !== 1) {
        values.required("must be specified single value when `operator` is 'Lt' or 'Gt'")
      }
      break
    default:
      refuseOperator(one, errors)
  }
  errors.at('key').invalidAll(one.key, isQualifiedName(one.key))
}

function validateField(one: NodeSelectorRequirement, errors: FieldErrors): void {
  if (one.operator === 'In' || one.operator === 'NotIn') {
    if (one.values?.length !== 1) {
      errors
        .at('values')
        .required(
          "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
        )
    }
  } else refuseOperator(one, errors)
  if (one.key !== 'metadata.name') {
    errors.at('key').invalid(one.key, 'not a valid field selector key')
    return
  }
  one.values?.forEach((value, i) =>
    errors.at('values', i).invalidAll(value, isDns1123Subdomain(value)),
  )
}

const OPERATORS: readonly string[] = ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn']

/** The declaration rejects unknown operators, except the empty one. */
function refuseOperator({ operator }: NodeSelectorRequirement, errors: FieldErrors): void {
  if ((operator as string) === '' || OPERATORS.includes(operator)) {
    errors.at('operator').invalid(operator, 'not a valid selector operator')
  }
}

// Deprecated labels with the release of the deprecation and the replacement.
const OLD_LABELS: Readonly<Record<string, readonly [since: string, use: string]>> = {
  'beta.{label}/arch': ['v1.14', '{label}/arch'],
  'beta.{label}/os': ['v1.14', '{label}/os'],
  'failure-domain.beta.{label}/region': ['v1.17', 'topology.{label}/region'],
  'failure-domain.beta.{label}/zone': ['v1.17', 'topology.{label}/zone'],
  'beta.{label}/instance-type': ['v1.17', 'node.{label}/instance-type'],
}

/** Warning text for a deprecated node label; null for any other key. */
export function oldNodeLabel(key: string, v: Vocabulary): string | null {
  for (const [label, [since, use]] of Object.entries(OLD_LABELS)) {
    if (v.resolve(label) === key)
      return `deprecated since ${since}; use "${v.resolve(use)}" instead`
  }
  return null
}

/** Warnings about deprecated labels in a term; `path` is that of the term. */
export function nodeSelectorTermWarnings(
  term: NodeSelectorTerm,
  path: string,
  v: Vocabulary,
): string[] {
  return (term.matchExpressions ?? []).flatMap(({ key }, i) => {
    const text = oldNodeLabel(key, v)
    return text === null ? [] : [`${path}.matchExpressions[${i}].key: ${key} is ${text}`]
  })
}
