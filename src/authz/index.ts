import { refusal, type RefusedAttributes } from './refusal.ts'
import { isPrivileged } from './subjects.ts'

/** What a decision is made of (seed 1, Authorization 3). */
export type Attributes = RefusedAttributes

/** Who asks. */
export interface Subject {
  readonly name: string
  readonly groups: readonly string[]
}

/** What everybody may read: health, version and what is served. */
const READS = ['get', 'head']
const PUBLIC = /^\/(healthz|livez|readyz|version|api|apis)(\/|$)/

/** Whether a request may pass, and why. */
export interface Decision {
  readonly allowed: boolean
  /** Refused outright: nobody else is asked. */
  readonly denied: boolean
  readonly reason: string
}

const ALLOWED: Decision = { allowed: true, denied: false, reason: '' }
const NO_OPINION: Decision = { allowed: false, denied: false, reason: '' }

/** Decides about a request. */
export function decide(user: Subject, attributes: Attributes): Decision {
  if (isPrivileged(user)) return ALLOWED
  if (!attributes.isResource && READS.includes(attributes.verb) && PUBLIC.test(attributes.path))
    return ALLOWED
  return NO_OPINION
}

/** Lets a request pass or throws 403. */
export function authorizeRequest(user: Subject, attributes: Attributes): void {
  if (!decide(user, attributes).allowed) throw refusal(user, attributes)
}
