import { type FieldErrors } from '../../meta/field-errors.ts'
import { isQualifiedName } from '../../meta/names.ts'
import { home, t } from '../../notation/shape.ts'

const { shape } = home('meta/v1')

/** One aspect of the current state of an object, observed by a controller. */
export class Condition extends shape({
  /** Type of the condition, a qualified name in CamelCase. Unique in the list of conditions. */
  type: t.string(1).required(),
  /** Status of the condition: `True`, `False` or `Unknown`. */
  status: t.string(2).required(),
  /**
   * `metadata.generation` for which the condition was set. If it is lower than the current generation, the condition is
   * out of date.
   */
  observedGeneration: t.int64(3),
  /** Time at which the status last changed from one value to another. */
  lastTransitionTime: t.time(4).required(),
  /** Machine-readable reason for the last transition, in CamelCase, at most 1024 bytes. */
  reason: t.string(5).required(),
  /** Human-readable details about the last transition, at most 32 KiB. May be empty. */
  message: t.string(6).required(),
}) {}

const STATUSES = ['False', 'True', 'Unknown']
const MAX_REASON = 1024
const MAX_MESSAGE = 32_768
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/
const REASON_MESSAGE =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"

/** Validates a list of conditions, at `errors`: unique types and all required fields. */
export function validateConditions(
  conditions: readonly Condition[] | undefined,
  errors: FieldErrors,
): void {
  const seen = new Set<string>()
  conditions?.forEach((condition, i) => {
    const at = errors.at(i)
    if (seen.has(condition.type)) at.at('type').duplicate(condition.type)
    seen.add(condition.type)
    validateCondition(condition, at)
  })
}

function validateCondition(condition: Condition, errors: FieldErrors): void {
  const { type, status, observedGeneration = 0, reason, message } = condition
  if (type === '') errors.at('type').required('must be set')
  else errors.at('type').invalidAll(type, isQualifiedName(type))
  if (!STATUSES.includes(status)) errors.at('status').notSupported(status, STATUSES)
  if (observedGeneration < 0) {
    errors
      .at('observedGeneration')
      .invalid(observedGeneration, 'must be greater than or equal to zero')
  }
  if ((condition.lastTransitionTime ?? '') === '') {
    errors.at('lastTransitionTime').required('must be set')
  }
  if (Buffer.byteLength(reason) > MAX_REASON) errors.at('reason').tooLong(MAX_REASON)
  if (reason === '') errors.at('reason').required('must be set')
  else if (!REASON.test(reason)) errors.at('reason').invalid(reason, REASON_MESSAGE)
  if (Buffer.byteLength(message) > MAX_MESSAGE) errors.at('message').tooLong(MAX_MESSAGE)
}
