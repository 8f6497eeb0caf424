/** Client configurations of users that a test names. */
import type { Clock } from '../base/clock.ts'
import { adminKubeconfig } from '../client/kubeconfig.ts'
import { leafSigner } from '../pki/leaf-signer.ts'
import { newKeyPair } from '../pki/issue.ts'
import { createPublicKey } from 'node:crypto'
import type { ServerParts } from '../server/components/component.ts'

/** A user of a test. */
export interface TestUser {
  readonly name: string
  readonly groups?: readonly string[]
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const BACKDATE_MS = 300_000
const LIFETIME_MS = 3_600_000

/** A configuration with a client certificate of the user. Throws an Error where the server has no authority of its own. */
export async function kubeconfigFor(
  { name, groups = [] }: TestUser,
  parts: Pick<ServerParts, 'pki' | 'api'> & { readonly url: string; readonly clock: Clock },
): Promise<string> {
  const { pki, api, url, clock } = parts
  if (pki.caKey === undefined) throw new Error('the key of the authority is not here')
  const { publicKey, privateKey } = newKeyPair()
  const nowMs = clock.now()
  const cert = await leafSigner({ cert: pki.ca, key: pki.caKey }).sign({
    subject: [...groups.map((group) => [ORGANIZATION, group] as const), [COMMON_NAME, name]],
    publicKey: createPublicKey(publicKey).export({ type: 'spki', format: 'der' }),
    ...{ dnsNames: [], emailAddresses: [], ipAddresses: [], uris: [] },
    usages: ['digital signature', 'client auth'],
    notBeforeMs: nowMs - BACKDATE_MS,
    notAfterMs: nowMs + LIFETIME_MS,
  })
  return adminKubeconfig({ server: url, ca: pki.ca, cert, key: privateKey, vocabulary: api.v })
}
