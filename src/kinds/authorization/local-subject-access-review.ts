import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'
import { SubjectAccessReviewStatus, validateEmptyMetadata } from './review-parts.ts'
import { SubjectAccessReviewSpec, validateSubjectSpec } from './subject-access-review.ts'

const { kind } = group('authorization{api}/v1')

/**
 * Checks whether a user or group can perform an action in one namespace. Being namespaced, it can be permitted by a
 * Role. Not persisted.
 */
export class LocalSubjectAccessReview extends kind({
  /**
   * Action and user to check. `resourceAttributes.namespace` must be the namespace of the review;
   * `nonResourceAttributes` is not allowed.
   */
  spec: t.object(2, SubjectAccessReviewSpec).required(),
  /** Result of the check. Set by the server in the response. */
  status: t.object(3, SubjectAccessReviewStatus),
}) {}

/** The `localsubjectaccessreviews` resource; create-only, not persisted. */
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
