/** The way to a server over the network. */
import type { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { StatusError, type Status } from '../meta/errors.ts'
import type { Registry } from '../metrics/registry.ts'
import { formatJson, parseJson } from '../codec/json-text.ts'
import { pathOf, queryOf } from './api-path.ts'
import { CallError, withoutSecrets } from './call-error.ts'
import { transportProblem } from '../outgoing/transport-problem.ts'
import { isReset } from '../outgoing/platform-errors.ts'
import { bareHost } from './server-address.ts'
import type { CredentialSource } from './credentials.ts'
import type { ShownCredentials } from './standing-credentials.ts'
import { discover } from './discovery.ts'
import { linesOf } from './lines.ts'
import { META_GROUP } from './meta-group.ts'
import { measuredRequest } from './rest-metrics.ts'
import { statusErrorOf } from './status-error.ts'
import type {
  ApiRequest,
  RequestVerb,
  ServedResources,
  Transport,
  WatchEvent,
  WatchHandler,
  WatchRequest,
} from './transport.ts'
import type { Wire, WireAnswer } from './wire.ts'

/** Dependencies of the transport. */
export interface HttpsTransportParts {
  readonly wire: Wire
  readonly credentials: CredentialSource
  readonly clock: Clock
  readonly userAgent: string
  /** Counts every request. */
  readonly metrics?: Registry | undefined
  /** Others use the same connection: it stays when this way is closed. */
  readonly isWireShared?: boolean
}

/** One exchange. */
interface Sending {
  readonly method: string
  readonly path: string
  readonly accept: string
  readonly body?: unknown
  readonly mediaType?: string
  readonly signal: AbortSignal | null
  readonly timeoutMs: number
}

const METHODS: Readonly<Record<RequestVerb, string>> = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
}

const JSON_TYPE = 'application/json'
const asMetadata = (kind: string): string =>
  `${JSON_TYPE};as=${kind};v=v1;g=${META_GROUP},${JSON_TYPE}`
const METADATA = asMetadata('PartialObjectMetadata')
const METADATA_LIST = asMetadata('PartialObjectMetadataList')

/** Connects to a server over HTTPS, with the credentials of a client configuration. */
export class HttpsTransport implements Transport {
  readonly #parts: HttpsTransportParts
  readonly #ending = new AbortController()

  constructor(parts: HttpsTransportParts) {
    this.#parts = parts
  }

  async send(request: ApiRequest): Promise<unknown> {
    const { verb, metadataOnly, timeoutMs } = request
    const isList = verb === 'list' || verb === 'deletecollection'
    const value = await this.#exchange({
      method: METHODS[verb],
      path: pathOf(request) + queryOf(request.query),
      accept: metadataOnly ? (isList ? METADATA_LIST : METADATA) : JSON_TYPE,
      body: request.body,
      ...(request.mediaType === undefined ? {} : { mediaType: request.mediaType }),
      signal: request.signal,
      timeoutMs,
    })
    return isList ? withTypes(value as TypedList) : value
  }

  /** The JSON value of the response to a GET of a path. */
  read(path: string, signal: AbortSignal | null = null): Promise<unknown> {
    return this.#exchange({ method: 'GET', path, accept: JSON_TYPE, signal, timeoutMs: 0 })
  }

  /** The text of the response to a GET of a path. */
  readText(path: string, signal: AbortSignal): Promise<string> {
    const sending: Sending = { method: 'GET', path, accept: '*/*', signal, timeoutMs: 0 }
    return this.#within(sending, async ({ body }) => (await bytesOf(body)).toString('utf8'))
  }

  async watch(request: WatchRequest, sink: WatchHandler): Promise<void> {
    const sending: Sending = {
      method: 'GET',
      path: pathOf(request) + queryOf(request.query),
      accept: request.metadataOnly ? METADATA : JSON_TYPE,
      signal: request.signal,
      timeoutMs: 0,
    }
    await this.#within(sending, async (answer) => {
      for await (const line of linesOf(answer.body)) {
        const waiting = sink(parseJson(line) as WatchEvent)
        if (waiting) await waiting
      }
    })
  }

  discover(signal?: AbortSignal): Promise<ServedResources> {
    return discover((path) => this.read(path, signal ?? null))
  }

  close(): void {
    this.#ending.abort(new CallError('the client is closed'))
    if (this.#parts.isWireShared !== true) this.#parts.wire.close()
  }

  #exchange(sending: Sending): Promise<unknown> {
    return this.#within(sending, async ({ body }) => {
      const bytes = await bytesOf(body)
      try {
        return parseJson(bytes)
      } catch (cause) {
        throw new CallError(`${prefixOf(sending, this.#parts.wire.server)}the answer is not JSON`, {
          cause,
        })
      }
    })
  }

  /** Sends a request and reads a successful response; rejects with StatusError or CallError. */
  async #within<R>(sending: Sending, read: (answer: WireAnswer) => Promise<R>): Promise<R> {
    const { wire, credentials, clock, metrics } = this.#parts
    let ended: ReturnType<typeof measuredRequest> | undefined
    const limit = new AbortController()
    const { signal, timeoutMs } = sending
    const cancel =
      timeoutMs === 0
        ? () => {}
        : clock.after(timeoutMs, () => limit.abort(new CallError('context deadline exceeded')))
    const all = AbortSignal.any([limit.signal, this.#ending.signal, ...(signal ? [signal] : [])])
    let shown: ShownCredentials = { headers: {}, secrets: [] }
    try {
      all.throwIfAborted()
      shown = await credentials.current()
      const body = sending.body === undefined ? null : Buffer.from(formatJson(sending.body))
      const { host } = wire.server
      ended =
        metrics &&
        measuredRequest(metrics, { host, method: sending.method, sent: body?.length ?? 0 })
      const answer = await wire.open(
        {
          method: sending.method,
          path: wire.server.pathname.replace(/\/+$/, '') + sending.path,
          headers: this.#headers(sending, shown),
          body,
          signal: all,
        },
        shown,
      )
      ended?.(answer.status)
      ended = undefined
      if (answer.status === 401) credentials.rejected(shown)
      if (answer.status < 200 || answer.status > 299) throw await failureOf(answer)
      return await read(answer)
    } catch (error) {
      throw this.#failure(error, sending, all, shown.secrets)
    } finally {
      cancel()
      ended?.(0)
    }
  }

  #headers({ accept, body, mediaType = JSON_TYPE }: Sending, shown: ShownCredentials) {
    return {
      accept,
      'user-agent': this.#parts.userAgent,
      ...(body === undefined ? {} : { 'content-type': mediaType }),
      ...shown.headers,
    }
  }

  #failure(
    error: unknown,
    sending: Sending,
    all: AbortSignal,
    secrets: readonly string[],
  ): unknown {
    if (error instanceof StatusError) return error
    if (sending.signal?.aborted) return sending.signal.reason
    const prefix = prefixOf(sending, this.#parts.wire.server)
    const real: unknown = all.aborted ? all.reason : error
    if (real instanceof CallError) {
      const { code, isRetryable, retryAfterMs } = real
      const text = real.message.startsWith(prefix) ? real.message : prefix + real.message
      return new CallError(withoutSecrets(text, secrets), { code, isRetryable, retryAfterMs })
    }
    const problem = transportProblem(real, bareHost(this.#parts.wire.server))
    return new CallError(withoutSecrets(prefix + problem, secrets), {
      isRetryable: isReset(real),
      cause: real,
    })
  }
}

const prefixOf = ({ method, path }: Sending, server: URL): string =>
  `${method.slice(0, 1)}${method.slice(1).toLowerCase()} ${JSON.stringify(server.origin + path)}: `

async function bytesOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
}

/** The failure that a response describes. */
async function failureOf({ status, retryAfter = '', body }: WireAnswer): Promise<StatusError> {
  const seconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0
  const text = (await bytesOf(body)).toString('utf8')
  let said: Partial<Status> = {}
  try {
    const value = parseJson(text)
    if (isStatus(value)) said = value
  } catch {
    // A proxy between server and client may respond with another format.
  }
  return statusErrorOf({ code: status, ...said }, { seconds, text })
}

const isStatus = (value: unknown): value is Partial<Status> =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status'

interface TypedList {
  readonly kind?: string
  readonly apiVersion?: string
  readonly items?: { kind?: string; apiVersion?: string }[] | null
}

const LIST = 'List'

/** Items of a list omit apiVersion and kind; they are set here, as in objects everywhere else. */
function withTypes(list: TypedList): TypedList {
  const { kind = '', apiVersion } = list
  if (!kind.endsWith(LIST) || apiVersion === undefined) return list
  const items = list.items ?? []
  const ofItems = kind.slice(0, -LIST.length)
  return {
    ...list,
    items: items.map((item) =>
      item.kind === undefined || item.kind === '' ? { kind: ofItems, apiVersion, ...item } : item,
    ),
  }
}
