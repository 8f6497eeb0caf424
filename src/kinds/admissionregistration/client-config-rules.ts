import { type FieldErrors } from '../../meta/field-errors.ts'
import { isDns1035Label, isDns1123Subdomain, isPortNumber } from '../../meta/names.ts'

/** Service that serves a webhook; both API groups with webhooks have this form. */
export interface ServiceTarget {
  namespace: string
  name: string
  path?: string
  port?: number
}

/** Client configuration of a webhook; both API groups with webhooks have this form. */
export interface ClientTarget {
  url?: string
  service?: ServiceTarget
}

/** Sets the default port of a service. */
export function fillClient(client: ClientTarget | undefined): void {
  if (client?.service) client.service.port ??= 443
}

/** Validates the client configuration of a webhook, at `errors`. */
export function validateClient(client: ClientTarget, errors: FieldErrors): void {
  if ((client.url === undefined) === (client.service === undefined)) {
    errors.required('exactly one of url or service is required')
  } else if (client.url !== undefined) validateUrl(client.url, errors.at('url'))
  else if (client.service) validateService(client.service, errors.at('service'))
}

const FORM = 'the form is https://host[/path]'

function validateUrl(text: string, errors: FieldErrors): void {
  const url = splitUrl(text)
  if (!url) {
    errors.required(`this is no URL; ${FORM}`)
    return
  }
  if (url.scheme !== 'https') {
    errors.invalid(url.scheme, `the scheme has to be https; ${FORM}`)
  }
  if (url.host === '') errors.invalid(url.host, `the host is missing; ${FORM}`)
  if (url.user !== undefined) {
    errors.invalid(url.user, 'a user has no place in the URL')
  }
  if (url.fragment !== '') {
    errors.invalid(url.fragment, 'a fragment has no place in the URL')
  }
  if (url.query !== '') {
    errors.invalid(url.query, 'a query has no place in the URL')
  }
}

interface UrlParts {
  readonly scheme: string
  readonly user: string | undefined
  readonly host: string
  readonly query: string
  readonly fragment: string
}

// The platform's parser normalizes its input; the rules apply to the URL as written.
const URL_PARTS =
  /^(?:([A-Za-z][-+.A-Za-z0-9]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s
const HOST = /^(?:\[[0-9A-Fa-f:.%]+\]|[^[\]:\s<>"\\^`{|}]*)(?::\d*)?$/

/** Splits a URL without normalizing it; null if it is not a URL. */
export function splitUrl(text: string): UrlParts | null {
  const parts = URL_PARTS.exec(text)
  if (!parts || hasControl(text) || /%(?![0-9A-Fa-f]{2})/.test(text)) return null
  const [, scheme = '', authority = '', query = '', fragment = ''] = parts
  if (scheme === '' && /^[^/?#]*:/.test(text)) return null
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  if (!HOST.test(host)) return null
  return {
    scheme: scheme.toLowerCase(),
    user: at < 0 ? undefined : authority.slice(0, at),
    host,
    query,
    fragment,
  }
}

function hasControl(text: string): boolean {
  for (const char of text) {
    const code = char.charCodeAt(0)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

function validateService(service: ServiceTarget, errors: FieldErrors): void {
  const { name, namespace, port = 443, path } = service
  // As the reference writes it: name and namespace are reported in each other's place.
  if (namespace === '') errors.at('name').required('service name is required')
  if (name === '') errors.at('namespace').required('service namespace is required')
  const wrong = isPortNumber(port)
  if (wrong.length > 0) errors.at('port').invalid(port, `port is not valid: ${wrong.join(',')}`)
  if (path !== undefined) validatePath(path, errors.at('path'))
}

function validatePath(path: string, errors: FieldErrors): void {
  if (path === '' || path === '/') return
  if (!path.startsWith('/')) errors.invalid(path, 'has to begin with /')
  const segments = path.slice(1).replace(/\/$/, '').split('/')
  for (const [i, segment] of segments.entries()) {
    if (segment === '') errors.invalid(path, `segment[${i}] is empty`)
    else {
      for (const message of isDns1123Subdomain(segment)) {
        errors.invalid(path, `segment[${i}]: ${message}`)
      }
    }
  }
}

const KNOWN_REVIEWS = ['v1', 'v1beta1']

/** Whether one of the review versions is supported here, or the list is empty. */
export const hasKnownReview = (versions: readonly string[]): boolean =>
  versions.length === 0 || versions.some((version) => KNOWN_REVIEWS.includes(version))

/** Validates the review versions that a webhook accepts, at `errors`. */
export function validateReviewVersions(
  versions: readonly string[],
  needsKnown: boolean,
  errors: FieldErrors,
): void {
  if (versions.length === 0) {
    errors.required(`must specify one of ${KNOWN_REVIEWS.join(', ')}`)
    return
  }
  const seen = new Set<string>()
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.at(i).invalid(version, 'duplicate version')
    else errors.at(i).invalidAll(version, isDns1035Label(version))
    seen.add(version)
  }
  if (needsKnown && !hasKnownReview(versions)) {
    errors.invalid(versions, `must include at least one of ${KNOWN_REVIEWS.join(', ')}`)
  }
}
