import { StatusError } from '../../meta/errors.ts'

/** Whether a create was refused because its namespace is being deleted: it would be refused for ever. */
export const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
