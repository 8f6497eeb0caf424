/** The record of what a server under test was asked, by whom, and why it was allowed or refused. */
import { AssertionError } from 'node:assert'
import type { ObservedRequest } from '../http/request-record.ts'
import type { StageSubscriber } from '../http/stages.ts'
import type { User } from '../registry/context.ts'
import { parseJson } from '../codec/json-text.ts'
import {
  agrees,
  checkMembers,
  lineOf,
  PATTERN_MEMBERS,
  wordsOf,
  type RequestFacts,
  type RequestPattern,
} from './request-pattern.ts'
import type { WebhookCall } from './webhook-record.ts'

/** One request, as it ended. Watches and other streams are recorded when they begin. */
export interface RecordedRequest extends RequestFacts {
  /** Path and query as sent. */
  readonly target: string
  /** The user after impersonation; null where the credentials were refused. */
  readonly user: User | null
  /** The user that impersonated; null without impersonation. */
  readonly impersonator: User | null
  /** Whether the authorizers allowed it, and why; null where they were not asked. */
  readonly decision: { readonly allowed: boolean; readonly reason: string } | null
  /** Status of the response; 0: the connection ended without. */
  readonly status: number
  /** Message of the refusal; empty for a success. */
  readonly message: string
  /** JSON of the body, also where it came as YAML or protobuf; its text where it is none; undefined without. */
  readonly body: unknown
  readonly mediaType: string
  /** Object, list or Status of the response; undefined for documents, streams, and without one. */
  readonly response: unknown
  /** The fault that it ran into; empty without. */
  readonly fault: string
  /** Calls of webhooks that it caused, in order. */
  readonly webhooks: readonly WebhookCall[]
  /** Milliseconds since the epoch, of the server's clock. */
  readonly receivedAt: number
  readonly endedAt: number
}

/** How many requests are looked for. */
export interface Times {
  /** Exactly so many; at least one by default. */
  readonly times?: number
}

/** How long to wait for them. */
export interface Patience extends Times {
  /** Milliseconds; 5,000 by default. */
  readonly timeoutMs?: number
}

/** Notes about a request in progress. */
export interface Notes {
  fault: string
  readonly webhooks: WebhookCall[]
}

/** Most requests that are kept; the oldest are forgotten first. */
const MOST = 10_000
const SHOWN = 20
const PATIENCE_MS = 5_000

/** All requests over the network since the start or the last reset. */
export class RequestRecords {
  #kept: RecordedRequest[] = []
  readonly #notes = new WeakMap<ObservedRequest, Notes>()
  readonly #listeners = new Set<() => void>()
  /** Streams that are recorded already. */
  readonly #streams = new WeakSet<ObservedRequest>()

  /** In the order in which they ended; at most 10,000. */
  get all(): readonly RecordedRequest[] {
    return this.#kept
  }

  /** Those that a pattern selects. */
  find(pattern: RequestPattern = {}): readonly RecordedRequest[] {
    checkMembers(pattern, PATTERN_MEMBERS, 'a pattern')
    return this.#kept.filter((request) => agrees(pattern, request))
  }

  /** The only one that a pattern selects. Throws an AssertionError otherwise. */
  one(pattern: RequestPattern): RecordedRequest {
    return this.expect(pattern, { times: 1 })[0]!
  }

  /** Those that a pattern selects. Throws an AssertionError if there are not as many as expected. */
  expect(pattern: RequestPattern, { times }: Times = {}): readonly RecordedRequest[] {
    const found = this.find(pattern)
    if (times === undefined ? found.length > 0 : found.length === times) return found
    throw this.#missed(pattern, found.length, times, this.expect)
  }

  /** Throws an AssertionError if a pattern selects any. */
  none(pattern: RequestPattern): void {
    this.expect(pattern, { times: 0 })
  }

  /** Resolves when a pattern selects so many, or more; one by default. Rejects with an AssertionError after a while. */
  async until(
    pattern: RequestPattern,
    options: Patience = {},
  ): Promise<readonly RecordedRequest[]> {
    const { times = 1, timeoutMs = PATIENCE_MS } = options
    let timer: NodeJS.Timeout | undefined
    let look = () => {}
    try {
      return await new Promise((resolve, reject) => {
        look = () => {
          const found = this.find(pattern)
          if (found.length >= times) resolve(found)
        }
        timer = setTimeout(() => {
          reject(this.#missed(pattern, this.find(pattern).length, times, this.until))
        }, timeoutMs)
        this.#listeners.add(look)
        look()
      })
    } finally {
      clearTimeout(timer)
      this.#listeners.delete(look)
    }
  }

  /** Forgets all. */
  clear(): void {
    this.#kept = []
  }

  /** Notes about a request in progress. */
  notesOf(request: ObservedRequest): Notes {
    let notes = this.#notes.get(request)
    if (!notes) this.#notes.set(request, (notes = { fault: '', webhooks: [] }))
    return notes
  }

  /** Follows the requests of a server. */
  get subscriber(): StageSubscriber {
    return {
      name: 'record of the test',
      wantsBody: () => true,
      responseStarted: (request) => {
        if (!request.isLongRunning) return
        this.#streams.add(request)
        this.#add(request)
      },
      responseComplete: (request) => this.#ended(request),
      panic: (request) => this.#ended(request),
    }
  }

  #ended(request: ObservedRequest): void {
    if (!this.#streams.has(request)) this.#add(request)
  }

  #add(request: ObservedRequest): void {
    if (this.#kept.length >= MOST) this.#kept = this.#kept.slice(MOST / 10)
    this.#kept.push(recorded(request, this.#notes.get(request)))
    for (const look of this.#listeners) look()
  }

  #missed(
    pattern: RequestPattern,
    found: number,
    times: number | undefined,
    stackStartFn: (...args: never[]) => unknown,
  ): AssertionError {
    const wanted =
      times === undefined ? 'at least 1 request' : `${times} request${times === 1 ? '' : 's'}`
    const shown = this.#kept.slice(-SHOWN).map((request) => `  ${lineOf(request)}`)
    const left = this.#kept.length - shown.length
    const message = [
      `expected ${wanted} with ${wordsOf(pattern)}, found ${found}; recorded:`,
      ...(left > 0 ? [`  (${left} before)`] : []),
      ...(shown.length === 0 ? ['  none'] : shown),
    ].join('\n')
    return new AssertionError({ message, actual: found, expected: times ?? 1, stackStartFn })
  }
}

/** What remains of a request. */
function recorded(request: ObservedRequest, notes: Notes | undefined): RecordedRequest {
  const { info, headers, target, decision, failure, bodyType } = request
  const { verb = '', group = '', version = '', resource = '', subresource = '' } = info ?? {}
  const { namespace = '', name = '' } = info ?? {}
  const response = request.responseObject()
  return {
    ...{ verb, group, version, resource, subresource, namespace, name, target },
    method: request.method,
    path: target.split('?', 1)[0]!,
    user: request.user,
    impersonator: request.impersonator,
    userAgent: headers['user-agent'] ?? '',
    decision: decision && { allowed: decision.verdict === 'allow', reason: decision.reason },
    status: request.status,
    message: failure?.message ?? '',
    body: bodyOf(request),
    mediaType: bodyType,
    response: response === null ? undefined : valueOf(response.json),
    fault: notes?.fault ?? '',
    webhooks: notes?.webhooks ?? [],
    receivedAt: request.receivedAt,
    endedAt: request.endedAt,
  }
}

function bodyOf(request: ObservedRequest): unknown {
  if (request.body === null || request.body.length === 0) return undefined
  return valueOf(request.requestObject()?.json ?? request.body)
}

/** The value of JSON, or the text of what is none. */
function valueOf(bytes: Buffer): unknown {
  try {
    return parseJson(bytes)
  } catch {
    return bytes.toString()
  }
}
