/** Texts of failed calls, in the words that operators know from the reference. */
import { STATUS_CODES } from 'node:http'
import { memberOf, type ConfigMap } from './config-values.ts'

const MAX_MESSAGE = 1024

/** A call that failed. Its text names the address and never holds a credential. */
export class CallError extends Error {
  /** Status code of the response; null without a response. */
  readonly code: number | null
  /** Whether it may be different soon. */
  readonly isRetryable: boolean
  /** Delay in milliseconds that the server requested; 0 when it requested none. */
  readonly retryAfterMs: number

  constructor(
    message: string,
    { code = null, isRetryable = false, retryAfterMs = 0, cause }: CallErrorOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.code = code
    this.isRetryable = isRetryable
    this.retryAfterMs = retryAfterMs
  }
}

/** See {@link CallError}. */
export interface CallErrorOptions {
  readonly code?: number | null
  readonly isRetryable?: boolean
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/** Removes secrets from a text that comes from elsewhere. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret !== '') clean = clean.replaceAll(secret, '[secret]')
  return clean
}

/** A response that is not a success. */
export interface FailedAnswer {
  readonly code: number
  /** Value of the `Retry-After` header. */
  readonly retryAfter: string | undefined
  /** The Status in the response, if there is one. */
  readonly status: ConfigMap | null
}

/**
 * The error for a response that is not a success. Retryable: internal failures, time-outs, too many requests, and every
 * response with a Retry-After.
 */
export function answerError(
  prefix: string,
  { code, retryAfter = '', status }: FailedAnswer,
  secrets: readonly string[],
): CallError {
  const said = status ? memberOf(status, 'message') : ''
  const head = `the server answered ${code} ${STATUS_CODES[code] ?? ''}`.trimEnd()
  const text =
    typeof said === 'string' && said !== '' ? `${head}: ${said.slice(0, MAX_MESSAGE)}` : head
  const waitSeconds = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : detailSeconds(status)
  const isPassing = code === 429 || (code >= 500 && code !== 503)
  return new CallError(`${prefix}${withoutSecrets(text, secrets)}`, {
    code,
    isRetryable: isPassing || waitSeconds !== null,
    retryAfterMs: (waitSeconds ?? 0) * 1000,
  })
}

function detailSeconds(status: ConfigMap | null): number | null {
  const details = status && memberOf(status, 'details')
  if (typeof details !== 'object' || details === null) return null
  const seconds = memberOf(details as ConfigMap, 'retryAfterSeconds')
  return typeof seconds === 'number' && seconds > 0 ? seconds : null
}
