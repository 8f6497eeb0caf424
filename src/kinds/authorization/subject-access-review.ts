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

/** Who wants to do what; exactly one of the two kinds of attributes. */
export class SubjectAccessReviewSpec extends shape({
  /** A request to a resource. */
  resourceAttributes: t.object(1, ResourceAttributes).explicit(),
  /** A request to a URL that is no resource. */
  nonResourceAttributes: t.object(2, NonResourceAttributes).explicit(),
  /** Name of the user; this or a group is needed. */
  user: t.string(3),
  /** Groups of the user; no others are added. */
  groups: t.list(4, 'string'),
  /** What else is known of the user. */
  extra: t.map(5, 'strings'),
  /** uid of the user. */
  uid: t.string(6),
}) {}

/** Asks whether somebody may do something. */
export class SubjectAccessReview extends kind({
  /** Who wants to do what. */
  spec: t.object(2, SubjectAccessReviewSpec).required(),
  /** The answer. */
  status: t.object(3, SubjectAccessReviewStatus),
}) {}

/** Rules of who wants to do what, at `errors`. */
export function validateSubjectSpec(spec: SubjectAccessReviewSpec, errors: FieldErrors): void {
  const { user = '', groups = [] } = spec
  validateAttributes(spec, errors)
  if (user === '' && groups.length === 0) {
    errors.at('user').invalid(user, 'at least one of user or group must be specified')
  }
}

/** Reviews of anybody's access; they are answered, not kept. */
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
