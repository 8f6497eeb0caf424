import { connects } from '../registry/connect/index.ts'
import { freshness, runFresh } from '../registry/freshness.ts'
import { placeIn } from '../registry/request-place.ts'
import { runOf } from '../registry/run-of.ts'
import { watch, type WatchStart } from '../registry/watch.ts'
import { changing, MOST_TRIES } from '../registry/while-served.ts'
import { contextOnce, type Body, type Call } from '../registry/context.ts'
import type { Result } from '../registry/results.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { badRequest, methodNotAllowed, noSuchResource } from '../meta/errors.ts'
import { formatJson } from '../codec/json-text.ts'
import type { ConnectSubresource, Deprecation } from '../catalogue/resource.ts'
import { CallAttributes } from '../registry/admission.ts'
import { connectOptions } from '../registry/connect/options.ts'
import { ResourceCacheGone } from '../cache/storage-form.ts'
import type { ObjectMeta } from '../meta/object-meta.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { resultResponse } from './response.ts'
import type { ApiResponse, Context, Endpoint } from './context.ts'
import { responseForm, watchForm } from './form.ts'
import { parseContentType } from './media-types.ts'
import { otherVocabularyWarning } from './other-vocabulary.ts'
import { pageNotFound } from './plain-text.ts'
import type { RequestInfo } from './request-info.ts'
import { proxy } from './proxy.ts'
import { remoteResponse } from './remote-apis.ts'
import { eventForm } from './represent.ts'

/** Largest request body, bytes. */
const BODY_LIMIT = 3_145_728

/** Handles a request that passed the filters. Throws StatusError. */
export function dispatch(context: Context): ApiResponse | Promise<ApiResponse> {
  const { info, server } = context
  if (server.remotes.size > 0) {
    const response = remoteResponse(context, server.remotes)
    if (response) return response
  }
  if (!info.isResource) return endpoint(context)
  const served = server.api.catalogue.find(info.group, info.version, info.resource)
  return served ? resource(context, served) : unknownPath(context)
}

/** Another server may already serve what is unknown here, and a client may have learnt of it there. */
function unknownPath(context: Context): ApiResponse | Promise<ApiResponse> {
  const { api } = context.server
  const waiting = api.cache.fresh()
  if (!waiting) return unknownResource(context)
  return waiting.then(() => {
    const remote = remoteResponse(context, context.server.remotes)
    if (remote) return remote
    const { group, version, resource: name } = context.info
    const served = api.catalogue.find(group, version, name)
    return served ? resource(context, served) : unknownResource(context)
  })
}

function endpoint(context: Context): ApiResponse | Promise<ApiResponse> {
  const found = endpointAt(context)
  return found ? endpointResponse(context, found) : unknownEndpoint(context)
}

function endpointAt({ path: sent, server: { endpoints, prefixes } }: Context) {
  const path = sent.length > 1 && sent.endsWith('/') ? sent.slice(0, -1) : sent
  return endpoints.get(path) ?? prefixes.find(([prefix]) => path.startsWith(prefix))?.[1]
}

function endpointResponse(context: Context, found: Endpoint): ApiResponse | Promise<ApiResponse> {
  const { method } = context.exchange
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
  return found(context)
}

/** Groups and versions may be unknown here only, as resources may be. */
function unknownEndpoint(context: Context): ApiResponse | Promise<ApiResponse> {
  const { api, remotes } = context.server
  const waiting = context.path.startsWith('/apis/') ? api.cache.fresh() : null
  if (!waiting) return nothingHere(context)
  return waiting.then(() => {
    const remote = remoteResponse(context, remotes)
    if (remote) return remote
    const found = endpointAt(context)
    return found ? endpointResponse(context, found) : nothingHere(context)
  })
}

/** The 404 of a path, with a warning if a group has another name in this vocabulary. */
function nothingHere(context: Context): ApiResponse {
  const [, apis, group = ''] = context.path.split('/')
  const { catalogue, v } = context.server.api
  if (apis === 'apis') {
    const isServed = (name: string) => catalogue.groups.some((one) => one.group === name)
    const warning = otherVocabularyWarning(v, group, isServed)
    if (warning !== null) context.warn(warning)
  }
  return pageNotFound()
}

/** In a served group version the resource is unknown; elsewhere the path is. */
function unknownResource(context: Context): ApiResponse | Promise<ApiResponse> {
  const { info } = context
  const { catalogue } = context.server.api
  if (catalogue.hasVersion(info.group, info.version)) throw noSuchResource()
  return nothingHere(context)
}

/** State of a request that is kept when it restarts. */
interface Again {
  readonly body?: () => Promise<Body>
  readonly triesLeft: number
}

const FIRST: Again = { triesLeft: MOST_TRIES }

/**
 * Restarts a request with the current catalogue, or rejects it like any request for an unknown resource. Nothing was
 * written: a dependency had been removed, or had changed its form.
 */
function again(
  context: Context,
  error: unknown,
  { body }: Call,
  { triesLeft }: Again = FIRST,
): ApiResponse | Promise<ApiResponse> {
  if (!(error instanceof ResourceCacheGone)) throw error
  if (triesLeft === 0) throw changing()
  // The current entry may have other forms.
  context.form = null
  const { info, server } = context
  const served = server.api.catalogue.find(info.group, info.version, info.resource)
  return served
    ? resource(context, served, { body, triesLeft: triesLeft - 1 })
    : unknownResource(context)
}

function resource(
  context: Context,
  served: ResourceEntry,
  before?: Again,
): ApiResponse | Promise<ApiResponse> {
  const { info, exchange } = context
  const { api } = context.server
  // The scale of every kind is of a declared one.
  context.hasBinary =
    served.protobuf !== null || served.subresources.get(info.subresource)?.serves === 'scale'
  const place = placeIn(served, info, exchange.method)
  if (context.record !== null) context.record.served = served
  const { verb } = info
  if (served.deprecated) warnDeprecated(context, served, served.deprecated)
  const call: Call = {
    served,
    subresource: place.subresource,
    namespace: place.namespace,
    name: place.name,
    query: context.query,
    user: context.user,
    userAgent: exchange.headers['user-agent'] ?? '',
    body: before?.body ?? bodyReader(context),
    context: contextOnce(api, context.user, served),
    warn: (text) => context.warn(text),
    annotate: (key, value, level) => context.annotate(key, value, level),
    record: context.record,
    deadline: () => context.deadline,
    signal: () => exchange.signal,
  }
  const subresource = served.subresources.get(info.subresource)
  if (subresource?.serves === 'connect') return connectAnswer(context, call, subresource)
  if (verb === 'watch') return watchAnswer(context, call, before)
  const run = runOf(served, verb, info.subresource)
  if (!run) throw methodNotAllowed()
  context.showsTables = showsTables(served, info)
  // Reject a write with 406 before it is done; reads negotiate when they respond.
  if (verb !== 'get' && verb !== 'list') responseForm(context)
  const answer = (result: Result | Promise<Result>): ApiResponse | Promise<ApiResponse> =>
    result instanceof Promise
      ? result.then(
          (done) => resultResponse(context, served, done),
          (error) => again(context, error, call, before),
        )
      : resultResponse(context, served, result)
  return answer(runFresh(api, call, verb, run))
}

/** Resources that are only posted have no table: reviews, bindings, evictions, tokens. */
function showsTables(served: ResourceEntry, info: RequestInfo): boolean {
  if (info.subresource !== '') return served.subresources.get(info.subresource)?.serves !== 'action'
  return served.virtual === null || info.verb !== 'create'
}

async function connectAnswer(
  context: Context,
  call: Call,
  { run, kind, reads }: ConnectSubresource,
): Promise<ApiResponse> {
  const { api } = context.server
  if (context.query.has('dryRun')) throw badRequest('dryRun is not supported')
  const connect = connects[run]
  if (!connect) throw methodNotAllowed()
  await api.cache.fresh()
  const { target } = context.exchange
  const mark = target.indexOf('?')
  const path = context.path.replace(/^\/+/, '/')
  const [base, rest] = splitAfter(path, subresourceDepth(context))
  if (!reads) {
    const { group, version } = call.served
    const attributes = new CallAttributes(api, call, {
      operation: 'CONNECT',
      object: connectOptions(call, kind, rest),
      old: null,
      dryRun: false,
      body: { group, version, kind },
    })
    await api.admission.mutate(attributes)
    await api.admission.validate(attributes)
  }
  const place = await connect(api, {
    ...call,
    base,
    rest,
    rawQuery: mark === -1 ? '' : target.slice(mark),
  })
  if (!place) return { status: 204, headers: [], body: '' }
  return proxy(context, place)
}

/** Number of path segments before the rest. */
const subresourceDepth = ({ info }: Context) =>
  (info.prefix === 'api' ? 2 : 3) + (info.namespace === '' ? 0 : 2) + 3

/** Cuts a path after `count` segments. The rest keeps its slash and its encoding. */
function splitAfter(path: string, count: number): [string, string] {
  let at = 0
  for (let i = 0; i < count; i++) {
    at = path.indexOf('/', at + 1)
    if (at === -1) return [path, '']
  }
  return [path.slice(0, at), path.slice(at)]
}

function bodyReader(context: Context): () => Promise<Body> {
  let body: Promise<Body> | null = null
  return () => (body ??= readBody(context))
}

/** Reads the body of a request, once. */
export function readBody(context: Context): Promise<Body> {
  const { exchange, server } = context
  const share = server.bodyMemory.share(context.user.name)
  context.bodyShare = share
  const whole = exchange.takeBody?.(BODY_LIMIT, share)
  if (whole) return Promise.resolve(inTurn(context, whole))
  return exchange.readBody(BODY_LIMIT, share).then((bytes) => inTurn(context, bytes))
}

/** A body that has come, when it may be decoded. */
function inTurn(context: Context, bytes: Buffer): Body | Promise<Body> {
  const { exchange, server } = context
  const mediaType = bodyType(exchange)
  const waiting = server.bodyQueue.wait(bytes.length, () => exchange.signal)
  return waiting
    ? waiting.then(() => receivedBody(context, bytes, mediaType))
    : receivedBody(context, bytes, mediaType)
}

function receivedBody({ server, record }: Context, bytes: Buffer, mediaType: string): Body {
  if (record === null) return { bytes, mediaType }
  const decoded = (metadata: ObjectMeta) => record.decoded(metadata)
  if (server.stages?.wantsBody(record) !== true) return { bytes, mediaType, decoded }
  record.read(bytes, mediaType)
  return {
    bytes,
    mediaType,
    decoded,
    readAs: (value) => record.readAs(Buffer.from(formatJson(value))),
  }
}

/**
 * The media type of a body; empty: none is given. A malformed one is returned as sent, since the decoder of the body
 * knows the supported types and lists them in the refusal.
 */
function bodyType({ method, headers }: Context['exchange']): string {
  const { 'content-type': sent = '' } = headers
  // As in the reference, the parameters of a patch's type are ignored.
  const type = method === 'PATCH' ? sent.split(';', 1)[0]! : sent
  if (type === '' || type === 'application/json') return type
  const parsed = parseContentType(type)
  return parsed ? `${parsed.type}/${parsed.subtype}` : type
}

async function watchAnswer(context: Context, call: Call, before?: Again): Promise<ApiResponse> {
  const { served } = call
  const form = watchForm(context)
  const { api } = context.server
  await freshness(api, call, 'watch')
  let start: WatchStart
  try {
    const initialized = () => context.holds?.initialized?.()
    start = await watch(api, { ...call, initialized })
  } catch (error) {
    return again(context, error, call, before)
  }
  const isBinary = form.type === 'protobuf'
  const events = isBinary
    ? await (await import('./protobuf.ts')).eventMessages(api, served, form)
    : eventForm(api, served, form)
  const counts = context.server.watchMetrics?.of(served)
  const type = isBinary ? `${form.mediaType};stream=watch` : 'application/json'
  return {
    status: 200,
    headers: ['content-type', type],
    body: async (out) => {
      await start.run(counts === undefined ? events : { ...events, counts }, out)
      out.end()
    },
  }
}

/** Reports the use of a deprecated version: as a warning, to the audit record and to metrics. */
function warnDeprecated(context: Context, served: ResourceEntry, deprecation: Deprecation): void {
  const { api, onDeprecated } = context.server
  context.warn(deprecationText(api.v, served, deprecation))
  // The domain of API groups, with its leading dot.
  const domain = api.v.resolve('{api}').slice(1)
  context.annotate(`${domain}/deprecated`, 'true')
  const { removed } = deprecation
  if (removed !== undefined) {
    context.annotate(`${domain}/removed-release`, removed)
  }
  onDeprecated({
    group: served.group,
    version: served.version,
    resource: served.resource,
    subresource: context.info.subresource,
    removedRelease: removed ?? '',
  })
}

function deprecationText(v: Vocabulary, served: ResourceEntry, deprecation: Deprecation): string {
  const { since, removed, use, warning } = deprecation
  if (warning !== undefined) return warning
  const removal = removed === undefined ? '' : `, unavailable in v${removed}+`
  const instead = use === undefined ? '' : `; use ${v.resolve(use)} ${served.kind}`
  return `${served.groupVersion} ${served.kind} is deprecated in v${since}+${removal}${instead}`
}
