import type { Namespace } from '../kinds/core/namespace.ts'
import { StatusError } from '../meta/errors.ts'

/** Whether a namespace is there and takes new objects. */
export const isOpen = (found: Namespace | null): boolean =>
  found !== null &&
  found.metadata.deletionTimestamp === undefined &&
  found.status?.phase !== 'Terminating'

/** Runs a write; it is no failure if the namespace, or the object to change, was deleted meanwhile. */
export async function whileOpen(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    const isEnding = (error.details?.causes ?? []).some(
      ({ reason }) => reason === 'NamespaceTerminating',
    )
    if (!isEnding && error.reason !== 'NotFound') throw error
  }
}
