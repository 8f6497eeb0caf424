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

/** Attributes of the action. Exactly one of the fields must be set. */
export class SelfSubjectAccessReviewSpec extends shape({
  /** Request for a resource. Mutually exclusive with `nonResourceAttributes`. */
  resourceAttributes: t.object(1, ResourceAttributes).explicit(),
  /** Request for a URL outside the resource API. Mutually exclusive with `resourceAttributes`. */
  nonResourceAttributes: t.object(2, NonResourceAttributes).explicit(),
}) {}

/** Checks whether the current user can perform an action. Not persisted. */
export class SelfSubjectAccessReview extends kind({
  /** Action to check for the current user. */
  spec: t.object(2, SelfSubjectAccessReviewSpec).required(),
  /** Result of the check. Set by the server in the response. */
  status: t.object(3, SubjectAccessReviewStatus),
}) {}

/** The `selfsubjectaccessreviews` resource; create-only, not persisted. */
export const selfSubjectAccessReviews = resource(SelfSubjectAccessReview, {
  plural: 'selfsubjectaccessreviews',
  scope: 'cluster',
  virtual: 'selfSubjectAccessReview',
  without: ALL_BUT_CREATE,

  validate({ spec, metadata }, errors) {
    validateAttributes(spec, errors.at('spec'))
    validateEmptyMetadata(metadata, errors)
  },
})
