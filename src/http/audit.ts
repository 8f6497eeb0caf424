import type { RequestRecord } from './request-record.ts'
import type { StageSubscriber } from './stages.ts'

/** Records requests. Unlike other subscribers it may delay and refuse them. */
export interface RequestAudit extends StageSubscriber {
  /** The user is known. False: the event could not be stored, and the request must not go on. */
  begins(record: RequestRecord): boolean | Promise<boolean>
  /** Called before the response is written; resolves when its event is stored, null when it need not wait. */
  answers(record: RequestRecord, status: number): Promise<void> | null
}
