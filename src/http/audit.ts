import type { MeasuredParts } from './measured-parts.ts'
import type { ObservedRequest, RequestRecord } from './request-record.ts'
import type { StageSubscriber } from './stages.ts'

/** A request with the state that audit keeps with it. Requests within the process have it too. */
export interface AuditedRequest
  extends ObservedRequest, Pick<RequestRecord, 'identity' | 'hasFault' | 'outcome'> {
  /** Null until it begins. */
  audit: object | null
  /** Made where it is recorded. */
  parts: MeasuredParts | null
}

/** Records requests. Unlike other subscribers it may delay and refuse them. */
export interface RequestAudit extends StageSubscriber {
  /** Whether the body of a request is recorded. */
  wantsBody(record: AuditedRequest): boolean
  /** The user is known. False: the event could not be stored, and the request must not go on. */
  begins(record: AuditedRequest): boolean | Promise<boolean>
  responseStarted(record: AuditedRequest): void
  /** Called before the response is written; resolves when its event is stored, null when it need not wait. */
  answers(record: AuditedRequest, status: number): Promise<void> | null
  responseComplete(record: AuditedRequest): void
  panic(record: AuditedRequest): void
}
