/** A serving certificate and its key in a directory, made there when they are absent or about to end. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeFolders, OWNER_FILE } from '../base/folders.ts'
import { isOwnAndEnding } from './pki.ts'
import { writeFileAtomically } from './write-file.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 8760 * HOUR_MS

/** The files of a pair. */
export interface KeptPair {
  readonly certFile: string
  readonly keyFile: string
}

/** What a pair is made for. */
export interface WantedPair {
  readonly hosts: readonly string[]
  readonly nowMs: number
}

/**
 * The pair in a directory. Without one, or with one of its own that is about to end, a pair for these hosts is made, which
 * an authority signs that exists for it alone: its certificate follows in the file, so that clients can trust the file.
 */
export async function keptPair(dir: string, { hosts, nowMs }: WantedPair): Promise<KeptPair> {
  const folder = resolve(dir)
  const certFile = join(folder, 'apiserver.crt')
  const keyFile = join(folder, 'apiserver.key')
  const isThere = existsSync(certFile) && existsSync(keyFile)
  if (
    isThere &&
    !isOwnAndEnding(readFileSync(certFile, 'utf8'), nowMs, (name, serial) => `${name}-ca@${serial}`)
  )
    return { certFile, keyFile }
  const { issue } = await import('./issue.ts')
  const name = hosts[0] ?? 'localhost'
  const times = { notBeforeMs: nowMs - HOUR_MS, notAfterMs: nowMs + YEAR_MS }
  const serial = Math.floor(nowMs / 1000)
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
