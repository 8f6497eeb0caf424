import type { Endpoint } from '../context.ts'

/** A document that is the same for all users. */
export const documentEndpoint =
  ({
    headers,
    body,
  }: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }): Endpoint =>
  () => ({ status: 200, headers: Object.entries(headers).flat(), body })
