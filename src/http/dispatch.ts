import { create } from '../api/create.ts'
import { deleteCollection, deleteOne } from '../api/delete.ts'
import { get } from '../api/get.ts'
import { list } from '../api/list.ts'
import { patch } from '../api/patch.ts'
import { update } from '../api/update.ts'
import { watch } from '../api/watch.ts'
import type { Api, Body, Call } from '../api/context.ts'
import type { Result } from '../api/results.ts'
import type { Served } from '../schema/catalogue.ts'
import { badRequest, methodNotAllowed, noSuchResource } from '../schema/errors.ts'
import { isPathSegmentName } from '../schema/names.ts'
import type { Deprecation } from '../schema/resource.ts'
import { resultAnswer } from './answer.ts'
import type { Answer, Context } from './context.ts'
import { formOf } from './form.ts'
import { parseMediaType } from './media-types.ts'
import { eventForm } from './represent.ts'

/** Largest request body, bytes. */
const BODY_LIMIT = 3_145_728

const verbs: Readonly<Record<string, (api: Api, call: Call) => Result | Promise<Result>>> = {
  get,
  list,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
}

/** Answers a request that passed the filters. Throws StatusError. */
export function dispatch(context: Context): Answer | Promise<Answer> {
  const { info } = context
  if (!info.isResource) return endpoint(context)
  const served = context.server.api.catalogue.find(info.group, info.version, info.resource)
  if (!served) return unknownResource(context)
  return resource(context, served)
}

function endpoint(context: Context): Answer | Promise<Answer> {
  const path =
    context.path.length > 1 && context.path.endsWith('/') ? context.path.slice(0, -1) : context.path
  const found = context.server.endpoints.get(path)
  if (!found) return pageNotFound()
  const { method } = context.exchange
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
  return found(context)
}

/** Below a served group version there is no such resource; elsewhere there is nothing at all. */
function unknownResource(context: Context): Answer | Promise<Answer> {
  const { info } = context
  const { catalogue } = context.server.api
  if (catalogue.hasVersion(info.group, info.version)) throw noSuchResource()
  return pageNotFound()
}

const pageNotFound = (): Answer => ({
  status: 404,
  headers: ['content-type', 'text/plain; charset=utf-8', 'x-content-type-options', 'nosniff'],
  body: '404 page not found\n',
})

function resource(context: Context, served: Served): Answer | Promise<Answer> {
  const { info, exchange } = context
  const { api } = context.server
  checkShape(context, served)
  const { verb } = info
  if (served.deprecated) context.warnings.add(deprecationText(api, served, served.deprecated))
  const call: Call = {
    served,
    subresource: info.subresource,
    // A Namespace object stands in no namespace, though its path looks like one's.
    namespace: served.namespaced ? info.namespace : '',
    name: info.name,
    query: context.query,
    user: context.user,
    userAgent: exchange.headers['user-agent'] ?? '',
    body: bodyReader(context),
    warn: (text) => context.warnings.add(text),
    signal: () => exchange.signal,
  }
  if (verb === 'watch') return watchAnswer(context, served, call)
  const run = verbs[verb]
  if (!run) throw methodNotAllowed()
  // An answer that nobody can read is not worth a write; reads find out when they answer.
  if (verb !== 'get' && verb !== 'list') formOf(context, { transform: true })
  const result = run(api, call)
  return result instanceof Promise
    ? result.then((done) => resultAnswer(context, served, done))
    : resultAnswer(context, served, result)
}

/** Paths that look like a resource but have no such place or verb. */
function checkShape(context: Context, served: Served): void {
  const { info } = context
  // An encoded slash or dot must not lead to the key of another place.
  for (const part of [info.namespace, info.name]) {
    const wrong = part === '' ? [] : isPathSegmentName(part)
    if (wrong.length > 0)
      throw badRequest(`invalid path segment ${JSON.stringify(part)}: ${wrong[0] ?? ''}`)
  }
  if (info.subresource !== '' && !served.subresources.has(info.subresource)) throw noSuchResource()
  if (info.parts.length > 3) throw noSuchResource()
  if (!served.namespaced && info.namespace !== '' && served.resource !== 'namespaces')
    throw noSuchResource()
  const collection = info.parts.length === 1
  if (info.subresource !== '') {
    if (!['get', 'update', 'patch'].includes(info.verb)) throw methodNotAllowed()
    return
  }
  if (!(served.verbs as readonly string[]).includes(info.verb)) throw methodNotAllowed()
  if (collection && (info.verb === 'update' || info.verb === 'patch')) throw methodNotAllowed()
  if (!collection && info.verb === 'create') throw methodNotAllowed()
  // All namespaces can be read, not written.
  if (served.namespaced && info.namespace === '' && !['list', 'watch'].includes(info.verb)) {
    if (collection) throw methodNotAllowed()
    throw noSuchResource()
  }
}

function bodyReader({ exchange }: Context): () => Promise<Body> {
  let body: Promise<Body> | null = null
  return () =>
    (body ??= exchange.readBody(BODY_LIMIT).then((bytes) => {
      const type = exchange.headers['content-type']
      if (type === undefined) return { bytes, mediaType: '' }
      const parsed = parseMediaType(type)
      if (!parsed) throw badRequest('the Content-Type header is not a media type')
      return { bytes, mediaType: `${parsed.type}/${parsed.subtype}` }
    }))
}

async function watchAnswer(context: Context, served: Served, call: Call): Promise<Answer> {
  const form = formOf(context, { watch: true, transform: true })
  const start = await watch(context.server.api, call)
  const events = eventForm(context.server.api, served, form)
  return {
    status: 200,
    headers: ['content-type', 'application/json'],
    body: async (out) => {
      await start.run(events, out)
      out.end()
    },
  }
}

function deprecationText(api: Api, served: Served, { since, removed, use }: Deprecation): string {
  const gone = removed === undefined ? '' : `, unavailable in v${removed}+`
  const instead = use === undefined ? '' : `; use ${api.v.spell(use)} ${served.kind}`
  return `${served.groupVersion} ${served.kind} is deprecated in v${since}+${gone}${instead}`
}
