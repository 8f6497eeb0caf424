import { StoreFull, StoreRefusal, StoreUnavailable, type StoreRefusalOptions } from '../engine.ts'
import { type GrpcError, status } from './grpc/status.ts'

/** etcd does not respond, or responds that it cannot serve now. */
export class EtcdUnavailable extends StoreUnavailable {
  override name = 'EtcdUnavailable'
}

/** etcd has reached its quota, and takes nothing but deletions. */
export class EtcdFull extends StoreFull {
  override name = 'EtcdFull'
}

/** etcd refuses the request itself: a retry does not help. */
export class EtcdRefusal extends StoreRefusal {
  override name = 'EtcdRefusal'
  readonly code: number
  constructor(message: string, code: number, options?: StoreRefusalOptions) {
    super(message, options)
    this.code = code
  }
}

/** Whether the requested history is compacted. */
export const isCompacted = (error: unknown): boolean =>
  error instanceof EtcdRefusal &&
  error.code === status.OUT_OF_RANGE &&
  error.message.includes('compacted')

/** Whether a lease that a write names has run out. */
export const isLeaseExpired = (error: unknown): boolean =>
  error instanceof EtcdRefusal &&
  error.code === status.NOT_FOUND &&
  error.message.includes('lease not found')

/** Whether a failed call may be retried. */
export const isPassing = (error: GrpcError): boolean =>
  error.code === status.UNAVAILABLE ||
  error.code === status.DEADLINE_EXCEEDED ||
  error.code === status.CANCELLED ||
  error.code === status.INTERNAL ||
  error.code === status.UNKNOWN

/** Cause of a refusal: no room, too much for one request, a passing state of etcd, or a mistake of this server. */
type Sort = 'full' | 'large' | 'unavailable' | 'refusal'

/** Refusals that a setting of etcd causes, by a part of their text, and what to do about them. */
const KNOWN: readonly (readonly [part: string, sort: Sort, advice: string])[] = [
  [
    'too many operations in txn',
    'large',
    'one write changes more keys than etcd allows; raise its --max-txn-ops',
  ],
  ...['request is too large', 'larger than max'].map(
    (part) =>
      [
        part,
        'large',
        'the object is larger than etcd takes; raise its --max-request-bytes',
      ] as const,
  ),
  [
    'database space exceeded',
    'full',
    'etcd has reached its quota; compact and defragment it, raise --quota-backend-bytes and disarm its alarm',
  ],
]

/** Codes about the state of etcd, or its view of this server, and not about one request. */
const OF_ITS_STATE: ReadonlySet<number> = new Set([
  status.PERMISSION_DENIED,
  status.RESOURCE_EXHAUSTED,
  status.FAILED_PRECONDITION,
  status.ABORTED,
  status.UNIMPLEMENTED,
  status.DATA_LOSS,
  status.UNAUTHENTICATED,
])

/** The error to throw for a call that etcd refused: nothing was written. */
export function refusalOf(error: GrpcError, server: string): Error {
  const { code, details } = error
  const [, sort, advice] = KNOWN.find(([part]) => details.includes(part)) ?? [
    '',
    OF_ITS_STATE.has(code) ? 'unavailable' : 'refusal',
    '',
  ]
  const message = `etcd at ${server} refuses: ${details}${advice === '' ? '' : ` (${advice})`}`
  const options = { cause: error }
  if (sort === 'full') return new EtcdFull(message, 'none', options)
  if (sort === 'unavailable') return new EtcdUnavailable(message, 'none', options)
  return new EtcdRefusal(message, code, {
    ...options,
    tooLarge: sort === 'large' ? 'object' : null,
  })
}
