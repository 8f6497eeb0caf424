import { StatusError, type Status } from '../meta/errors.ts'

/** Reasons of responses without a Status, by code. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

const MAX_TEXT = 2048

/** The failure that a Status describes, or the response without one. */
export function statusErrorOf(
  status: Partial<Status>,
  { seconds = 0, text = '' }: { readonly seconds?: number; readonly text?: string } = {},
): StatusError {
  const { code = 500, metadata = {} } = status
  const reason = status.reason ?? REASONS[code] ?? ''
  const message =
    status.message ?? (text.trim().slice(0, MAX_TEXT) || `the server answered ${code}`)
  const hasSeconds = (status.details?.retryAfterSeconds ?? 0) > 0
  const details =
    seconds > 0 && !hasSeconds ? { ...status.details, retryAfterSeconds: seconds } : status.details
  return new StatusError(code, reason, message, details, metadata)
}
