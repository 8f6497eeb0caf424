/** The certificates that the listener presents, and their reload. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { forFlag } from '../base/plain-reason.ts'
import { ReloadedFiles } from '../base/reloaded-files.ts'
import type { CertificatePair, NamedPair } from '../http/server-names.ts'
import type { Pki } from '../pki/files.ts'
import { checkKeyPair } from '../pki/pem-check.ts'
import type { ServingOptions } from './options/serving-options.ts'
import { parseSniPair } from './options/sni-pair.ts'

/** Name in the server's own certificate; clients ask for it that trust its own authority. */
export const LOOPBACK_NAME = 'apiserver-loopback-client'

/** The standard certificate, and those of certain names. */
export interface PresentedCertificates extends CertificatePair {
  readonly named: readonly NamedPair[]
}

export interface ServingCertificates {
  readonly current: PresentedCertificates
  onChange(call: (certificates: PresentedCertificates) => void): void
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
  if (isKept) ({ certFile, keyFile } = await keptFiles(certDir, hosts?.() ?? ['localhost']))
  const open = (flag: string, what: string, files: readonly [string, string]) =>
    forFlag(flag, () =>
      ReloadedFiles.open({ paths: files, parse: (texts) => pairOf(files, texts), what, ...parts }),
    )
  const own = { cert: pki.servingCert, key: pki.servingKey }
  const standard =
    certFile === ''
      ? null
      : await open(isKept ? 'cert-dir' : 'tls-cert-file', 'the serving certificate', [
          certFile,
          keyFile,
        ])
  const named: {
    readonly names: readonly string[]
    readonly files: ReloadedFiles<CertificatePair>
  }[] = []
  for (const text of sniCertKeys) {
    const pair = parseSniPair(text)
    if (pair === null) throw new Error(`--tls-sni-cert-key must not be ${JSON.stringify(text)}`)
    const { names, certFile: cert, keyFile: key } = pair
    named.push({
      names,
      files: await open('tls-sni-cert-key', 'a certificate for names', [cert, key]),
    })
  }
  const present = (): PresentedCertificates => ({
    ...(standard?.value ?? own),
    named: [
      // First, since this name means the server itself.
      ...(loopback && hasOwnFiles(options) ? [{ ...own, names: [LOOPBACK_NAME] }] : []),
      ...named.map(({ names, files }) => ({ ...files.value, names })),
    ],
  })
  const all = [...(standard ? [standard] : []), ...named.map(({ files }) => files)]
  return {
    get current() {
      return present()
    },
    onChange(call) {
      for (const files of all) files.onChange(() => call(present()))
    },
    close() {
      for (const files of all) files.close()
    },
  }
}

/** The files of a directory, which are made there when they are absent. */
const keptFiles = (dir: string, hosts: readonly string[]) =>
  forFlag('cert-dir', async () => (await import('../pki/kept-pair.ts')).keptPair(dir, hosts))

function pairOf(
  [certFile, keyFile]: readonly [string, string],
  [cert = '', key = '']: readonly string[],
): CertificatePair {
  checkKeyPair({ cert, key }, { cert: certFile, key: keyFile })
  return { cert, key }
}
