import { FORM } from '../record.ts'

/** The value of a key cannot be read: its encryption key is missing or wrong, or it was tampered with. */
export class TransformError extends Error {
  readonly key: string
  /** Why, without the key. */
  readonly reason: string
  constructor(key: string, reason: string, message = reason) {
    super(message)
    this.name = 'TransformError'
    this.key = key
    this.reason = reason
  }
}

/** The error of a read of many keys, which names the unreadable one. */
export const unreadableAmong = (key: string, reason: string): TransformError =>
  new TransformError(key, reason, `unable to transform key ${JSON.stringify(key)}: ${reason}`)

// No record and no encrypted value starts so.
const MARK = 0xff

/** Placeholder for an unreadable value in a range, with the cause. */
export const unreadableValue = (reason: string): Uint8Array =>
  Buffer.concat([Buffer.of(MARK), Buffer.from(reason)])

/** Why a value of the store cannot be read as an object: replaced by `unreadableValue`, or no record; else null. */
export function unreadableReason(value: Uint8Array): string | null {
  if (value[0] === FORM) return null
  if (value[0] === MARK) return Buffer.from(value.subarray(1)).toString()
  return 'the stored data is in no known form; it may be encrypted, and no provider be configured'
}
