/** Refusals in the words in which a server refuses. */
import type { RequestInfo } from '../http/request-info.ts'
import {
  alreadyExists,
  badRequest,
  expired,
  forbidden,
  internalError,
  modified,
  notFound,
  StatusError,
  timeout,
  tooManyRequests,
  unauthorized,
  unavailable,
} from '../meta/errors.ts'

/** The Status that a request is refused with. */
export interface Refusal {
  /** Code of the Status: its reason and message are those of the server for such a request. */
  readonly status?: number
  /** Another reason than that of the code. */
  readonly reason?: string
  /** Another message. */
  readonly message?: string
  /** Seconds after which the client should try again: header and detail of the Status. */
  readonly retryAfterSeconds?: number
}

const WHY = 'fault of the test'

const REFUSALS: Readonly<Record<number, (info: RequestInfo) => StatusError>> = {
  400: () => badRequest(WHY),
  401: () => unauthorized(),
  403: (info) => forbidden(info, info.name, WHY),
  404: (info) => notFound(info, info.name),
  409: (info) => (info.verb === 'create' ? alreadyExists : modified)(info, info.name),
  410: () =>
    expired('The provided continue parameter is too old to display a consistent list result.'),
  429: () => tooManyRequests('please try again later', 1),
  500: () => internalError(WHY),
  503: () => unavailable('the server is currently unable to handle the request', 1),
  504: () => timeout('request did not complete within the allotted timeout'),
}

/** The refusal of a request. */
export function refusalOf(
  { reason, message, retryAfterSeconds }: Refusal,
  code: number,
  info: RequestInfo,
): StatusError {
  const usual = usualRefusal(code, info)
  if (reason === undefined && message === undefined && retryAfterSeconds === undefined) return usual
  const details =
    retryAfterSeconds === undefined ? usual.details : { ...usual.details, retryAfterSeconds }
  return new StatusError(code, reason ?? usual.reason, message ?? usual.message, details)
}

function usualRefusal(code: number, info: RequestInfo): StatusError {
  if (code === 410 && info.verb === 'watch') return expired('too old resource version: 1 (2)')
  return REFUSALS[code]?.(info) ?? new StatusError(code, '', WHY)
}
