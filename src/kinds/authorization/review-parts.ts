import { type FieldErrors } from '../../meta/field-errors.ts'
import type { ObjectMeta, Typed } from '../../meta/object-meta.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('authorization{api}/v1')

/** A request to a resource. `*` and empty stand for everything. */
export class ResourceAttributes extends shape({
  /** Namespace; empty for none, and for all where the resource has namespaces. */
  namespace: t.string(1),
  /** What is to be done: get, list, watch, create, update, delete, proxy. */
  verb: t.string(2),
  /** API group of the resource. */
  group: t.string(3),
  /** Version of the resource. */
  version: t.string(4),
  /** The resource. */
  resource: t.string(5),
  /** Part of the resource; empty for the whole. */
  subresource: t.string(6),
  /** Name of the object; empty for all. */
  name: t.string(7),
}) {}

/** A request to a URL that is no resource. */
export class NonResourceAttributes extends shape({
  /** The path. */
  path: t.string(1),
  /** The method, in lower case. */
  verb: t.string(2),
}) {}

/** Whether it may be done. */
export class SubjectAccessReviewStatus extends shape({
  /** Whether it may be done. */
  allowed: t.bool(1).required(),
  /** Whether it is refused outright; both this and `allowed` are false when nobody has a say. */
  denied: t.bool(4),
  /** Why. */
  reason: t.string(2),
  /** What went wrong while finding out; the answer may hold all the same. */
  evaluationError: t.string(3),
}) {}

/** What the kinds of access reviews have in common. */
export interface AccessReview extends Typed {
  spec: {
    resourceAttributes?: ResourceAttributes
    nonResourceAttributes?: NonResourceAttributes
  }
}

/** A review asks about one request: to a resource or to another URL. */
export function validateAttributes(
  { resourceAttributes, nonResourceAttributes }: AccessReview['spec'],
  errors: FieldErrors,
): void {
  if (resourceAttributes && nonResourceAttributes) {
    errors
      .at('nonResourceAttributes')
      .invalid(nonResourceAttributes, 'cannot be specified in combination with resourceAttributes')
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    errors
      .at('resourceAttributes')
      .invalid(null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified')
  }
}

/** A review is not stored, so that metadata makes no sense but for what the server adds. */
export function validateEmptyMetadata(
  metadata: ObjectMeta,
  errors: FieldErrors,
  { except }: { readonly except?: 'namespace' } = {},
): void {
  const { managedFields: _, ...rest } = metadata
  const names = Object.keys(rest).filter((name) => name !== except)
  if (names.length === 0) return
  const tail = except === undefined ? '' : ` except for ${except}`
  errors.at('metadata').invalid(metadata, `must be empty${tail}`)
}
