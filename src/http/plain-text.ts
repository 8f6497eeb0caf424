import type { ApiResponse } from './context.ts'

/** A failure that the reference returns as text, not as a Status. */
export class PlainTextError extends Error {
  override readonly name = 'PlainTextError'
  readonly status: number

  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

/** The 500 of a request that failed before its attributes were known. */
export const internalErrorText = (target: string, why: string): PlainTextError =>
  new PlainTextError(
    500,
    `Internal Server Error: ${JSON.stringify(target)}: ${why}`
      // Client input must not be interpreted as markup where an error is shown.
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  )

/** The response to such a failure. */
export const plainTextResponse = ({ status, message }: PlainTextError): ApiResponse => ({
  status,
  headers: ['content-type', 'text/plain; charset=utf-8', 'x-content-type-options', 'nosniff'],
  body: `${message}\n`,
})

/** The response for an unknown path. */
export const pageNotFound = (): ApiResponse =>
  plainTextResponse(new PlainTextError(404, '404 page not found'))
