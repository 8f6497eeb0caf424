/** The whole Status of a failure, as it is compared with answers. */
export interface Failure {
  readonly code: number
  /** Absent for errors that have a text only. */
  readonly reason?: string
  readonly message: string
  readonly details?: object
}

/** The document of a failure. */
export const failure = ({ code, reason, message, details }: Failure): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason === undefined ? {} : { reason }),
  ...(details === undefined ? {} : { details }),
  code,
})

/** 400. */
export const badRequest = (message: string): Failure => ({
  code: 400,
  reason: 'BadRequest',
  message,
})

/** 422 about one object, with its causes as [field, reason word, message]. */
export function invalid(
  of: { readonly kind: string; readonly group?: string; readonly name?: string },
  causes: readonly (readonly [string, string, string])[],
): Failure {
  const { kind, group = '', name = '' } = of
  const texts = causes.map(([field, , message]) => `${field}: ${message}`)
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return {
    code: 422,
    reason: 'Invalid',
    message: `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${text}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes: causes.map(([field, reason, message]) => ({
        reason: reason === 'InternalError' ? reason : `FieldValue${reason}`,
        message,
        field,
      })),
    },
  }
}
