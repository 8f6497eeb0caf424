import { shortened } from '../base/short-text.ts'
import type { FieldError } from './field-errors.ts'
import type { ResourceName } from './resource-name.ts'

/** The `details` of a Status; members that do not apply are absent. */
export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: readonly { reason?: string; message?: string; field?: string }[]
  retryAfterSeconds?: number
}

/** The error document of the API. */
export interface Status {
  kind: 'Status'
  apiVersion: 'v1'
  metadata: Record<string, unknown>
  status: 'Failure' | 'Success'
  message?: string
  reason?: string
  details?: StatusDetails
  code?: number
}

/** Text from the client is limited: UTF-16 units of the message, of a name, of all causes together. */
const MAX_MESSAGE = 65_536
const MAX_NAME = 1024
const MAX_CAUSES = 262_144

function bounded(details: StatusDetails): StatusDetails {
  const { name = '', causes = [] } = details
  let left = MAX_CAUSES
  const fits = ({ message = '', field = '' }: { message?: string; field?: string }) =>
    (left -= message.length + field.length) >= 0
  const end = causes.findIndex((cause) => !fits(cause))
  if (end === -1 && name.length <= MAX_NAME) return details
  const shown = {
    ...details,
    ...(name === '' ? {} : { name: shortened(name, MAX_NAME) }),
  }
  if (end === -1) return shown
  const rest = { message: `${causes.length - end} more are not shown` }
  return { ...shown, causes: [...causes.slice(0, end), rest] }
}

/** An API failure: thrown anywhere below the HTTP layer, encoded in one place. */
export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  /** Metadata of the Status; only `continue` for an expired token. */
  readonly metadata: Record<string, unknown>

  constructor(
    code: number,
    reason: string,
    message: string,
    details?: StatusDetails,
    metadata: Record<string, unknown> = {},
  ) {
    super(shortened(message, MAX_MESSAGE))
    this.name = 'StatusError'
    this.code = code
    this.reason = reason
    this.details = details && bounded(details)
    this.metadata = metadata
  }

  /** The document to send. */
  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    }
  }
}

const qualified = ({ group, resource }: ResourceName) =>
  group === '' ? resource : `${resource}.${group}`

const about = ({ group, resource }: ResourceName, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  ...(resource === '' ? {} : { kind: resource }),
})

export const badRequest = (message: string) => new StatusError(400, 'BadRequest', message)

export const unauthorized = (message = 'Unauthorized') =>
  new StatusError(401, 'Unauthorized', message)

export function forbidden(of: ResourceName | null, name: string, why: string): StatusError {
  if (!of || of.resource === '') return new StatusError(403, 'Forbidden', `forbidden: ${why}`, {})
  const subject = name === '' ? qualified(of) : `${qualified(of)} "${name}"`
  return new StatusError(403, 'Forbidden', `${subject} is forbidden: ${why}`, about(of, name))
}

export const notFound = (of: ResourceName, name: string) =>
  new StatusError(404, 'NotFound', `${qualified(of)} "${name}" not found`, about(of, name))

/** A pod whose disruption budget refuses the eviction; `why` becomes the cause. */
export const evictionRefused = (why: string, retryAfterSeconds: number | undefined) =>
  new StatusError(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [{ reason: 'DisruptionBudget', message: why }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  )

/** An unknown resource or sub-resource below a served group version. */
export const noSuchResource = () =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

/** A method that a known path does not support. */
export const methodNotAllowed = () =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  )

/** A create of an object whose kind is being removed. */
export const createWhileLeaving = ({ group, resource }: ResourceName) =>
  new StatusError(
    405,
    'MethodNotAllowed',
    'create not allowed while custom resource definition is terminating',
    { ...(group === '' ? {} : { group }), kind: resource },
  )

export const notAcceptable = (accepted: readonly string[]) =>
  new StatusError(
    406,
    'NotAcceptable',
    `only the following media types are accepted: ${accepted.join(', ')}`,
  )

export const alreadyExists = (of: ResourceName, name: string, terminating = false) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${terminating ? 'object is being deleted: ' : ''}${qualified(of)} "${name}" already exists`,
    about(of, name),
  )

/** A generated name was taken; clients may try again after a second. */
export const generatedNameTaken = (of: ResourceName, name: string) =>
  new StatusError(
    409,
    'AlreadyExists',
    `${qualified(of)} "${name}" already exists, the server was not able to generate a unique name for the object`,
    { ...about(of, name), retryAfterSeconds: 1 },
  )

export const conflict = (of: ResourceName, name: string, why: string) =>
  new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`,
    about(of, name),
  )

/** Optimistic locking failed. */
export const modified = (of: ResourceName, name: string) =>
  conflict(
    of,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  )

export const expired = (message: string, continueToken?: string) =>
  new StatusError(
    410,
    'Expired',
    message,
    undefined,
    continueToken === undefined ? {} : { continue: continueToken },
  )

export const tooLarge = (why: string, details?: StatusDetails) =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${why}`, details)

/** A limit of the server is exceeded; the client may try again after some seconds. */
export const tooManyRequests = (why: string, retryAfterSeconds: number) =>
  new StatusError(429, 'TooManyRequests', `Too many requests: ${why}`, { retryAfterSeconds })

export const unsupportedMediaType = (accepted: readonly string[]) =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )

/** Field errors of one object. `kind` is the Kind; the message lists equal texts once. */
export function invalid(
  of: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const causes = errors.map(({ reason, message, field }) => ({
    ...{ reason, message },
    // The path of the whole object, as the reference prints it.
    field: field === '' ? '<nil>' : field,
  }))
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))]
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const kind = of.group === '' ? of.kind : `${of.kind}.${of.group}`
  return new StatusError(422, 'Invalid', `${kind} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    causes,
  })
}

/** A patch that does not fit the object; the cause is not shown (behaviour of the reference). */
export const unprocessable = () =>
  new StatusError(
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  )

export const internalError = (why: string) =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, {
    causes: [{ message: why }],
  })

/** An error without a reason, for failures that only have a plain text. */
export const plainError = (message: string, code = 500) => new StatusError(code, '', message)

export const headersTooLarge = () =>
  plainError('the header fields of the request are too large', 431)

export const unavailable = (message: string, retryAfterSeconds?: number) =>
  new StatusError(
    503,
    'ServiceUnavailable',
    message,
    retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
  )

export const timeout = (why: string) => new StatusError(504, 'Timeout', `Timeout: ${why}`, {})

/** A resourceVersion that the store has not reached. */
export const tooNewVersion = (wanted: number, current: number) =>
  new StatusError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  )
