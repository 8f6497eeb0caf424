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

/** What is wanted; exactly one of the two. */
export class SelfSubjectAccessReviewSpec extends shape({
  /** A request to a resource. */
  resourceAttributes: t.object(1, ResourceAttributes).explicit(),
  /** A request to a URL that is no resource. */
  nonResourceAttributes: t.object(2, NonResourceAttributes).explicit(),
}) {}

/** Asks whether who asks may do something. */
export class SelfSubjectAccessReview extends kind({
  /** What is wanted. */
  spec: t.object(2, SelfSubjectAccessReviewSpec).required(),
  /** The answer. */
  status: t.object(3, SubjectAccessReviewStatus),
}) {}

/** Reviews of one's own access; they are answered, not kept. */
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
