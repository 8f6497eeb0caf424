/** Where a request goes. What is authorized and what is carried out are one reading of its path, which is checked here. */
import { verbsOf, type ResourceEntry } from '../catalogue/catalogue.ts'
import { badRequest, createWhileLeaving, methodNotAllowed, noSuchResource } from '../meta/errors.ts'
import { isPathSegmentName } from '../meta/names.ts'

/** A request for a resource, as it was authorized. */
export interface AuthorizedPlace {
  readonly verb: string
  /** For a Namespace object and its sub-resources this is the name of that namespace. */
  readonly namespace: string
  /** Whether the path names a namespace before the resource; that of a Namespace object does not. */
  readonly isInNamespace: boolean
  /** Empty for collections; from the path, or for list and watch from a field selector. */
  readonly name: string
  readonly subresource: string
  /** The path contains the verb, as in `/api/v1/watch/pods`. */
  readonly isOldForm: boolean
  /** Segments from the resource on, decoded. */
  readonly parts: readonly string[]
}

/** What a request works on. */
export interface Place {
  /** Empty for cluster scope, and for all namespaces. */
  readonly namespace: string
  readonly name: string
  readonly subresource: string
}

/**
 * The place of a request for a resource. Throws StatusError for paths that look like those of the resource but whose scope
 * or verb does not exist.
 */
export function placeIn(served: ResourceEntry, asked: AuthorizedPlace, method: string): Place {
  const { namespace, name, subresource } = asked
  // An encoded slash or dot must not lead to the key of another object.
  checkSegment(namespace)
  checkSegment(name)
  checkScope(served, asked)
  if (asked.isOldForm) checkOldForm(served, asked, method)
  else checkForm(served, asked)
  // A Namespace object is cluster-scoped, though its path looks namespaced.
  return { namespace: served.namespaced ? namespace : '', name, subresource }
}

function checkSegment(part: string): void {
  const wrong = part === '' ? '' : isPathSegmentName(part)[0]
  if (wrong) throw badRequest(`invalid path segment ${JSON.stringify(part)}: ${wrong}`)
}

/**
 * Rejects cluster-scoped resources below a namespace, to which the permissions of the request may be limited, and namespaced
 * ones whose path names no namespace but an object `namespaces/NAME`.
 */
function checkScope(served: ResourceEntry, { namespace, isInNamespace }: AuthorizedPlace): void {
  const isElsewhere = served.namespaced ? namespace !== '' && !isInNamespace : isInNamespace
  if (isElsewhere) throw noSuchResource()
}

function checkForm(served: ResourceEntry, asked: AuthorizedPlace): void {
  const { verb, namespace, parts } = asked
  const subresource = served.subresources.get(asked.subresource)
  if (asked.subresource !== '' && !subresource) throw noSuchResource()
  const deep = subresource?.serves === 'connect' && subresource.deep === true
  if (parts.length > 3 && !deep) throw noSuchResource()
  const collection = parts.length === 1
  if (subresource) {
    if (served.namespaced && namespace === '') throw noSuchResource()
    if (!(verbsOf(subresource) as readonly string[]).includes(verb)) throw methodNotAllowed()
    return
  }
  if (!(served.verbs as readonly string[]).includes(verb)) throw methodNotAllowed()
  if (served.isLeaving && verb === 'create') throw createWhileLeaving(served)
  if (collection && (verb === 'update' || verb === 'patch')) throw methodNotAllowed()
  if (!collection && verb === 'create') throw methodNotAllowed()
  // Requests for all namespaces are read-only.
  if (served.namespaced && namespace === '' && !['list', 'watch'].includes(verb)) {
    if (collection) throw methodNotAllowed()
    throw noSuchResource()
  }
}

/** Rejects legacy paths that contain the verb, except for collections and objects that can be watched. */
function checkOldForm(served: ResourceEntry, asked: AuthorizedPlace, method: string): void {
  const { verb, namespace, name, parts } = asked
  const isPlace = !served.namespaced || namespace !== '' || name === ''
  if (verb !== 'watch' || !served.verbs.includes('watch') || parts.length > 2 || !isPlace)
    throw noSuchResource()
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
}
