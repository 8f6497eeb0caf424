/** A serving certificate and its key in a directory, made there when they are absent. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeFolders, OWNER_FILE } from '../base/folders.ts'
import { writeFileAtomically } from './write-file.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 8760 * HOUR_MS

/** The files of a pair. */
export interface KeptPair {
  readonly certFile: string
  readonly keyFile: string
}

/**
 * The pair in a directory. Without one, a pair for these hosts is made, which an authority signs that exists for it
 * alone: its certificate follows in the file, so that clients can trust the file.
 */
export async function keptPair(dir: string, hosts: readonly string[]): Promise<KeptPair> {
  const folder = resolve(dir)
  const certFile = join(folder, 'apiserver.crt')
  const keyFile = join(folder, 'apiserver.key')
  if (existsSync(certFile) && existsSync(keyFile)) return { certFile, keyFile }
  const { issue } = await import('./issue.ts')
  const now = Date.now()
  const name = hosts[0] ?? 'localhost'
  const times = { notBeforeMs: now - HOUR_MS, notAfterMs: now + YEAR_MS }
  const serial = Math.floor(now / 1000)
  const authority = issue({
    ...times,
    subject: { commonName: `${name}-ca@${serial}` },
    use: 'authority',
  })
  const subject = { commonName: `${name}@${serial}` }
  const pair = issue({ ...times, subject, use: 'server', hosts, issuer: authority })
  makeFolders(folder)
  // The key first: a certificate without its key is never the newer one.
  await writeFileAtomically(keyFile, pair.key, OWNER_FILE)
  await writeFileAtomically(certFile, pair.cert + authority.cert, OWNER_FILE)
  return { certFile, keyFile }
}
