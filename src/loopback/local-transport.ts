/** The way of clients to the server that they run in: the verbs of requests, without sockets. */
import type { Body, Call, User } from '../registry/context.ts'
import { contextOnce, type Api, type ReadDependencies } from '../registry/context.ts'
import { shownResult } from '../registry/conversion.ts'
import { freshness, runFresh } from '../registry/freshness.ts'
import type { Result } from '../registry/results.ts'
import { placeIn } from '../registry/request-place.ts'
import { runOf } from '../registry/run-of.ts'
import { watch } from '../registry/watch.ts'
import { whileServed } from '../registry/while-served.ts'
import { Pace } from '../base/event-loop.ts'
import type { ImpersonationCheck } from '../authn/impersonation.ts'
import type { Attributes, Authorizer, Decision } from '../authz/authorizer.ts'
import { refusal } from '../authz/refusal.ts'
import type {
  ApiRequest,
  Followed,
  FollowRequest,
  FollowTarget,
  Place,
  Presence,
  PresenceChanged,
  Query,
  RequestVerb,
  ResourceAddress,
  ServedResources,
  Transport,
  WatchEvent,
  WatchHandler,
  WatchRequest,
} from '../client/transport.ts'
import type { RequestAudit } from '../http/audit.ts'
import { PLAIN } from '../http/form.ts'
import { eventForm, listMetadata } from '../http/represent.ts'
import type { RequestInfo } from '../http/request-info.ts'
import type { Catalogue, ResourceEntry } from '../catalogue/catalogue.ts'
import {
  internalError,
  methodNotAllowed,
  noSuchResource,
  timeout,
  tooLarge,
} from '../meta/errors.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import { META_GROUP } from '../client/meta-group.ts'
import { readVersion } from './cache-entry.ts'
import { EventSink } from './event-sink.ts'
import { failureOf } from './failure.ts'
import { followCache, LARGE_BYTES } from './follow-cache.ts'
import { LocalRequest, recorded, recordedFollow } from './local-request.ts'
import { infoOf, METHODS, targetOf } from './place-info.ts'
import { servedResources } from './served-resources.ts'

/** The user that makes the requests. */
export interface LocalTransportOptions {
  readonly api: Api
  /** Authorizes the user. */
  readonly authorizer: Pick<Authorizer, 'authorize'>
  readonly user: User
  /** Impersonation: the permissions to check first, and the resulting user. */
  readonly impersonation?: { readonly checks: readonly ImpersonationCheck[]; readonly user: User }
  /** As the header of the same name. */
  readonly userAgent: string
  /** Catalogue of the resources; the public one by default. */
  readonly catalogue?: Pick<Catalogue, 'find'>
  /** Records the requests; absent or null: they are not recorded. */
  readonly audit?: RequestAudit | null
}

/** Largest request body, bytes. */
const BODY_LIMIT = 3_145_728

/** Runs admission, authorization and all checks of any request; only work that the network needs is left out. */
export class LocalTransport implements Transport {
  readonly #options: LocalTransportOptions
  readonly #user: User
  readonly #ending = new AbortController()
  /** Thousands of requests from memory would never yield: others are served in between. */
  readonly #pace = new Pace()

  constructor(options: LocalTransportOptions) {
    this.#options = options
    this.#user = options.impersonation?.user ?? options.user
  }

  send(request: ApiRequest): Promise<unknown> {
    const { audit } = this.#options
    if (!audit) return this.#send(request, null)
    const record = this.#record(request, request.verb)
    return recorded(audit, record, {
      run: () => this.#send(request, record),
      left: () => request.signal?.aborted === true,
    })
  }

  async #send(request: ApiRequest, record: LocalRequest | null): Promise<unknown> {
    const { api } = this.#options
    const limit = this.#limit(request)
    try {
      const pause = this.#pace.pause()
      if (pause) await pause
      limit.signal.throwIfAborted()
      const info = record?.info ?? infoOf(request, request.verb, request.query)
      const deciding = this.#authorize(info, record)
      if (deciding) await deciding
      return await whileServed(async () => {
        const served = this.#served(info)
        const call = this.#call(served, info, { request, signal: limit.signal, record })
        const run = runOf(served, request.verb, request.subresource)
        if (!run) throw methodNotAllowed()
        const result = await this.#run(call, request, run)
        record?.answered(served, result)
        if (result.is === 'object' && result.version.bytes > LARGE_BYTES) await api.largeWork.wait()
        const waiting = served.conversion?.waiting
        return waiting
          ? plainResult(
              api,
              waiting.shown,
              request.metadataOnly,
              await shownResult(waiting, result),
            )
          : plainResult(api, served, request.metadataOnly, result)
      })
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason
      throw failureOf(error)
    } finally {
      limit.end()
    }
  }

  watch(request: WatchRequest, sink: WatchHandler): Promise<void> {
    const { audit } = this.#options
    if (!audit) return this.#watch(request, sink, null)
    const record = this.#record(request, 'watch')
    return recorded(audit, record, {
      run: () => this.#watch(request, sink, record),
      left: () => request.signal.aborted,
    })
  }

  async #watch(
    request: WatchRequest,
    sink: WatchHandler,
    record: LocalRequest | null,
  ): Promise<void> {
    const { api, audit } = this.#options
    try {
      const info = record?.info ?? infoOf(request, 'watch', request.query)
      await this.#authorize(info, record)
      const signal = AbortSignal.any([request.signal, this.#ending.signal])
      const { served, start } = await whileServed(async () => {
        const found = this.#served(info)
        const call = this.#call(found, info, { request, signal, record })
        await freshness(api, call, 'watch')
        return { served: found, start: await watch(api, call) }
      })
      const form = request.metadataOnly
        ? { ...PLAIN, as: 'PartialObjectMetadata' as const, asVersion: `${META_GROUP}/v1` }
        : PLAIN
      const events = new EventSink((line) => sink(parseJson(line) as WatchEvent))
      // A request that was aborted before it began is not notified of that.
      signal.throwIfAborted()
      signal.addEventListener('abort', () => events.close(), { once: true })
      if (record) {
        record.started(200)
        audit?.responseStarted(record)
      }
      const running = start.run(eventForm(api, served, form), events)
      await Promise.race([running, events.failed])
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      throw failureOf(error)
    }
    request.signal.throwIfAborted()
  }

  readonly follow = <T>(
    request: FollowRequest,
    target: FollowTarget<T>,
  ): Promise<Followed<T> | null> => {
    const { audit } = this.#options
    if (!audit) return this.#follow(request, target, null)
    const record = this.#record({ ...request, name: '', subresource: '' }, 'watch')
    return recordedFollow(audit, record, target, (observed) =>
      this.#follow(request, observed, record),
    )
  }

  async #follow<T>(
    request: FollowRequest,
    target: FollowTarget<T>,
    record: LocalRequest | null,
  ): Promise<Followed<T> | null> {
    const { api } = this.#options
    const place: Place = { ...request, name: '', subresource: '' }
    const info = infoOf(place, 'watch', request.query)
    await this.#authorize(infoOf(place, 'list', request.query), record)
    await this.#authorize(info, record)
    const { metadataOnly } = request
    return whileServed(async () => {
      const served = this.#served(info)
      placeIn(served, info, METHODS.watch)
      await api.cache.fresh()
      if (served.conversion?.waiting && !metadataOnly) return null
      return followCache({ api, served, metadataOnly }, request, target)
    })
  }

  readonly presence = (of: ResourceAddress, changed: PresenceChanged): Presence | null => {
    const { api, catalogue = api.catalogue } = this.#options
    const { storage } = catalogue.find(of.group, of.version, of.resource) ?? {}
    if (storage?.virtual !== null) return null
    const end = api.cache.onChange(storage.keyPrefix, changed)
    return { isEmpty: this.#isEmpty(storage.keyPrefix), end }
  }

  readonly isUnused = async (of: ResourceAddress): Promise<boolean> => {
    const { api, catalogue = api.catalogue } = this.#options
    const { storage } = catalogue.find(of.group, of.version, of.resource) ?? {}
    // What is loaded may be behind the store, and is listed at no cost.
    if (storage?.virtual !== null || api.cache.loaded(storage.keyPrefix)) return false
    return this.#isEmpty(storage.keyPrefix)
  }

  async #isEmpty(prefix: string): Promise<boolean> {
    const pause = this.#pace.pause()
    if (pause) await pause
    return this.#options.api.cache.isEmpty(prefix)
  }

  discover(): Promise<ServedResources> {
    return Promise.resolve(servedResources(this.#options.api.catalogue))
  }

  readonly discoverHere = (): Promise<ServedResources> => this.discover()

  readonly generation = (): number => this.#options.api.catalogue.generation

  readonly onGeneration = (call: () => void): (() => void) =>
    this.#options.api.catalogue.subscribe(() => call())

  close(): void {
    this.#ending.abort(new Error('the client is closed'))
  }

  #run(
    call: Call,
    { verb }: ApiRequest,
    run: (api: Api, call: Call) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    const { api } = this.#options
    return runFresh(api, call, verb, run)
  }

  #record(place: Place & { readonly query: Query }, verb: RequestVerb | 'watch'): LocalRequest {
    const { api, user, userAgent, impersonation } = this.#options
    return new LocalRequest({
      api,
      auditId: api.ids.uid(),
      method: METHODS[verb],
      target: targetOf(place, verb, place.query),
      info: infoOf(place, verb, place.query),
      headers: { 'user-agent': userAgent },
      user: this.#user,
      impersonator: impersonation ? user : null,
    })
  }

  /** Null when allowed; a promise when the authorizer is asynchronous. Throws 403. */
  #authorize(attributes: RequestInfo, record: LocalRequest | null): Promise<void> | null {
    const { impersonation, user } = this.#options
    if (!impersonation) return this.#ask(user, attributes, record)
    return (async () => {
      for (const check of impersonation.checks) await this.#ask(user, check, record)
      await this.#ask(impersonation.user, attributes, record)
    })()
  }

  #ask(user: User, attributes: Attributes, record: LocalRequest | null): Promise<void> | null {
    const obey = (made: Decision) => {
      const { verdict, reason, error } = made
      if (record) this.#decided(record, made)
      if (verdict === 'allow') return
      if (error !== undefined) throw internalError(error)
      throw refusal(user, attributes, reason)
    }
    const decision = this.#options.authorizer.authorize(user, attributes)
    if (decision instanceof Promise) return decision.then(obey)
    obey(decision)
    return null
  }

  /** As the filter that authorizes requests over the network. */
  #decided(record: LocalRequest, decision: Decision): void {
    record.decision = decision
    const { verdict, reason, error } = decision
    if (verdict === 'allow') return
    const { v } = this.#options.api
    if (error === undefined) record.annotate(v.resolve('authorization{api}/decision'), 'forbid')
    record.annotate(
      v.resolve('authorization{api}/reason'),
      error === undefined ? reason : 'internal error',
    )
  }

  /** The resource of a request. Throws StatusError when there is none, as over the network. */
  #served({ group, version, resource }: RequestInfo): ResourceEntry {
    const { api, catalogue = api.catalogue } = this.#options
    const served = catalogue.find(group, version, resource)
    if (!served) throw noSuchResource()
    return served
  }

  #call(served: ResourceEntry, info: RequestInfo, { request, signal, record }: CallParts): Call {
    const { api, userAgent } = this.#options
    return {
      served,
      ...placeIn(served, info, METHODS[request.verb ?? 'watch']),
      query: parametersOf(request.query),
      user: this.#user,
      userAgent,
      body: record
        ? async () => this.#recordedBody(record, await bodyOf(api, request))
        : () => bodyOf(api, request),
      context: contextOnce(api, this.#user, served),
      // Warnings are headers, which have no reader here.
      warn: () => {},
      ...(record ? { record, annotate: record.annotate.bind(record) } : {}),
      signal: () => signal,
    }
  }

  #recordedBody(record: LocalRequest, body: Body): Body {
    if (this.#options.audit?.wantsBody(record) === true) {
      record.body = body.bytes
      record.bodyType = body.mediaType
    }
    return { ...body, decoded: (metadata) => record.decoded(metadata) }
  }

  #limit({ signal, timeoutMs }: ApiRequest) {
    const late = new AbortController()
    const cancel =
      timeoutMs === 0
        ? () => {}
        : this.#options.api.clock.after(timeoutMs, () =>
            late.abort(timeout('the request has not ended in its time')),
          )
    const signals = [this.#ending.signal, ...(signal ? [signal] : [])]
    return {
      signal:
        timeoutMs === 0 && !signal
          ? this.#ending.signal
          : AbortSignal.any([late.signal, ...signals]),
      end: cancel,
    }
  }
}

/** What a call has beside its place. */
interface CallParts {
  /** Without a verb: a watch. */
  readonly request: Pick<ApiRequest, 'query' | 'body' | 'mediaType'> &
    Partial<Pick<ApiRequest, 'verb'>>
  readonly signal: AbortSignal
  readonly record: LocalRequest | null
}

async function bodyOf(
  { largeWork }: ReadDependencies,
  { body, mediaType = 'application/json' }: Pick<ApiRequest, 'body' | 'mediaType'>,
): Promise<Body> {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(formatJson(body))
  if (bytes.length > LARGE_BYTES) await largeWork.wait()
  if (bytes.length > BODY_LIMIT) throw tooLarge(`limit is ${BODY_LIMIT}`)
  return { bytes, mediaType: body === undefined ? '' : mediaType }
}

function parametersOf(query: Query): Call['query'] {
  if (query.length === 0) return NO_QUERY
  const parameters = new Map<string, string[]>()
  for (const [name, value] of query) {
    const values = parameters.get(name)
    if (values) values.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

const NO_QUERY: Call['query'] = new Map()

function plainResult(
  api: ReadDependencies,
  served: ResourceEntry,
  metadataOnly: boolean,
  result: Result,
): unknown {
  const reading = { api, served, metadataOnly }
  switch (result.is) {
    case 'object':
      return readVersion(reading, result.version)
    case 'made':
      return parseJson(result.object.json())
    case 'status':
      return result.body
    case 'list':
      return {
        kind: metadataOnly ? 'PartialObjectMetadataList' : served.listKind,
        apiVersion: metadataOnly ? `${META_GROUP}/v1` : served.groupVersion,
        metadata: listMetadata(result),
        items: result.items.map((version) => readVersion(reading, version)),
      }
  }
}
