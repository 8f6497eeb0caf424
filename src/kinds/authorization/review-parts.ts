import { type FieldErrors } from '../../meta/field-errors.ts'
import type { ObjectMeta, Typed } from '../../meta/object-meta.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('authorization{api}/v1')

/** Request for a resource that is checked. Values are compared literally; `*` is only allowed by rules with `*`. */
export class ResourceAttributes extends shape({
  /** Namespace of the request. Empty for cluster-scoped resources, and for requests across all namespaces. */
  namespace: t.string(1),
  /**
   * Verb of the request, such as `get`, `list`, `watch`, `create`, `update`, `patch` or `delete`. `*` means all verbs.
   */
  verb: t.string(2),
  /** API group of the resource. Empty is the core group; `*` means all groups. */
  group: t.string(3),
  /** API version of the resource. `*` means all versions. */
  version: t.string(4),
  /** Plural name of the resource. `*` means all resources. */
  resource: t.string(5),
  /** Subresource of the request, such as `status`. Empty for the main resource. */
  subresource: t.string(6),
  /** Name of the object. Empty means all names. */
  name: t.string(7),
}) {}

/** Request for a URL outside the resource API that is checked. */
export class NonResourceAttributes extends shape({
  /** URL path of the request, such as `/healthz`. */
  path: t.string(1),
  /** HTTP method of the request in lower case, such as `get`. */
  verb: t.string(2),
}) {}

/** Decision on the checked request. */
export class SubjectAccessReviewStatus extends shape({
  /** True if the request is allowed. */
  allowed: t.bool(1).required(),
  /**
   * True if an authorizer explicitly denies the request. If `allowed` is false as well, no authorizer had an opinion.
   */
  denied: t.bool(4),
  /** Reason for the decision, such as the binding that allows the request. May be empty. */
  reason: t.string(2),
  /** Errors that occurred during the check. The decision can be valid nevertheless. */
  evaluationError: t.string(3),
}) {}

/** Common form of the access reviews. */
export interface AccessReview extends Typed {
  spec: {
    resourceAttributes?: ResourceAttributes
    nonResourceAttributes?: NonResourceAttributes
  }
}

/** A review asks about exactly one request: for a resource or for another URL. */
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

/** Reviews are not persisted, so their metadata must be empty but for what the server adds. */
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
