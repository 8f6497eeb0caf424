import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'
import { SubjectAccessReviewStatus, validateEmptyMetadata } from './review-parts.ts'
import { SubjectAccessReviewSpec, validateSubjectSpec } from './subject-access-review.ts'

const { kind } = group('authorization{api}/v1')

/** Asks whether somebody may do something in one namespace, so that the question itself can be permitted there. */
export class LocalSubjectAccessReview extends kind({
  /** Who wants to do what; the namespace is that of the review. */
  spec: t.object(2, SubjectAccessReviewSpec).required(),
  /** The answer. */
  status: t.object(3, SubjectAccessReviewStatus),
}) {}

/** Reviews of anybody's access in a namespace; they are answered, not kept. */
export const localSubjectAccessReviews = resource(LocalSubjectAccessReview, {
  plural: 'localsubjectaccessreviews',
  scope: 'namespace',
  virtual: 'localSubjectAccessReview',
  without: ALL_BUT_CREATE,

  validate({ spec, metadata }, errors) {
    const at = errors.at('spec')
    const { resourceAttributes, nonResourceAttributes } = spec
    validateSubjectSpec(spec, at)
    validateEmptyMetadata(metadata, errors, { except: 'namespace' })
    const namespace = resourceAttributes?.namespace ?? ''
    if (resourceAttributes && namespace !== (metadata.namespace ?? '')) {
      at.at('resourceAttributes', 'namespace').invalid(namespace, 'must match metadata.namespace')
    }
    if (nonResourceAttributes) {
      at.at('nonResourceAttributes').invalid(
        nonResourceAttributes,
        'disallowed on this kind of request',
      )
    }
  },
})
