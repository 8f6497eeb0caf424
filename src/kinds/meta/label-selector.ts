import { home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')

/** One condition of a label selector. */
export class LabelSelectorRequirement extends shape({
  /** Label key. */
  key: t.string(1).required().patch('merge', 'key'),
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
  operator: t.string(2).required(),
  /** Values for `In` and `NotIn`. */
  values: t.list(3, 'string'),
}) {}

/** Selects objects by labels; all conditions must hold, an empty selector selects everything. */
export class LabelSelector extends shape(
  {
    /** Labels that must have exactly these values. */
    matchLabels: t.map(1, 'string'),
    /** Further conditions. */
    matchExpressions: t.list(2, LabelSelectorRequirement),
  },
  { atomic: true },
) {}
