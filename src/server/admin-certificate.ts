/** A new certificate for the administrator, from the files of a data directory. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OWNER_FILE } from '../base/folders.ts'
import { issue } from '../pki/issue.ts'
import { writeFileAtomically } from '../pki/write-file.ts'

const DAY_MS = 86_400_000
const BACKDATE_MS = 5 * 60_000
const NAME = 'admin.kubeconfig'

/** What was renewed, and until when it is good. */
export interface RenewedAdmin {
  readonly path: string
  readonly validTo: Date
}

/**
 * Gives the kubeconfig of a data directory a new certificate and key, valid for so many days; the server may run meanwhile.
 * The old certificate stays good until its end. Throws an Error that names the file which is missing or unusable.
 */
export async function renewAdmin(
  dataDir: string,
  { nowMs, days }: { readonly nowMs: number; readonly days: number },
): Promise<RenewedAdmin> {
  const path = join(dataDir, NAME)
  const text = readText(path)
  const [ca, caKey] = ['ca.crt', 'ca.key'].map((name) => readText(join(dataDir, 'pki', name)))
  const present = embedded(text, 'client-certificate-data')
  const { subject } = new X509Certificate(present)
  const commonName = /^CN=(.*)$/m.exec(subject)?.[1] ?? ''
  const end = Math.min(nowMs + days * DAY_MS, Date.parse(new X509Certificate(ca!).validTo))
  // Certificates have whole seconds.
  const validTo = new Date(Math.floor(end / 1000) * 1000)
  const made = issue({
    subject: { commonName, organization: 'system:masters' },
    ...{ notBeforeMs: nowMs - BACKDATE_MS, notAfterMs: validTo.getTime() },
    use: 'client',
    issuer: { cert: ca!, key: caKey! },
  })
  const renewed = withEmbedded(
    withEmbedded(text, 'client-certificate-data', made.cert),
    'client-key-data',
    made.key,
  )
  await writeFileAtomically(path, renewed, OWNER_FILE)
  return { path, validTo }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Error(
      isMissing
        ? `${path} is missing; it is written when a server starts with this data directory`
        : `${path} cannot be read: ${(cause as Error).message}`,
      { cause },
    )
  }
}

const lineOf = (name: string) => new RegExp(`^(\\s*${name}: )(\\S+)$`, 'm')

function embedded(text: string, name: string): string {
  const found = lineOf(name).exec(text)
  if (!found) throw new Error(`${NAME} has no ${name}`)
  return Buffer.from(found[2]!, 'base64').toString()
}

const withEmbedded = (text: string, name: string, pem: string): string =>
  text.replace(lineOf(name), (_, start: string) => start + Buffer.from(pem).toString('base64'))
