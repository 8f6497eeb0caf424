/** The way of clients to the server that they run in: the verbs of requests, without sockets. */
import type { Body, Call, User } from '../registry/context.ts'
import { contextOnce, type Api, type ReadDependencies } from '../registry/context.ts'
import { shownResult } from '../registry/conversion.ts'
import { freshness, retryIfStale } from '../registry/freshness.ts'
import type { Result } from '../registry/results.ts'
import { runOf } from '../registry/run-of.ts'
import { watch } from '../registry/watch.ts'
import { whileServed } from '../registry/while-served.ts'
import { Pace } from '../base/event-loop.ts'
import type { ImpersonationCheck } from '../authn/impersonation.ts'
import type { Attributes, Authorizer } from '../authz/authorizer.ts'
import { refusal } from '../authz/refusal.ts'
import { pathOf } from '../client/api-path.ts'
import type {
  ApiRequest,
  Followed,
  FollowRequest,
  FollowTarget,
  Place,
  Query,
  RequestVerb,
  ServedResources,
  Transport,
  WatchEvent,
  WatchHandler,
  WatchRequest,
} from '../client/transport.ts'
import { PLAIN } from '../http/form.ts'
import { eventForm, listMetadata } from '../http/represent.ts'
import type { Catalogue, ResourceEntry } from '../catalogue/catalogue.ts'
import { internalError, methodNotAllowed, timeout, tooLarge } from '../meta/errors.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import { META_GROUP } from '../client/meta-group.ts'
import { readVersion } from './cache-entry.ts'
import { servedAt } from './check-place.ts'
import { EventSink } from './event-sink.ts'
import { failureOf } from './failure.ts'
import { followCache, LARGE_BYTES } from './follow-cache.ts'
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

  async send(request: ApiRequest): Promise<unknown> {
    const { api } = this.#options
    const limit = this.#limit(request)
    try {
      const pause = this.#pace.pause()
      if (pause) await pause
      limit.signal.throwIfAborted()
      const deciding = this.#authorize(request, request.verb)
      if (deciding) await deciding
      return await whileServed(async () => {
        const served = servedAt(this.#options.catalogue ?? api.catalogue, request, request.verb)
        const run = runOf(served, request.verb, request.subresource)
        if (!run) throw methodNotAllowed()
        const call = this.#call(served, request, limit.signal)
        const result = await this.#run(call, request, run)
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

  async watch(request: WatchRequest, sink: WatchHandler): Promise<void> {
    const { api } = this.#options
    try {
      await this.#authorize(request, 'watch')
      const signal = AbortSignal.any([request.signal, this.#ending.signal])
      const { served, start } = await whileServed(async () => {
        const found = servedAt(this.#options.catalogue ?? api.catalogue, request, 'watch')
        const call = this.#call(found, request, signal)
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
      const running = start.run(eventForm(api, served, form), events)
      await Promise.race([running, events.failed])
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      throw failureOf(error)
    }
    request.signal.throwIfAborted()
  }

  readonly follow = async <T>(
    request: FollowRequest,
    target: FollowTarget<T>,
  ): Promise<Followed<T> | null> => {
    const { api } = this.#options
    const place: Place = { ...request, name: '', subresource: '' }
    await this.#authorize(place, 'list')
    await this.#authorize(place, 'watch')
    const { metadataOnly } = request
    return whileServed(async () => {
      const served = servedAt(this.#options.catalogue ?? api.catalogue, place, 'watch')
      await api.cache.fresh()
      if (served.conversion?.waiting && !metadataOnly) return null
      return followCache({ api, served, metadataOnly }, request, target)
    })
  }

  discover(): Promise<ServedResources> {
    return Promise.resolve(servedResources(this.#options.api.catalogue))
  }

  readonly generation = (): number => this.#options.api.catalogue.generation

  readonly onGeneration = (call: () => void): (() => void) =>
    this.#options.api.catalogue.subscribe(() => call())

  close(): void {
    this.#ending.abort(new Error('the client is closed'))
  }

  #run(
    call: Call,
    { verb, subresource }: ApiRequest,
    run: (api: Api, call: Call) => Result | Promise<Result>,
  ): Result | Promise<Result> {
    const { api } = this.#options
    if (!api.cache.isShared) return run(api, call)
    if (verb === 'create' && subresource === '') return retryIfStale(api, () => run(api, call))
    const waiting = freshness(api, call, verb)
    return waiting ? waiting.then(() => run(api, call)) : run(api, call)
  }

  /** Null when allowed; a promise when the authorizer is asynchronous. Throws 403. */
  #authorize(place: Place, verb: RequestVerb | 'watch'): Promise<void> | null {
    const { impersonation, user } = this.#options
    const attributes = attributesOf(place, verb)
    if (!impersonation) return this.#ask(user, attributes)
    return (async () => {
      for (const check of impersonation.checks) await this.#ask(user, check)
      await this.#ask(impersonation.user, attributes)
    })()
  }

  #ask(user: User, attributes: Attributes): Promise<void> | null {
    const obey = ({ verdict, reason, error }: Awaited<ReturnType<Authorizer['authorize']>>) => {
      if (verdict === 'allow') return
      if (error !== undefined) throw internalError(error)
      throw refusal(user, attributes, reason)
    }
    const decision = this.#options.authorizer.authorize(user, attributes)
    if (decision instanceof Promise) return decision.then(obey)
    obey(decision)
    return null
  }

  #call(
    served: ResourceEntry,
    request: Place & { readonly query: Query } & Pick<ApiRequest, 'body' | 'mediaType'>,
    signal: AbortSignal,
  ): Call {
    const { api, userAgent } = this.#options
    const { namespace, name, subresource, query } = request
    return {
      served,
      subresource,
      namespace,
      name,
      query: parametersOf(query),
      user: this.#user,
      userAgent,
      body: () => bodyOf(api, request),
      context: contextOnce(api, this.#user, served),
      // Warnings are headers, which have no reader here.
      warn: () => {},
      signal: () => signal,
    }
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

async function bodyOf(
  { largeWork }: ReadDependencies,
  { body, mediaType = 'application/json' }: Pick<ApiRequest, 'body' | 'mediaType'>,
): Promise<Body> {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(formatJson(body))
  if (bytes.length > LARGE_BYTES) await largeWork.wait()
  if (bytes.length > BODY_LIMIT) throw tooLarge(`limit is ${BODY_LIMIT}`)
  return { bytes, mediaType: body === undefined ? '' : mediaType }
}

/** Attributes of the request for authorizers, as over the network. */
function attributesOf(place: Place, verb: RequestVerb | 'watch'): Attributes {
  const { of, name, subresource } = place
  // A namespace is in itself.
  const isNamespace = of.group === '' && of.resource === 'namespaces'
  return {
    isResource: true,
    verb,
    path: pathOf(place),
    group: of.group,
    version: of.version,
    resource: of.resource,
    subresource,
    namespace: isNamespace ? name : place.namespace,
    name,
  }
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
