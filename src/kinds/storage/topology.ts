import type { FieldErrors } from '../../meta/field-errors.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { group } from '../../meta/object-meta.ts'
import { t } from '../../notation/shape.ts'

const { shape } = group('core/v1')

/** Requirement that a node label has one of several values. */
export class TopologySelectorLabelRequirement extends shape({
  /** Key of the node label. Unique within a term. */
  key: t.string(1).required(),
  /** Allowed values of the label; at least one. */
  values: t.list(2, 'string').required(),
}) {}

/** Set of requirements on node labels, all of which must match. An empty term matches no nodes. */
export class TopologySelectorTerm extends shape(
  {
    /** Requirements on node labels, all of which must match. */
    matchLabelExpressions: t.list(1, TopologySelectorLabelRequirement),
  },
  { atomic: true },
) {}

/** Validates the allowed topologies of a storage class. */
export function validateTopologies(
  terms: readonly TopologySelectorTerm[] = [],
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  for (const [i, term] of terms.entries()) {
    const expressions = term.matchLabelExpressions ?? []
    const at = errors.at(i, 'matchLabelExpressions')
    // It would match no node, and no volume could be provisioned.
    if (expressions.length === 0) at.required()
    const keys = new Set<string>()
    for (const [j, { key, values }] of expressions.entries()) {
      const one = at.at(j)
      one.at('key').invalidAll(key, isQualifiedName(key))
      if (keys.has(key)) one.at('key').duplicate(key)
      keys.add(key)
      if (values.length === 0) one.at('values').required()
      const known = new Set<string>()
      for (const [k, value] of values.entries()) {
        if (known.has(value)) one.at('values', k).duplicate(value)
        known.add(value)
      }
    }
    const text = JSON.stringify(
      expressions
        .map(({ key, values }) => [key, [...values].sort()])
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    )
    if (seen.has(text)) at.duplicate('')
    seen.add(text)
  }
}
