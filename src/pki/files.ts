import { X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { writeFileAtomically } from './write-file.ts'

/** Everything a server identifies itself and its administrator with, PEM. */
export interface Pki {
  readonly ca: string
  readonly caKey: string
  readonly servingCert: string
  readonly servingKey: string
  readonly adminCert: string
  readonly adminKey: string
  /** Pair that service account tokens are signed with. */
  readonly saPublicKey: string
  readonly saPrivateKey: string
}

export interface PkiOptions {
  readonly vocabulary: Vocabulary
  readonly clock: Clock
  readonly bindAddress: string
}

const DAY_MS = 86_400_000
const CA_LIFETIME_MS = 3650 * DAY_MS
const LEAF_LIFETIME_MS = 365 * DAY_MS
/** A certificate that ends sooner than this is made anew. */
const RENEW_BEFORE_MS = 30 * DAY_MS
/** First address of the default range of service addresses. */
const SERVICE_IP = '10.0.0.1'

const FILES: Readonly<Record<keyof Pki, { name: string; secret: boolean }>> = {
  ca: { name: 'ca.crt', secret: false },
  caKey: { name: 'ca.key', secret: true },
  servingCert: { name: 'apiserver.crt', secret: false },
  servingKey: { name: 'apiserver.key', secret: true },
  adminCert: { name: 'admin.crt', secret: false },
  adminKey: { name: 'admin.key', secret: true },
  saPublicKey: { name: 'sa.pub', secret: false },
  saPrivateKey: { name: 'sa.key', secret: true },
}

/** Makes everything anew, in memory only. */
export async function createPki(options: PkiOptions): Promise<Pki> {
  return complete({}, options)
}

/**
 * Takes what is kept under `<dir>/pki`, makes what is missing or about to end, and keeps that too. The authority
 * stays as long as its files do.
 */
export async function ensurePki(options: PkiOptions & { readonly dir: string }): Promise<Pki> {
  const dir = join(options.dir, 'pki')
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const kept: Partial<Record<keyof Pki, string>> = {}
  await Promise.all(
    (Object.keys(FILES) as (keyof Pki)[]).map(async (part) => {
      const text = await readIfThere(join(dir, FILES[part].name))
      if (text !== null) kept[part] = text
    }),
  )
  const pki = await complete(kept, options)
  for (const part of Object.keys(FILES) as (keyof Pki)[]) {
    if (pki[part] === kept[part]) continue
    const { name, secret } = FILES[part]
    await writeFileAtomically(join(dir, name), pki[part], secret ? 0o600 : 0o644)
  }
  return pki
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function complete(kept: Partial<Record<keyof Pki, string>>, options: PkiOptions): Promise<Pki> {
  const { vocabulary: v, clock, bindAddress } = options
  const nowMs = clock.now()
  const hosts = hostsOf(v, bindAddress)
  const { ca, caKey, servingCert, servingKey, adminCert, adminKey, saPublicKey, saPrivateKey } = kept
  const authority = ca !== undefined && caKey !== undefined
  if (
    authority &&
    servingCert !== undefined &&
    servingKey !== undefined &&
    adminCert !== undefined &&
    adminKey !== undefined &&
    saPublicKey !== undefined &&
    saPrivateKey !== undefined &&
    isUsable(servingCert, nowMs, hosts) &&
    isUsable(adminCert, nowMs, [])
  ) {
    return { ca, caKey, servingCert, servingKey, adminCert, adminKey, saPublicKey, saPrivateKey }
  }
  const { issue, newKeyPair } = await import('./issue.ts')
  const subject = { commonName: v.spell('{brand}-ca') }
  const root = authority
    ? { cert: ca, key: caKey }
    : issue({ subject, nowMs, lifetimeMs: CA_LIFETIME_MS, use: 'authority' })
  const issuer = { ...root, subject }
  const serving =
    authority && servingCert !== undefined && servingKey !== undefined && isUsable(servingCert, nowMs, hosts)
      ? { cert: servingCert, key: servingKey }
      : issue({
          subject: { commonName: v.spell('{system}-apiserver') },
          nowMs,
          lifetimeMs: LEAF_LIFETIME_MS,
          use: 'server',
          hosts,
          issuer,
        })
  const admin =
    authority && adminCert !== undefined && adminKey !== undefined && isUsable(adminCert, nowMs, [])
      ? { cert: adminCert, key: adminKey }
      : issue({
          subject: { commonName: v.spell('{brand}-admin'), organizations: ['system:masters'] },
          nowMs,
          lifetimeMs: LEAF_LIFETIME_MS,
          use: 'client',
          issuer,
        })
  const accounts =
    saPublicKey !== undefined && saPrivateKey !== undefined
      ? { publicKey: saPublicKey, privateKey: saPrivateKey }
      : newKeyPair()
  return {
    ca: root.cert,
    caKey: root.key,
    servingCert: serving.cert,
    servingKey: serving.key,
    adminCert: admin.cert,
    adminKey: admin.key,
    saPublicKey: accounts.publicKey,
    saPrivateKey: accounts.privateKey,
  }
}

function isUsable(pem: string, nowMs: number, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(pem)
  if (Date.parse(certificate.validTo) - RENEW_BEFORE_MS < nowMs) return false
  return hosts.every((host) => certificate.checkHost(host) !== undefined || certificate.checkIP(host) !== undefined)
}

function hostsOf(v: Vocabulary, bindAddress: string): string[] {
  const service = v.spell('{brand}')
  const addresses = ['0.0.0.0', '::'].includes(bindAddress) ? [] : [bindAddress]
  const machine = hostname().toLowerCase()
  return [
    ...new Set([
      'localhost',
      ...(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(machine) ? [machine] : []),
      service,
      `${service}.default`,
      `${service}.default.svc`,
      `${service}.default.svc.cluster.local`,
      '127.0.0.1',
      '::1',
      SERVICE_IP,
      ...addresses,
    ]),
  ]
}
