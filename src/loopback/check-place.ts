import type { RequestVerb } from '../client/transport.ts'
import { verbsOf, type Catalogue, type ResourceEntry } from '../catalogue/catalogue.ts'
import { badRequest, createWhileLeaving, methodNotAllowed, noSuchResource } from '../meta/errors.ts'
import { isPathSegmentName } from '../meta/names.ts'
import type { Place } from '../client/transport.ts'

/** Resolves the resource of a request. Throws StatusError for unknown paths, as over the network. */
export function servedAt(
  catalogue: Pick<Catalogue, 'find'>,
  { of, namespace, name, subresource }: Place,
  verb: RequestVerb | 'watch',
): ResourceEntry {
  const served = catalogue.find(of.group, of.version, of.resource)
  if (!served) throw noSuchResource()
  for (const part of [namespace, name]) {
    const wrong = part === '' ? [] : isPathSegmentName(part)
    if (wrong.length > 0)
      throw badRequest(`invalid path segment ${JSON.stringify(part)}: ${wrong[0]!}`)
  }
  if (!served.namespaced && namespace !== '') throw noSuchResource()
  if (subresource !== '') {
    const part = served.subresources.get(subresource)
    if (!part) throw noSuchResource()
    if (!verbsOf(part).includes(verb)) throw methodNotAllowed()
  } else if (!served.verbs.includes(verb)) throw methodNotAllowed()
  else if (served.isLeaving && verb === 'create') throw createWhileLeaving(served)
  const isRead = verb === 'list' || verb === 'watch'
  if (served.namespaced && namespace === '' && !isRead) {
    throw name === '' ? methodNotAllowed() : noSuchResource()
  }
  return served
}
