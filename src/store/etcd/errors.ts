import { StoreUnavailable } from '../store.ts'
import { type GrpcError, status } from './grpc/status.ts'

/** etcd does not answer, or answers that it cannot serve now. */
export class EtcdUnavailable extends StoreUnavailable {
  override name = 'EtcdUnavailable'
}

/** etcd refuses a request for what it is: asking again does not help. */
export class EtcdRefusal extends Error {
  readonly code: number
  constructor(message: string, code: number, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EtcdRefusal'
    this.code = code
  }
}

/** Whether the history that was asked for is gone. */
export const isCompacted = (error: unknown): boolean =>
  error instanceof EtcdRefusal &&
  error.code === status.OUT_OF_RANGE &&
  error.message.includes('compacted')

/** Whether a lease that a write names has run out. */
export const isLeaseGone = (error: unknown): boolean =>
  error instanceof EtcdRefusal &&
  error.code === status.NOT_FOUND &&
  error.message.includes('lease not found')

/** Whether a failed call says nothing against asking again. */
export const isPassing = (error: GrpcError): boolean =>
  error.code === status.UNAVAILABLE ||
  error.code === status.DEADLINE_EXCEEDED ||
  error.code === status.CANCELLED ||
  error.code === status.INTERNAL ||
  error.code === status.UNKNOWN

/** What to do about refusals that a setting of etcd causes. */
const ADVICE: readonly (readonly [part: string, advice: string])[] = [
  [
    'too many operations in txn',
    'one write changes more keys than etcd allows; raise its --max-txn-ops',
  ],
  ['request is too large', 'the object is larger than etcd takes; raise its --max-request-bytes'],
  ['larger than max', 'the object is larger than etcd takes; raise its --max-request-bytes'],
  [
    'database space exceeded',
    'etcd has reached its quota; compact and defragment it, raise --quota-backend-bytes and disarm its alarm',
  ],
]

/** The error to throw for a call that etcd refused. */
export function refusalOf(error: GrpcError, server: string): EtcdRefusal {
  const advice = ADVICE.find(([part]) => error.details.includes(part))?.[1]
  return new EtcdRefusal(
    `etcd at ${server} refuses: ${error.details}${advice ? ` (${advice})` : ''}`,
    error.code,
    { cause: error },
  )
}
