/** The certificates that the listener presents, and their reload. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { forFlag, plainReason } from '../base/plain-reason.ts'
import { ReloadedFiles } from '../base/reloaded-files.ts'
import type { CertificatePair, NamedPair } from '../http/server-names.ts'
import type { Pki } from '../pki/files.ts'
import type { WantedPair } from '../pki/kept-pair.ts'
import { checkKeyPair } from '../pki/pem-check.ts'
import type { ServingOptions } from './options/serving-options.ts'
import { parseSniPair } from './options/sni-pair.ts'

/** Name in the server's own certificate; clients ask for it that trust its own authority. */
export const LOOPBACK_NAME = 'apiserver-loopback-client'

const HOUR_MS = 3_600_000

/** The standard certificate, and those of certain names. */
export interface PresentedCertificates extends CertificatePair {
  readonly named: readonly NamedPair[]
}

export interface ServingCertificates {
  readonly current: PresentedCertificates
  onChange(call: (certificates: PresentedCertificates) => void): void
  /** Exchanges the certificate that the server made for itself. */
  replaceOwn(own: OwnCertificate): void
  close(): void
}

/** Whether clients are presented certificates that the server did not create. */
export const hasOwnFiles = ({
  certFile = '',
  certDir = '',
  sniCertKeys = [],
}: ServingOptions): boolean => certFile !== '' || certDir !== '' || sniCertKeys.length > 0

/** The certificate that is presented without files. */
type OwnCertificate = Pick<Pki, 'servingCert' | 'servingKey'>

interface ServingParts {
  readonly clock: Clock
  readonly log: Log
  /** Hosts of a certificate that is made in the directory of the options. */
  readonly hosts?: () => readonly string[]
  /** Whether the server presents its own certificate for {@link LOOPBACK_NAME}, true by default. */
  readonly loopback?: boolean
}

/** Reads the files and follows their changes. Throws an Error that names the flag. */
export async function openServingCertificates(
  options: ServingOptions,
  pki: OwnCertificate,
  { hosts, loopback = true, ...parts }: ServingParts,
): Promise<ServingCertificates> {
  const { certDir = '', sniCertKeys = [] } = options
  let { certFile = '', keyFile = '' } = options
  if ((certFile === '') !== (keyFile === ''))
    throw new Error('--tls-cert-file and --tls-private-key-file must be given together')
  const isKept = certFile === '' && certDir !== ''
  const inDir = () =>
    keptFiles(certDir, { hosts: hosts?.() ?? ['localhost'], nowMs: parts.clock.now() })
  if (isKept) ({ certFile, keyFile } = await inDir())
  const open: OpenPair = (flag, what, files) =>
    forFlag(flag, () =>
      ReloadedFiles.open({ paths: files, parse: (texts) => pairOf(files, texts), what, ...parts }),
    )
  let own = { cert: pki.servingCert, key: pki.servingKey }
  const standard =
    certFile === ''
      ? null
      : await open(isKept ? 'cert-dir' : 'tls-cert-file', 'the serving certificate', [
          certFile,
          keyFile,
        ])
  const named = await namedFiles(sniCertKeys, open)
  const present = (): PresentedCertificates => ({
    ...(standard?.value ?? own),
    named: [
      // First, since this name means the server itself.
      ...(loopback && hasOwnFiles(options) ? [{ ...own, names: [LOOPBACK_NAME] }] : []),
      ...named.map(({ names, files }) => ({ ...files.value, names })),
    ],
  })
  const all = [...(standard ? [standard] : []), ...named.map(({ files }) => files)]
  const listeners = new Set<(certificates: PresentedCertificates) => void>()
  const tell = () => {
    for (const call of listeners) call(present())
  }
  for (const files of all) files.onChange(tell)
  // The files are followed, so that a pair that was made anew is presented.
  const stop = isKept ? everyHour(parts, inDir) : null
  return {
    get current() {
      return present()
    },
    onChange: (call) => void listeners.add(call),
    replaceOwn({ servingCert: cert, servingKey: key }) {
      own = { cert, key }
      tell()
    },
    close() {
      void stop?.()
      for (const files of all) files.close()
    },
  }
}

/** Calls again and again; what fails is logged. Returns what ends that, and resolves when no call is under way. */
export function everyHour(
  { clock, log }: Pick<ServingParts, 'clock' | 'log'>,
  call: () => Promise<unknown>,
): () => Promise<void> {
  let cancel = () => {}
  let running: Promise<unknown> = Promise.resolve()
  const next = () =>
    clock.after(HOUR_MS, () => {
      cancel = next()
      running = call().catch((error: unknown) =>
        log.warn('a certificate cannot be renewed', { error: plainReason(error) }),
      )
    })
  cancel = next()
  return async () => {
    cancel()
    await running
  }
}

interface NamedFiles {
  readonly names: readonly string[]
  readonly files: ReloadedFiles<CertificatePair>
}

type OpenPair = (
  flag: string,
  what: string,
  files: readonly [string, string],
) => Promise<ReloadedFiles<CertificatePair>>

/** The pairs for clients that ask for certain names. */
async function namedFiles(pairs: readonly string[], open: OpenPair): Promise<NamedFiles[]> {
  const named: NamedFiles[] = []
  for (const text of pairs) {
    const pair = parseSniPair(text)
    if (pair === null) throw new Error(`--tls-sni-cert-key must not be ${JSON.stringify(text)}`)
    const { names, certFile, keyFile } = pair
    const files = await open('tls-sni-cert-key', 'a certificate for names', [certFile, keyFile])
    named.push({ names, files })
  }
  return named
}

/** The files of a directory, which are made there when they are absent. */
const keptFiles = (dir: string, wanted: WantedPair) =>
  forFlag('cert-dir', async () => (await import('../pki/kept-pair.ts')).keptPair(dir, wanted))

function pairOf(
  [certFile, keyFile]: readonly [string, string],
  [cert = '', key = '']: readonly string[],
): CertificatePair {
  checkKeyPair({ cert, key }, { cert: certFile, key: keyFile })
  return { cert, key }
}
