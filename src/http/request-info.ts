import type { AttributesMemory } from '../authz/authorizer.ts'
import type { FlowMemory } from '../flowcontrol/matching.ts'

/** Verb, resource and name of a request, parsed from its method and path. */
export interface RequestInfo {
  readonly isResource: boolean
  /** Verb of the API for resources, the method in lower case otherwise; '' for unknown methods. */
  readonly verb: string
  /** The path as sent. */
  readonly path: string
  /** The path contains the verb, as in `/api/v1/watch/pods`, whatever the method. */
  readonly isOldForm: boolean
  readonly prefix: '' | 'api' | 'apis'
  readonly group: string
  readonly version: string
  /** For the Namespace object and its sub-resources this is the name of that namespace. */
  readonly namespace: string
  /** Whether the path names a namespace before the resource; that of a Namespace object does not. */
  readonly isInNamespace: boolean
  readonly resource: string
  readonly subresource: string
  /** From the path, or for list and watch from an exact `metadata.name` field selector, except in the legacy form. */
  readonly name: string
  /** Segments from the resource on, decoded; beyond the third they belong to the sub-resource. */
  readonly parts: readonly string[]
  /** Where decisions about this object are kept; undefined: nowhere. */
  readonly memory?: RequestInfoMemory | undefined
}

/** What was decided about a request, in case that its connection repeats it. */
export type RequestInfoMemory = AttributesMemory & FlowMemory

/** Profiles take as long as asked for. */
const PROFILES = '/debug/pprof/'
const STREAMS = ['attach', 'exec', 'proxy', 'log', 'portforward']

/** Requests without a time limit. */
export const isLongRunning = (info: RequestInfo): boolean =>
  info.verb === 'watch' ||
  info.verb === 'proxy' ||
  (info.isResource
    ? info.subresource !== '' && STREAMS.includes(info.subresource)
    : info.path.startsWith(PROFILES))

/** An ambiguous path; `status` is the HTTP status of the response. */
export class RequestPathError extends Error {
  override readonly name = 'RequestPathError'
  readonly status: 400 | 500

  constructor(status: 400 | 500, message: string) {
    super(message)
    this.status = status
  }
}

/** Placeholder until the path is parsed. */
export const NO_REQUEST: RequestInfo = {
  isResource: false,
  verb: '',
  path: '',
  isOldForm: false,
  prefix: '',
  group: '',
  version: '',
  namespace: '',
  isInNamespace: false,
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  memory: undefined,
}

/**
 * Parses method, path and query (without the question mark). Each segment is decoded once, so an encoded slash stays
 * inside its segment: names must be checked before they become part of a key. Throws RequestPathError.
 */
export function parseRequest(
  method: string,
  path: string,
  query: string,
  memory?: RequestInfoMemory,
): RequestInfo {
  const segments = split(path)
  const first = segments[0]
  const start = first === 'api' ? 2 : first === 'apis' ? 3 : Infinity
  if (segments.length <= start) return nonResource(method, path, memory)

  let at = start
  let verb = verbOf(method)
  const isOldForm = segments[at] === 'proxy' || segments[at] === 'watch'
  if (isOldForm) {
    if (segments.length < at + 2) {
      const url = query === '' ? path : `${path}?${query}`
      throw new RequestPathError(500, `unable to determine kind and namespace from url, ${url}`)
    }
    verb = segments[at++]!
  }

  let namespace = ''
  let isInNamespace = false
  if (segments[at] === 'namespaces' && segments.length > at + 1) {
    namespace = segments[at + 1]!
    isInNamespace = segments.length > at + 2 && !isNamespacePart(segments[at + 2]!)
    if (isInNamespace) at += 2
  }
  const parts = segments.slice(at)
  let name = parts[1] ?? ''
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '')

  if (name === '') {
    if (verb === 'get') {
      verb = query !== '' && requestsWatch(query) ? 'watch' : 'list'
      if (query !== '') name = selectedName(query)
    }
    // A name limits neither create nor deletecollection, in authorization attributes too.
    else if (verb === 'delete') verb = 'deletecollection'
  }

  return {
    isResource: true,
    verb,
    path,
    isOldForm,
    prefix: first as 'api' | 'apis',
    group: start === 3 ? segments[1]! : '',
    version: segments[start - 1]!,
    namespace,
    isInNamespace,
    resource: parts[0]!,
    subresource,
    name,
    parts,
    memory,
  }
}

const nonResource = (
  method: string,
  path: string,
  memory: RequestInfoMemory | undefined,
): RequestInfo => ({
  isResource: false,
  verb: method.toLowerCase(),
  path,
  isOldForm: false,
  prefix: '',
  group: '',
  version: '',
  namespace: '',
  isInNamespace: false,
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  memory,
})

function verbOf(method: string): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return 'delete'
    default:
      return ''
  }
}

// Below a namespace these are sub-resources of the Namespace object, not resources in it.
const isNamespacePart = (segment: string) => segment === 'status' || segment === 'finalize'

/** Segments without leading and trailing slashes; empty ones in between stay. */
function split(path: string): string[] {
  let from = 0
  let end = path.length
  while (from < end && path.charCodeAt(from) === 0x2f) from++
  while (end > from && path.charCodeAt(end - 1) === 0x2f) end--
  if (from === end) return []
  const segments: string[] = []
  for (;;) {
    const slash = path.indexOf('/', from)
    if (slash === -1 || slash >= end) break
    segments.push(path.slice(from, slash))
    from = slash + 1
  }
  segments.push(path.slice(from, end))
  if (path.includes('%')) {
    for (let i = 0; i < segments.length; i++) segments[i] = decodeSegment(segments[i]!)
  }
  return segments
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new RequestPathError(400, `invalid URL escape in path segment ${JSON.stringify(segment)}`)
  }
}

function requestsWatch(query: string): boolean {
  if (!query.includes('watch')) return false
  const value = parseQuery(query).get('watch')?.[0]
  return value !== undefined && value !== '0' && value.toLowerCase() !== 'false'
}

/** The name that a field selector requires; '' when it requires none, or one that cannot exist. */
function selectedName(query: string): string {
  if (!query.includes('fieldSelector')) return ''
  const selector = parseQuery(query).get('fieldSelector')?.[0] ?? ''
  let found = ''
  for (const term of selector.split(',')) {
    const name = requiredName(term)
    if (name === null) continue
    // Two different names select nothing; the client must not choose which of them is authorized.
    if (found !== '' && found !== name) return ''
    found = name
  }
  return found
}

const NAME_FIELD = 'metadata.name'

function requiredName(term: string): string | null {
  if (!term.startsWith(`${NAME_FIELD}=`)) return null
  const name = term.slice(
    term[NAME_FIELD.length + 1] === '=' ? NAME_FIELD.length + 2 : NAME_FIELD.length + 1,
  )
  return isPathSegmentName(name) ? name : null
}

// Backslashes and the other characters belong to escapes, which no valid name needs.
const isPathSegmentName = (name: string) =>
  name !== '' && name !== '.' && name !== '..' && !/[/%\\=,]/.test(name)

/**
 * Parses a query string: every value of each name in order, names without `=` with the value ''. Invalid encodings stay
 * as they are. Names are data: `__proto__` is one like any other.
 */
export function parseQuery(query: string): Map<string, string[]> {
  const result = new Map<string, string[]>()
  let from = 0
  while (from < query.length) {
    let end = query.indexOf('&', from)
    if (end === -1) end = query.length
    if (end > from) {
      let equals = query.indexOf('=', from)
      if (equals === -1 || equals > end) equals = end
      const name = decode(query.slice(from, equals))
      const value = equals < end ? decode(query.slice(equals + 1, end)) : ''
      const values = result.get(name)
      if (values) values.push(value)
      else result.set(name, [value])
    }
    from = end + 1
  }
  return result
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
