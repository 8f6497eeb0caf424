import type { Log } from '../base/log.ts'
import { SIGNER_IDS } from '../controllers/certificates/signers.ts'
import type { SigningParts } from '../controllers/certificates/signing.ts'
import { leafSigner } from '../pki/leaf-signer.ts'
import type { Pki } from '../pki/pki.ts'
import type { ServerOptions } from './options/server-options.ts'

/** Longest lifetime of signed certificates unless configured: a year. */
const DURATION_MS = 365 * 86_400_000

/** The authority of the server signs for all signers; none does if its key is kept elsewhere or cannot sign. */
export function signingBy(
  { ca, caKey }: Pick<Pki, 'ca' | 'caKey'>,
  { clusterSigningDurationMs: durationMs = DURATION_MS }: ServerOptions,
  log: Log,
): SigningParts {
  if (caKey === undefined) return { authorities: {}, durationMs }
  try {
    const authority = leafSigner({ cert: ca, key: caKey })
    return { authorities: Object.fromEntries(SIGNER_IDS.map((id) => [id, authority])), durationMs }
  } catch (error) {
    log.warn('certificate requests are not signed', { error: String(error) })
    return { authorities: {}, durationMs }
  }
}
