import type { ObjectSource } from '../catalogue/object-source.ts'
import { CredentialError } from './authenticator.ts'

/**
 * Reads the objects that a credential depends on, and once more before it is refused: another server may just have
 * created them. For credentials with a valid signature, so that strangers cannot make the server read its store.
 */
export async function retryWithFreshRead<T>(
  objects: ObjectSource,
  look: () => Promise<T>,
): Promise<T> {
  try {
    return await look()
  } catch (error) {
    const waiting = error instanceof CredentialError ? objects.fresh?.() : null
    if (!waiting) throw error
    await waiting
    return look()
  }
}
