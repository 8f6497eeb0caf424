/** What a request is about, read off its method and path (seed 1, Addressing and Verbs). */
export interface RequestInfo {
  readonly isResource: boolean
  /** Verb of the API for resources, the method in lower case otherwise. */
  readonly verb: string
  readonly path: string
  readonly prefix: '' | 'api' | 'apis'
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Segments from the resource on, decoded. */
  readonly parts: readonly string[]
}

/** Stands in until the path is read. */
export const NO_REQUEST: RequestInfo = {
  isResource: false,
  verb: '',
  path: '',
  prefix: '',
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

// Below a namespace these are parts of the Namespace object, not resources in it.
const NAMESPACE_PARTS = new Set(['status', 'finalize'])

/**
 * Reads method, path and query (without the question mark). Each segment is decoded once, so that an encoded
 * slash stays inside its segment. Throws Error on a path that cannot be decoded or lacks what its prefix needs.
 */
export function parseRequest(method: string, path: string, query: string): RequestInfo {
  const segments = split(path)
  const first = segments[0]
  const needed = first === 'api' ? 3 : first === 'apis' ? 4 : Infinity
  if (segments.length < needed) {
    return { ...NO_REQUEST, verb: method.toLowerCase(), path }
  }
  const prefix = first as 'api' | 'apis'
  const group = prefix === 'apis' ? segments[1]! : ''
  const version = segments[needed - 2]!
  let rest = segments.slice(needed - 1)
  let verb = VERBS[method] ?? ''
  if (rest[0] === 'proxy' || rest[0] === 'watch') {
    if (rest.length < 2) throw new Error(`unable to determine kind and namespace from url, ${path}`)
    verb = rest[0]
    rest = rest.slice(1)
  }
  let namespace = ''
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1]!
    if (rest.length > 2 && !NAMESPACE_PARTS.has(rest[2]!)) rest = rest.slice(2)
  }
  const resource = rest[0]!
  let name = rest[1] ?? ''
  const subresource = verb === 'proxy' ? '' : (rest[2] ?? '')
  if (name === '' && verb === 'get') {
    verb = 'list'
    if (query !== '') {
      const parsed = parseQuery(query)
      const watch = parsed.get('watch')?.[0]
      if (watch !== undefined && watch !== '0' && watch.toLowerCase() !== 'false') verb = 'watch'
    }
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection'
  if (name === '' && query !== '' && (verb === 'list' || verb === 'watch' || verb === 'deletecollection')) {
    name = selectedName(query)
  }
  return { isResource: true, verb, path, prefix, group, version, namespace, resource, subresource, name, parts: rest }
}

function split(path: string): string[] {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment !== '') segments.push(segment.includes('%') ? decodeURIComponent(segment) : segment)
  }
  return segments
}

function selectedName(query: string): string {
  if (!query.includes('fieldSelector')) return ''
  const selector = parseQuery(query).get('fieldSelector')?.[0] ?? ''
  const match = /^metadata\.name==?([^,=\\!]+)$/.exec(selector)
  return match ? match[1]! : ''
}

/** Reads a query string; every value of each name in order. Bad encodings stay as they are. */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>()
  if (query === '') return result
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals === -1 ? part : part.slice(0, equals))
    const value = equals === -1 ? '' : decode(part.slice(equals + 1))
    const values = result.get(name)
    if (values) values.push(value)
    else result.set(name, [value])
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
