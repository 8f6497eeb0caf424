/** Errors of the platform carry facts as members. An attempt at several addresses reports the last. */
export function factsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return factsOf(error.errors.at(-1))
  }
  return error instanceof Error ? (error as unknown as Record<string, unknown>) : {}
}

/** Whether the other side closed the connection while it was in use. */
export function isReset(error: unknown): boolean {
  const { code } = factsOf(error)
  return code === 'ECONNRESET' || code === 'EPIPE'
}
