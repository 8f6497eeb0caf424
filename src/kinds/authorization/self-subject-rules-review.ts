import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'

const { kind, shape } = group('authorization{api}/v1')

/** Scope of the list: one namespace, together with cluster-wide permissions. */
export class SelfSubjectRulesReviewSpec extends shape({
  /** Namespace to list the permissions for. Required. */
  namespace: t.string(1),
}) {}

/** Verbs that are allowed on a set of resources. */
export class ResourceRule extends shape({
  /** Allowed verbs, such as `get` and `list`. `*` means all verbs. */
  verbs: t.list(1, 'string').required(),
  /** API groups of the resources; the empty string is the core group. `*` means all groups. */
  apiGroups: t.list(2, 'string'),
  /** Resources in these groups; subresources are written `resource/subresource`. `*` means all resources. */
  resources: t.list(3, 'string'),
  /** Names of objects that the rule is restricted to. Empty means all names. */
  resourceNames: t.list(4, 'string'),
}) {}

/** HTTP methods that are allowed on a set of URLs outside the resource API. */
export class NonResourceRule extends shape({
  /** Allowed HTTP methods in lower case, such as `get`. `*` means all methods. */
  verbs: t.list(1, 'string').required(),
  /** URL paths; `*` is allowed as the whole path or at its end. */
  nonResourceURLs: t.list(2, 'string'),
}) {}

/** Permissions of a user in a namespace. Rules are in no particular order and may repeat. */
export class SubjectRulesReviewStatus extends shape({
  /** Permissions for resources in the namespace. */
  resourceRules: t.list(1, ResourceRule).required(),
  /** Permissions for URLs outside the resource API. */
  nonResourceRules: t.list(2, NonResourceRule).required(),
  /** True if the list may lack permissions, because an authorizer cannot enumerate its rules. */
  incomplete: t.bool(3).required(),
  /** Errors that occurred while the rules were collected. */
  evaluationError: t.string(4),
}) {}

/**
 * Lists the permissions of the current user in a namespace, for display. Use access reviews for decisions. Not
 * persisted.
 */
export class SelfSubjectRulesReview extends kind({
  /** Namespace to list the permissions for. */
  spec: t.object(2, SelfSubjectRulesReviewSpec).required(),
  /** Permissions of the user. Set by the server in the response. */
  status: t.object(3, SubjectRulesReviewStatus),
}) {}

/** The `selfsubjectrulesreviews` resource; create-only, not persisted. */
export const selfSubjectRulesReviews = resource(SelfSubjectRulesReview, {
  plural: 'selfsubjectrulesreviews',
  scope: 'cluster',
  virtual: 'selfSubjectRulesReview',
  without: ALL_BUT_CREATE,
})
