import type { Headers } from '../../../http2/hpack.ts'

/** Codes of gRPC that calls end with (gRPC over HTTP/2, Responses). */
export const status = {
  CANCELLED: 1,
  UNKNOWN: 2,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const

/** How a call failed: reported by the server, or detected here. */
export class GrpcError extends Error {
  readonly code: number
  readonly details: string
  /** The call never left this process: there was no connection. */
  readonly isUnsent: boolean

  constructor(code: number, details: string, { isUnsent = false } = {}) {
    super(`${code} ${details}`)
    this.name = 'GrpcError'
    this.code = code
    this.details = details
    this.isUnsent = isUnsent
  }
}

/** The text of a status, percent-encoded as gRPC has it. */
export function detailsOf(headers: Headers): string {
  const text = headers.get('grpc-message') ?? ''
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
