import { forbidden, type StatusError } from '../meta/errors.ts'
import type { Attributes, Subject } from './authorizer.ts'

/** Parts of a request for the text of its refusal. */
export type RefusedAttributes = Omit<Attributes, 'version'>

/** The 403 of a request that no authorizer allowed; `reason` is that of the authorizers. */
export function refusal(
  user: Pick<Subject, 'name'>,
  a: RefusedAttributes,
  reason = '',
): StatusError {
  const of = a.isResource ? { group: a.group, resource: a.resource } : null
  const why = escaped(whatIsRefused(user, a))
  return forbidden(of, a.isResource ? a.name : '', reason === '' ? why : `${why}: ${reason}`)
}

function whatIsRefused(user: Pick<Subject, 'name'>, a: RefusedAttributes): string {
  const who = `User ${JSON.stringify(user.name)}`
  if (!a.isResource) return `${who} cannot ${a.verb} path ${JSON.stringify(a.path)}`
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`
  const place =
    a.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(a.namespace)}`
  return `${who} cannot ${a.verb} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(a.group)} ${place}`
}

/** Nothing a client sent may read as markup where an error is shown. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
