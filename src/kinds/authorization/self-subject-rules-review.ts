import { group } from '../../meta/object-meta.ts'
import { resource } from '../../catalogue/resource.ts'
import { t } from '../../notation/shape.ts'
import { ALL_BUT_CREATE } from '../create-only.ts'

const { kind, shape } = group('authorization{api}/v1')

/** Where to look. */
export class SelfSubjectRulesReviewSpec extends shape({
  /** Namespace whose rules are asked for; needed. */
  namespace: t.string(1),
}) {}

/** Something that may be done with resources. */
export class ResourceRule extends shape({
  /** What may be done; `*` is everything. */
  verbs: t.list(1, 'string').required(),
  /** API groups of the resources; `*` is every group. */
  apiGroups: t.list(2, 'string'),
  /** The resources; `*` is every one of the groups. */
  resources: t.list(3, 'string'),
  /** Names of the objects; all objects when there is none. */
  resourceNames: t.list(4, 'string'),
}) {}

/** Something that may be done with URLs that are no resources. */
export class NonResourceRule extends shape({
  /** Methods in lower case; `*` is every one. */
  verbs: t.list(1, 'string').required(),
  /** Paths, which may end with `*`. */
  nonResourceURLs: t.list(2, 'string'),
}) {}

/** What may be done, in no particular order; rules may repeat. */
export class SubjectRulesReviewStatus extends shape({
  /** What may be done with resources. */
  resourceRules: t.list(1, ResourceRule).required(),
  /** What may be done with other URLs. */
  nonResourceRules: t.list(2, NonResourceRule).required(),
  /** Whether there may be more, because somebody who has a say cannot list rules. */
  incomplete: t.bool(3).required(),
  /** What went wrong while finding out. */
  evaluationError: t.string(4),
}) {}

/** Asks for everything that who asks may do in a namespace; for show, not for deciding. */
export class SelfSubjectRulesReview extends kind({
  /** Where to look. */
  spec: t.object(2, SelfSubjectRulesReviewSpec).required(),
  /** The answer. */
  status: t.object(3, SubjectRulesReviewStatus),
}) {}

/** Reviews of one's own rules; they are answered, not kept. */
export const selfSubjectRulesReviews = resource(SelfSubjectRulesReview, {
  plural: 'selfsubjectrulesreviews',
  scope: 'cluster',
  virtual: 'selfSubjectRulesReview',
  without: ALL_BUT_CREATE,
})
