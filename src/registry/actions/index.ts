/** Implementations of actions and of kinds that are not stored, by the names that declarations use. */
import type { ActionSubresource } from '../../catalogue/resource.ts'
import type { Api, Call } from '../context.ts'
import type { Result } from '../results.ts'
import { reviewAccess, reviewOwnAccess, reviewOwnRules } from './access-reviews.ts'
import { bindPod, createBinding } from './binding.ts'
import { getComponent, listComponents } from './component-statuses.ts'
import { evictPod } from './eviction.ts'
import { requestToken } from './token-request.ts'
import { reviewToken } from './token-reviews.ts'

/** Handles a POST on a sub-resource. */
export type Action = (api: Api, call: Call, action: ActionSubresource) => Promise<Result>

/** Verbs of a kind that is not stored. */
export interface Virtual {
  readonly create?: (api: Api, call: Call) => Result | Promise<Result>
  readonly get?: (api: Api, call: Call) => Result | Promise<Result>
  readonly list?: (api: Api, call: Call) => Result | Promise<Result>
}

export const actions: Readonly<Record<string, Action>> = {
  podBinding: bindPod,
  podEviction: evictPod,
  tokenRequest: requestToken,
}

export const virtuals: Readonly<Record<string, Virtual>> = {
  binding: { create: createBinding },
  componentStatuses: { get: getComponent, list: listComponents },
  tokenReview: { create: reviewToken },
  subjectAccessReview: { create: reviewAccess },
  localSubjectAccessReview: { create: reviewAccess },
  selfSubjectAccessReview: { create: reviewOwnAccess },
  selfSubjectRulesReview: { create: reviewOwnRules },
}
