/**
 * Starts that must fail, by the program and embedded: each says in words of ours which flag or option is wrong. The
 * whole of what is said stands here.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issue } from '../src/pki/issue.ts'
import type { ServerOptions } from '../src/server/options/server-options.ts'
import { startServer } from '../src/server/start-server.ts'
import { programOf } from './program.ts'

const ROOT = join(import.meta.dirname, '..')
const dir = mkdtempSync(join(tmpdir(), 'start-errors-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}
const made = () =>
  issue({
    subject: { commonName: 'x' },
    notBeforeMs: Date.now() - 60_000,
    notAfterMs: Date.now() + 3_600_000,
    use: 'client',
  })
const [own, other] = [made(), made()]
const block = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`
const none = join(dir, 'none')
const folder = join(dir, 'folder')
mkdirSync(folder)
const words = file('words', 'words')
const cert = file('own.crt', own.cert)
const key = file('own.key', own.key)
const otherKey = file('other.key', other.key)
const badCert = file('bad.crt', block('CERTIFICATE'))
const badKey = file('bad.key', block('PRIVATE KEY'))
const badYaml = file('bad.yaml', 'kind: [')

const busy = createServer()
let port = 0
beforeAll(async () => {
  busy.listen(0, '127.0.0.1')
  await once(busy, 'listening')
  port = (busy.address() as { port: number }).port
})
afterAll(() => busy.close())

let starts = 0

/** What the program says; it always starts on a port and in a data directory of its own. */
async function said(args: readonly string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(
    process.execPath,
    [...programOf(), 'server', `--data-dir=${join(dir, `data-${starts++}`)}`, ...args],
    { cwd: ROOT },
  )
  let text = ''
  child.stdout.on('data', (data: Buffer) => (text += data.toString()))
  child.stderr.on('data', (data: Buffer) => (text += data.toString()))
  // One that starts after all would never end.
  child.stdout.once('data', () => child.kill('SIGKILL'))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}

/** A flag's error, and the same of the option in its place; `null` where the option is not like that. */
interface Row {
  readonly args: string
  readonly flag: string
  readonly options: ServerOptions | null
  /** What is said of options, if it is not the same with another name. */
  readonly option?: string
  readonly names?: readonly (readonly [flag: string, option: string])[]
  /** Whether it is found before anything is touched. */
  readonly early?: boolean
}

const authentication = (options: NonNullable<ServerOptions['authentication']>) => ({
  authentication: options,
})
const etcd = (options: object) => ({
  etcd: { servers: ['https://127.0.0.1:1'], prefix: '/registry', ...options },
})
const ENABLE = [
  ['--enable-admission-plugins', 'enableAdmissionPlugins'],
  ['--disable-admission-plugins', 'disableAdmissionPlugins'],
] as const
const CONFIG = [['--admission-control-config-file', 'admissionConfigFile']] as const
const admissionConfig = (plugins: string) =>
  `kind: AdmissionConfiguration\napiVersion: apiserver.config.orch.io/v1\nplugins: ${plugins}\n`
const EGRESS = [['--egress-selector-config-file', 'egressSelectorConfigFile']] as const
const tlsConfig = `{caBundle: ${badCert}, clientCert: ${cert}, clientKey: ${key}}`
const egress = file(
  'egress.yaml',
  `kind: EgressSelectorConfiguration
apiVersion: apiserver.orch.io/v1beta1
egressSelections:
- name: etcd
  connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: "https://a", tlsConfig: ${tlsConfig}}}}
`,
)
const ETCD = '--etcd-servers=https://127.0.0.1:1'
const OIDC = '--oidc-issuer-url=https://127.0.0.1:1 --oidc-client-id=a'
const oidc = { issuerUrl: 'https://127.0.0.1:1', clientId: 'a' }

const ROWS: readonly Row[] = [
  { args: '--prot=1', flag: 'unknown flag: --prot', options: null, early: true },
  {
    args: '--port=1',
    flag: 'unknown flag: --port (did you mean --secure-port?)',
    options: null,
    early: true,
  },
  {
    args: '--secure-port=65536',
    flag: '--secure-port must be from 0 to 65535, not 65536',
    options: { port: 65_536 },
    option: 'port must be a whole number from 0 to 65535, not 65536',
    early: true,
  },
  {
    args: '--request-timeout=5',
    flag: '--request-timeout must be a duration such as 30s, 1m30s or 2h, not "5"',
    options: null,
    early: true,
  },
  {
    args: '--vocabulary=english',
    flag: '--vocabulary must be one of orch, kubernetes, not "english"',
    options: { vocabulary: 'english' as 'orch' },
    option: 'vocabulary must be one of orch, kubernetes, not "english"',
    early: true,
  },
  {
    args: '--bind-address=localhost',
    flag: '--bind-address must be an IP address, not "localhost"',
    options: { bindAddress: 'localhost' },
    option: 'bindAddress must be an IP address, not "localhost"',
    early: true,
  },
  {
    args: '--bind-address=192.0.2.1',
    flag: 'address 192.0.2.1 is not one of this machine; choose another with --bind-address',
    options: { bindAddress: '192.0.2.1' },
    names: [['--bind-address', 'bindAddress']],
  },
  {
    args: '--feature-gates=NoSuchGate=true',
    flag: '--feature-gates: unrecognized feature gate: NoSuchGate',
    options: { featureGates: { NoSuchGate: true } },
    names: [['--feature-gates', 'featureGates']],
  },
  {
    args: '--feature-gates=NoSuchGate=on',
    flag: '--feature-gates must have true or false for "NoSuchGate", not "NoSuchGate=on"',
    options: null,
    early: true,
  },
  {
    args: '--runtime-config=apps',
    flag: '--runtime-config: invalid key "apps"',
    options: { runtimeConfig: { apps: true } },
    names: [['--runtime-config', 'runtimeConfig']],
  },
  {
    args: '--service-cluster-ip-range=10.0.0.0',
    flag: '--service-cluster-ip-range: 10.0.0.0 is no network such as 10.0.0.0/24',
    options: { serviceClusterIpRange: '10.0.0.0' },
    names: [['--service-cluster-ip-range', 'serviceClusterIpRange']],
  },
  {
    args: `--client-ca-file=${none}`,
    flag: `--client-ca-file: cannot use the authorities in ${none}: there is no such file`,
    options: authentication({ clientCaFile: none }),
    names: [['--client-ca-file', 'authentication.clientCaFile']],
  },
  {
    args: `--client-ca-file=${words}`,
    flag: `--client-ca-file: cannot use the authorities in ${words}: it holds no certificate`,
    options: authentication({ clientCaFile: words }),
    names: [['--client-ca-file', 'authentication.clientCaFile']],
  },
  {
    args: `--client-ca-file=${badCert}`,
    flag: `--client-ca-file: cannot use the authorities in ${badCert}: it holds a certificate that cannot be read`,
    options: authentication({ clientCaFile: badCert }),
    names: [['--client-ca-file', 'authentication.clientCaFile']],
  },
  {
    args: `--token-auth-file=${folder}`,
    flag: `--token-auth-file: cannot read ${folder}: it is a folder`,
    options: authentication({ tokenAuthFile: folder }),
    names: [['--token-auth-file', 'authentication.tokenAuthFile']],
  },
  {
    args: `--service-account-key-file=${badKey}`,
    flag: `--service-account-key-file: ${badKey}: no RSA or ECDSA key to verify with`,
    options: authentication({ serviceAccounts: { keyFiles: [badKey] } }),
    names: [['--service-account-key-file', 'authentication.serviceAccounts.keyFiles']],
  },
  {
    args: `--service-account-signing-key-file=${words}`,
    flag: `--service-account-signing-key-file: ${words}: no RSA or ECDSA private key`,
    options: authentication({ serviceAccounts: { signingKeyFile: words } }),
    names: [
      ['--service-account-signing-key-file', 'authentication.serviceAccounts.signingKeyFile'],
    ],
  },
  {
    args: '--oidc-issuer-url=http://a --oidc-client-id=b',
    flag: '--oidc-issuer-url "http://a" must be an https URL',
    options: authentication({ oidc: { issuerUrl: 'http://a', clientId: 'b' } }),
    names: [['--oidc-issuer-url', 'authentication.oidc.issuerUrl']],
  },
  {
    args: `${OIDC} --oidc-ca-file=${badCert}`,
    flag: `--oidc-ca-file: ${badCert} holds a certificate that cannot be read`,
    options: authentication({ oidc: { ...oidc, caFile: badCert } }),
    names: [['--oidc-ca-file', 'authentication.oidc.caFile']],
  },
  {
    args: `--authentication-token-webhook-config-file=${badYaml}`,
    flag: `--authentication-token-webhook-config-file: cannot use the client configuration ${badYaml}: it is no YAML: line 1: unexpected end of the stream within a flow collection`,
    options: authentication({ webhook: { configFile: badYaml } }),
    names: [['--authentication-token-webhook-config-file', 'authentication.webhook.configFile']],
  },
  {
    args: '--authorization-mode=rbac',
    flag: '--authorization-mode "rbac" is none of AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
    options: { authorization: { modes: ['rbac'] } },
    names: [['--authorization-mode', 'authorization.modes']],
  },
  {
    args: '--authorization-mode=ABAC',
    flag: '--authorization-mode ABAC needs --authorization-policy-file',
    options: { authorization: { modes: ['ABAC'] } },
    names: [
      ['--authorization-mode', 'authorization.modes'],
      ['--authorization-policy-file', 'authorization.policyFile'],
    ],
  },
  {
    args: `--authorization-mode=ABAC --authorization-policy-file=${words}`,
    flag: `--authorization-policy-file: error reading policy file ${words}, line 1: words: it is no JSON`,
    options: { authorization: { modes: ['ABAC'], policyFile: words } },
    names: [['--authorization-policy-file', 'authorization.policyFile']],
  },
  {
    args: '--enable-admission-plugins=NamespaceLifecycle,Mine',
    flag: '--enable-admission-plugins plugin "Mine" is unknown',
    options: { enableAdmissionPlugins: ['NamespaceLifecycle', 'Mine'] },
    names: ENABLE,
  },
  {
    args: '--admission-control=NamespaceLifecycle,Mine --enable-admission-plugins=AlwaysDeny',
    flag: '--admission-control and --enable-admission-plugins/--disable-admission-plugins flags are mutually exclusive; --admission-control plugin "Mine" is unknown',
    options: {
      admissionControl: ['NamespaceLifecycle', 'Mine'],
      enableAdmissionPlugins: ['AlwaysDeny'],
    },
    names: [...ENABLE, ['--admission-control', 'admissionControl']],
  },
  {
    args: '--enable-admission-plugins=PodSecurityPolicy',
    flag: '--enable-admission-plugins plugin "PodSecurityPolicy" was removed in this release; use PodSecurity',
    options: { enableAdmissionPlugins: ['PodSecurityPolicy'] },
    names: ENABLE,
  },
  {
    args: '--disable-admission-plugins=ServiceAccount,namespacelifecycle',
    flag: '--disable-admission-plugins plugin "namespacelifecycle" is unknown',
    options: { disableAdmissionPlugins: ['ServiceAccount', 'namespacelifecycle'] },
    names: ENABLE,
  },
  {
    args: '--enable-admission-plugins=NamespaceLifecycle,CertificateSigning,NamespaceLifecycle --disable-admission-plugins=NamespaceLifecycle,CertificateSigning',
    flag: '[CertificateSigning NamespaceLifecycle] in --enable-admission-plugins and --disable-admission-plugins overlapped',
    options: {
      enableAdmissionPlugins: ['NamespaceLifecycle', 'CertificateSigning', 'NamespaceLifecycle'],
      disableAdmissionPlugins: ['NamespaceLifecycle', 'CertificateSigning'],
    },
    names: ENABLE,
  },
  {
    args: `--admission-control-config-file=${none}`,
    flag: `--admission-control-config-file: cannot read ${none}: there is no such file`,
    options: { admissionConfigFile: none },
    names: CONFIG,
  },
  ...[
    [
      'words',
      'expected an AdmissionConfiguration of apiVersion apiserver.config.orch.io/v1 or apiserver.config.orch.io/v1alpha1',
    ],
    [
      'kind: AdmissionConfiguration\napiVersion: apiserver.config.orch.io/v1\nplugin: []',
      'unknown field "plugin"',
    ],
    [admissionConfig('{}'), 'plugins: must be a list'],
    [admissionConfig('[a]'), 'plugins[0]: must be an object'],
    [admissionConfig('[{path: x}]'), 'plugins[0].name: Required value'],
    [admissionConfig('[{name: x, file: x}]'), 'unknown field "plugins[0].file"'],
    [admissionConfig('[{name: x, path: 3}]'), 'plugins[0].path: must be a string'],
    [admissionConfig('[{name: a}, {name: a}]'), 'plugins[1].name: Duplicate value: "a"'],
    [
      admissionConfig('[{name: Mine, configuration: {}}]'),
      'plugins[0].name: plugin "Mine" is unknown',
    ],
    [
      admissionConfig('[{name: NamespaceLifecycle, configuration: {}}]'),
      'plugins[0].name: plugin "NamespaceLifecycle" takes no configuration',
    ],
    [
      admissionConfig('[{name: PodSecurity, path: none}]'),
      `plugins[0].path: cannot read ${none}: there is no such file`,
    ],
  ].map(([text, why], i): Row => {
    const path = file(`admission-${i}.yaml`, text!)
    return {
      args: `--admission-control-config-file=${path}`,
      flag: `--admission-control-config-file: ${path}: ${why}`,
      options: { admissionConfigFile: path },
      names: CONFIG,
    }
  }),
  {
    args: `--egress-selector-config-file=${none}`,
    flag: `--egress-selector-config-file: cannot read ${none}: there is no such file`,
    options: { egressSelectorConfigFile: none },
    names: EGRESS,
  },
  {
    args: `--egress-selector-config-file=${egress}`,
    flag: `--egress-selector-config-file: ${egress}: ${badCert} cannot be used`,
    options: { egressSelectorConfigFile: egress },
    names: EGRESS,
  },
  {
    args: `--encryption-provider-config=${none}`,
    flag: `--encryption-provider-config: cannot read ${none}: there is no such file`,
    options: { encryptionConfigFile: none },
    names: [['--encryption-provider-config', 'encryptionConfigFile']],
  },
  {
    args: `${ETCD} --etcd-cafile=${none}`,
    flag: `--etcd-cafile: cannot read ${none}: there is no such file`,
    options: null,
  },
  {
    args: `${ETCD} --etcd-cafile=${words}`,
    flag: '--etcd-cafile holds no certificate',
    options: etcd({ ca: Buffer.from('words') }),
    names: [['--etcd-cafile', 'etcd.ca']],
  },
  {
    args: `${ETCD} --etcd-certfile=${cert}`,
    flag: '--etcd-certfile and --etcd-keyfile must be given together',
    options: etcd({ cert: Buffer.from(own.cert) }),
    names: [
      ['--etcd-certfile', 'etcd.cert'],
      ['--etcd-keyfile', 'etcd.key'],
    ],
  },
  {
    args: `${ETCD} --etcd-certfile=${cert} --etcd-keyfile=${badKey}`,
    flag: '--etcd-keyfile holds no private key that can be read',
    options: etcd({ cert: Buffer.from(own.cert), key: Buffer.from(block('PRIVATE KEY')) }),
    names: [['--etcd-keyfile', 'etcd.key']],
  },
  {
    args: `${ETCD} --store=memory`,
    flag: '--store memory and --etcd-servers exclude each other',
    options: null,
  },
  {
    args: `--nodeagent-client-certificate=${cert} --nodeagent-client-key=${otherKey}`,
    flag: '--nodeagent-client-key is not the key of the certificate of --nodeagent-client-certificate',
    options: { agentTls: { cert: own.cert, key: other.key } },
    names: [
      ['--nodeagent-client-key', 'agentTls.key'],
      ['--nodeagent-client-certificate', 'agentTls.cert'],
    ],
  },
  {
    args: `--nodeagent-client-key=${key}`,
    flag: '--nodeagent-client-certificate and --nodeagent-client-key must be given together',
    options: { agentTls: { key: own.key } },
    names: [
      ['--nodeagent-client-key', 'agentTls.key'],
      ['--nodeagent-client-certificate', 'agentTls.cert'],
    ],
  },
]

describe('the program', () => {
  for (const { args, flag, early } of ROWS) {
    test.concurrent(args.replaceAll(dir, ''), async () => {
      const text = `orch server: ${flag}\n${early === true ? 'See orch server --help.\n' : ''}`
      expect(
        await said(['--store=memory', '--secure-port=0', ...args.split(' ')].filter(isMeant(args))),
      ).toEqual({ code: 1, text })
    })
  }

  test('a port in use', async () => {
    expect(await said([`--secure-port=${port}`])).toEqual({
      code: 1,
      text: `orch server: address 127.0.0.1:${port} is in use; choose another port with --secure-port\n`,
    })
  })
})

// With an etcd there is no other store.
const isMeant = (args: string) => (arg: string, at: number) =>
  at > 0 || !args.includes('--etcd-servers') || arg !== '--store=memory'

describe('embedded', () => {
  for (const { options, flag, option, names = [] } of ROWS) {
    if (options === null) continue
    const message = option ?? names.reduce((text, [from, to]) => text.replaceAll(from, to), flag)
    test(message.replaceAll(dir, ''), async () => {
      await expect(startServer(options)).rejects.toThrow(new Error(message))
    })
  }

  test('a port in use', async () => {
    await expect(startServer({ port })).rejects.toThrow(
      new Error(`address 127.0.0.1:${port} is in use; choose another port with port`),
    )
  })

  test('stores that lack what they need', async () => {
    await expect(startServer({ store: 'lmdb' })).rejects.toThrow(
      new Error('store lmdb needs dataDir'),
    )
    await expect(startServer({ store: 'etcd' })).rejects.toThrow(
      new Error('store etcd needs etcd.servers'),
    )
  })

  test('a data directory of the other vocabulary', async () => {
    const dataDir = join(dir, 'branded')
    await (await startServer({ dataDir, vocabulary: 'kubernetes' })).close()
    await expect(startServer({ dataDir })).rejects.toMatchObject({
      message: `data directory ${join(dataDir, 'store')} was made with vocabulary kubernetes, not orch; start with vocabulary kubernetes or choose another with dataDir`,
    })
  })

  test('an option that nobody knows', async () => {
    // @ts-expect-error no such option
    await expect(startServer({ securePort: 1 })).rejects.toThrow(
      new Error('unknown option securePort (did you mean port?)'),
    )
  })
})
