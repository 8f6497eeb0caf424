import type { FieldErrors } from '../../meta/field-errors.ts'
import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'
import {
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewStatus,
  validateAttributes,
  validateEmptyMetadata,
} from './review-parts.ts'

const { kind, shape } = group('authorization{api}/v1')

/**
 * Attributes of the user and the action. Exactly one of `resourceAttributes` and `nonResourceAttributes` must be set.
 */
export class SubjectAccessReviewSpec extends shape({
  /** Request for a resource. Mutually exclusive with `nonResourceAttributes`. */
  resourceAttributes: t.object(1, ResourceAttributes).explicit(),
  /** Request for a URL outside the resource API. Mutually exclusive with `resourceAttributes`. */
  nonResourceAttributes: t.object(2, NonResourceAttributes).explicit(),
  /** Name of the user. At least one of `user` and `groups` must be set. */
  user: t.string(3),
  /** Groups of the user. Only these are used; no group is added. */
  groups: t.list(4, 'string'),
  /** Additional attributes of the user, as provided by the authenticator. */
  extra: t.map(5, 'strings'),
  /** UID of the user, as provided by the authenticator. */
  uid: t.string(6),
}) {}

/** Checks whether a user or group can perform an action. Not persisted. */
export class SubjectAccessReview extends kind({
  /** User and action to check. */
  spec: t.object(2, SubjectAccessReviewSpec).required(),
  /** Result of the check. Set by the server in the response. */
  status: t.object(3, SubjectAccessReviewStatus),
}) {}

/** Validates user and attributes, at `errors`. */
export function validateSubjectSpec(spec: SubjectAccessReviewSpec, errors: FieldErrors): void {
  const { user = '', groups = [] } = spec
  validateAttributes(spec, errors)
  if (user === '' && groups.length === 0) {
    errors.at('user').invalid(user, 'at least one of user or group must be specified')
  }
}

/** The `subjectaccessreviews` resource; create-only, not persisted. */
export const subjectAccessReviews = resource(SubjectAccessReview, {
  plural: 'subjectaccessreviews',
  scope: 'cluster',
  virtual: 'subjectAccessReview',
  without: ALL_BUT_CREATE,

  validate({ spec, metadata }, errors) {
    validateSubjectSpec(spec, errors.at('spec'))
    validateEmptyMetadata(metadata, errors)
  },
})
