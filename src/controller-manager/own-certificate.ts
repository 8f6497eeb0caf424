import { X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readFile } from '../base/files.ts'
import type { Clock } from '../base/clock.ts'
import { forFlag } from '../base/plain-reason.ts'
import { issue } from '../pki/issue.ts'
import { isEnding, isOwnAndEnding } from '../pki/pki.ts'
import { checkKeyPair } from '../pki/pem-check.ts'
import { writeFlushed } from '../pki/write-file.ts'
import { product } from '../vocabulary/index.ts'

const YEAR_MS = 365 * 86_400_000
const NAME = `${product.command}-controller-manager`

/** A certificate and its key, PEM. */
interface Pair {
  readonly cert: string
  readonly key: string
}

/** A certificate that signs itself, for a host; that of a folder, if there is one. It is kept there. */
export async function ownCertificate(host: string, folder: string, clock: Clock): Promise<Pair> {
  if (folder === '') return selfSigned(host, clock)
  return forFlag('cert-dir', async () => {
    const names = { cert: join(folder, `${NAME}.crt`), key: join(folder, `${NAME}.key`) }
    try {
      const pair = {
        cert: await readFile(names.cert, 'utf8'),
        key: await readFile(names.key, 'utf8'),
      }
      checkKeyPair(pair, names)
      if (!isOwnAndEnding(pair.cert, clock.now(), (name, serial) => `${name}@${serial}`))
        return pair
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    const made = selfSigned(host, clock)
    mkdirSync(folder, { recursive: true })
    await writeFlushed(names.cert, made.cert, 0o644)
    await writeFlushed(names.key, made.key, 0o600)
    return made
  })
}

/** Returns a pair unchanged unless its certificate is about to end; then makes a new one. */
export const renewedCertificate = async (
  pair: Pair,
  clock: Clock,
  made: () => Promise<Pair>,
): Promise<Pair> => (isEnding(new X509Certificate(pair.cert), clock.now()) ? made() : pair)

function selfSigned(host: string, clock: Clock): Pair {
  const now = clock.now()
  return issue({
    subject: { commonName: `${host}@${Math.floor(now / 1000)}` },
    notBeforeMs: now - 3_600_000,
    notAfterMs: now + YEAR_MS,
    use: 'server',
    hosts: [host, 'localhost', '127.0.0.1'],
  })
}
