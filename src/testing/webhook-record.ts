/** The record of what a server under test asked webhooks, and what they answered. */
import { AssertionError } from 'node:assert'
import type { ObservedCall } from '../client/json-call.ts'
import { parseJson } from '../codec/json-text.ts'
import { checkMembers, wordsOf } from './request-pattern.ts'

/** One call of a webhook. */
export interface WebhookCall {
  /** Without the query. */
  readonly url: string
  /** Kind of the question, such as `AdmissionReview`. */
  readonly kind: string
  /** What the webhook was asked. */
  readonly request: unknown
  /** What it answered; undefined without an answer. */
  readonly response: unknown
  /** Status of the response; 0 without one. */
  readonly status: number
  /** Why the call failed; empty for a success. A refusal by the webhook is a success. */
  readonly error: string
}

/** Selects calls: those that agree with every member. */
export interface WebhookPattern {
  readonly kind?: string
  /** The URL, or its end, such as `/mutate`. */
  readonly url?: string
}

const MOST = 10_000

/** All calls of webhooks since the start or the last reset. */
export class WebhookRecords {
  #kept: WebhookCall[] = []

  /** In the order in which they ended; at most 10,000. */
  get all(): readonly WebhookCall[] {
    return this.#kept
  }

  /** Those that a pattern selects. */
  find(pattern: WebhookPattern = {}): readonly WebhookCall[] {
    checkMembers(pattern, ['kind', 'url'], 'a pattern')
    const { kind, url } = pattern
    return this.#kept.filter(
      (call) => (kind ?? call.kind) === call.kind && (url === undefined || call.url.endsWith(url)),
    )
  }

  /** Those that a pattern selects. Throws an AssertionError if there are not so many; at least one by default. */
  expect(pattern: WebhookPattern, { times }: { readonly times?: number } = {}) {
    const found = this.find(pattern)
    if (times === undefined ? found.length > 0 : found.length === times) return found
    const shown = this.#kept.map(
      (call) => `  ${call.kind} to ${call.url}: ${call.error || call.status}`,
    )
    throw new AssertionError({
      message: [
        `expected ${times ?? 'at least 1'} calls of webhooks with ${wordsOf(pattern)}, found ${found.length}; recorded:`,
        ...(shown.length === 0 ? ['  none'] : shown.slice(-20)),
      ].join('\n'),
      actual: found.length,
      expected: times ?? 1,
      stackStartFn: this.expect,
    })
  }

  /** Forgets all. */
  clear(): void {
    this.#kept = []
  }

  /** Adds a call. */
  add(observed: ObservedCall): WebhookCall {
    const { url, status, error } = observed
    const request = valueOf(observed.request)
    const kind = (request as { kind?: string } | undefined)?.kind ?? ''
    const call = { url, kind, request, response: valueOf(observed.response), status, error }
    if (this.#kept.length >= MOST) this.#kept = this.#kept.slice(MOST / 10)
    this.#kept.push(call)
    return call
  }
}

/** The value of JSON, the text of what is none, undefined for nothing. */
function valueOf(text: string): unknown {
  if (text === '') return undefined
  try {
    return parseJson(Buffer.from(text))
  } catch {
    return text
  }
}
