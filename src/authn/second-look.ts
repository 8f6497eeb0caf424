import type { ObjectSource } from '../catalogue/object-source.ts'
import { CredentialError } from './authenticator.ts'

/**
 * Looks at objects that a credential hangs on, and once more before it is refused: another server may just have made
 * them. For credentials whose signature is good, so that nobody else can make the server ask its store.
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
