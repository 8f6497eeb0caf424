/** Flags about who signs certificates. */
import { readFlagFileSync } from '../../base/flag-file.ts'
import type { ControllerManagerOptions } from '../../controller-manager/controller-manager.ts'
import { durationFlag, fileFlag, FlagError, type Values } from '../../flags/flags.ts'

const section = 'Controllers'

const certificate = (whose: string) =>
  fileFlag({ section, help: `CA certificate that signs ${whose}, PEM.` })
const key = (flag: string) => fileFlag({ section, help: `Private key of --${flag}, PEM.` })

const SERVING = 'serving certificates of node agents'
const CLIENT = 'client certificates of node agents'

/** Flags of the controller that signs certificates. */
export const signingFlags = {
  'cluster-signing-duration': durationFlag({
    section,
    default: '8760h',
    help: 'Longest lifetime of signed certificates. Requests can ask for less.',
  }),
  'cluster-signing-cert-file': certificate('certificates of all signers of the cluster'),
  'cluster-signing-key-file': key('cluster-signing-cert-file'),
  'cluster-signing-nodeagent-serving-cert-file': certificate(SERVING),
  'cluster-signing-nodeagent-serving-key-file': key('cluster-signing-nodeagent-serving-cert-file'),
  'cluster-signing-nodeagent-client-cert-file': certificate(CLIENT),
  'cluster-signing-nodeagent-client-key-file': key('cluster-signing-nodeagent-client-cert-file'),
  'cluster-signing-apiserver-client-cert-file': certificate('other client certificates'),
  'cluster-signing-apiserver-client-key-file': key('cluster-signing-apiserver-client-cert-file'),
  'cluster-signing-legacy-unknown-cert-file': certificate('requests of older versions'),
  'cluster-signing-legacy-unknown-key-file': key('cluster-signing-legacy-unknown-cert-file'),
} as const

type Signing = ControllerManagerOptions['signing']
type SignerId = keyof Signing['authorities']

const OWN_FILES: readonly (readonly [id: SignerId, flags: string])[] = [
  ['agentServing', 'nodeagent-serving-'],
  ['agentClient', 'nodeagent-client-'],
  ['serverClient', 'apiserver-client-'],
  ['legacyUnknown', 'legacy-unknown-'],
]

/** The options that these flags mean. Throws FlagError. */
export function signingOf(values: Values<typeof signingFlags>): Signing {
  const files = values as Readonly<Record<string, unknown>>
  const pairOf = (prefix: string) => {
    const [certFlag, keyFlag] = ['cert', 'key'].map(
      (part) => `cluster-signing-${prefix}${part}-file`,
    ) as [string, string]
    const [certFile, keyFile] = [String(files[certFlag]), String(files[keyFlag])]
    if ((certFile === '') !== (keyFile === '')) {
      const [given, missing] = certFile === '' ? [keyFlag, certFlag] : [certFlag, keyFlag]
      throw new FlagError(`--${given} needs --${missing}`)
    }
    if (certFile === '') return null
    const text = (flag: string, file: string) => readFlagFileSync(flag, file).toString()
    return { cert: text(certFlag, certFile), key: text(keyFlag, keyFile), flag: certFlag }
  }
  const own = OWN_FILES.map(([id, prefix]) => [id, pairOf(prefix)] as const).filter(
    ([, pair]) => pair !== null,
  )
  const general = pairOf('')
  if (general && own.length > 0) {
    throw new FlagError(
      'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    )
  }
  const pairs = general ? OWN_FILES.map(([id]) => [id, general] as const) : own
  return {
    durationMs: values['cluster-signing-duration'],
    authorities: Object.fromEntries(pairs),
  }
}
