import { forbidden } from '../schema/errors.ts'

/** What a decision is made of (seed 1, Authorization 3). */
export interface Attributes {
  readonly isResource: boolean
  readonly verb: string
  readonly path: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export interface Subject {
  readonly name: string
  readonly groups: readonly string[]
}

/** Members of this group may do everything. */
const PRIVILEGED_GROUP = 'system:masters'

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
  if (user.groups.includes(PRIVILEGED_GROUP)) return ALLOWED
  if (!attributes.isResource && READS.includes(attributes.verb) && PUBLIC.test(attributes.path))
    return ALLOWED
  return NO_OPINION
}

/** Lets a request pass or throws 403. */
export function authorizeRequest(user: Subject, attributes: Attributes): void {
  if (!decide(user, attributes).allowed) throw refusal(user, attributes)
}

function refusal(user: Subject, a: Attributes): Error {
  const who = `User ${JSON.stringify(user.name)}`
  if (!a.isResource)
    return forbidden(null, '', escaped(`${who} cannot ${a.verb} path ${JSON.stringify(a.path)}`))
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`
  const place =
    a.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(a.namespace)}`
  return forbidden(
    { group: a.group, resource: a.resource },
    a.name,
    escaped(
      `${who} cannot ${a.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(a.group)} ${place}`,
    ),
  )
}

/** Nothing a client sent may read as markup where an error is shown. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
