import { home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')

/** One requirement of a label selector: a key, an operator and, for some operators, values. */
export class LabelSelectorRequirement extends shape({
  /** Label key that the requirement applies to. */
  key: t.string(1).required().patch('merge', 'key'),
  /**
   * How the label relates to the values: `In`, `NotIn`, `Exists` or `DoesNotExist`. `NotIn` also matches objects
   * without the label.
   */
  operator: t.string(2).required(),
  /** Label values. At least one for `In` and `NotIn`; must be empty for `Exists` and `DoesNotExist`. */
  values: t.list(3, 'string'),
}) {}

/**
 * Query over the labels of objects. All of `matchLabels` and `matchExpressions` must match; an empty selector matches
 * all objects, an absent one none.
 */
export class LabelSelector extends shape(
  {
    /**
     * Labels that an object must have with exactly these values. Each entry equals an `In` requirement with one value.
     */
    matchLabels: t.map(1, 'string'),
    /** Label selector requirements, all of which must match. */
    matchExpressions: t.list(2, LabelSelectorRequirement),
  },
  { atomic: true },
) {}
