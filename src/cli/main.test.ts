import { describe, expect, test } from 'vitest'
import type { RunningServer, ServerOptions } from '../server/options/server-options.ts'
import { readyLine } from './commands/server.ts'
import { apiserverMain, controllerManagerMain, main } from './main.ts'
import type { EndSignal, Terminal } from './terminal.ts'
import { defaultSettings } from '../controllers/settings.ts'

/** Captures the output of a program; `exit` does not end anything. */
class Recorded implements Terminal {
  stdout = ''
  stderr = ''
  codes: number[] = []
  signal: (signal: EndSignal) => void = () => {}
  /** Number of end signals that it gets as soon as it reports ready. */
  ends = 0
  readonly exited: Promise<void>
  #exit = () => {}
  constructor() {
    this.exited = new Promise((resolve) => (this.#exit = resolve))
  }
  out = (text: string) => {
    this.stdout += text
    for (let i = 0; i < this.ends; i++) this.signal('SIGTERM')
  }
  err = (text: string) => void (this.stderr += text)
  onSignal = (call: (signal: EndSignal) => void) => void (this.signal = call)
  exit = (code: number) => {
    this.codes.push(code)
    this.#exit()
  }
  get said() {
    return { stdout: this.stdout, stderr: this.stderr, codes: this.codes }
  }
}

const running = (change: Partial<RunningServer> = {}): RunningServer => ({
  url: 'https://127.0.0.1:6443',
  port: 6443,
  vocabulary: 'orch',
  release: '1.25',
  ca: 'CA',
  kubeconfig: 'kind: Config',
  kubeconfigPath: '/data/admin.kubeconfig',
  settled: async () => {},
  client: () => Promise.reject(new Error('there is no server')),
  close: async () => {},
  ...change,
})

const STOPPED = (how: string, signal = 'SIGTERM') =>
  new RegExp(`^\\S+Z info  stopped signal="${signal}" how="${how}"\n$`)

const READY =
  'orch is ready at https://127.0.0.1:6443 in the vocabulary orch, release 1.25 - try: KUBECONFIG=/data/admin.kubeconfig kubectl get namespaces\n'

test('the shells of Windows get a command that they understand', () => {
  const kubeconfigPath = 'C:\\Users\\Some One\\orch-data\\admin.kubeconfig'
  expect(readyLine(running({ kubeconfigPath }), 'win32')).toBe(
    `orch is ready at https://127.0.0.1:6443 in the vocabulary orch, release 1.25 - try: kubectl --kubeconfig "${kubeconfigPath}" get namespaces\n`,
  )
})

describe('words that are no server', () => {
  const programs = { main, apiserverMain, controllerManagerMain }
  for (const { program, args, code, stdout = '', stderr = '' } of [
    { program: 'main', args: ['--version'], code: 0, stdout: 'orch 1.2.3\n' },
    { program: 'main', args: ['version'], code: 0, stdout: 'orch 1.2.3\n' },
    { program: 'main', args: ['server', '--version'], code: 0, stdout: 'orch server 1.2.3\n' },
    { program: 'main', args: ['--version=true'], code: 0, stdout: 'orch 1.2.3\n' },
    { program: 'main', args: ['server', '--version=true'], code: 0, stdout: 'orch server 1.2.3\n' },
    {
      program: 'main',
      args: ['server', '--version=maybe'],
      code: 1,
      stderr:
        'orch server: --version must be true or false, not "maybe"\nSee orch server --help.\n',
    },
    { program: 'apiserverMain', args: ['--version'], code: 0, stdout: 'orch-apiserver 1.2.3\n' },
    {
      program: 'main',
      args: ['serve'],
      code: 1,
      stderr: 'orch: unknown command "serve"\nSee orch --help.\n',
    },
    {
      program: 'main',
      args: ['server', '--port=1'],
      code: 1,
      stderr:
        'orch server: unknown flag: --port (did you mean --secure-port?)\nSee orch server --help.\n',
    },
    {
      program: 'apiserverMain',
      args: ['--secure-port=65536'],
      code: 1,
      stderr:
        'orch-apiserver: --secure-port must be from 0 to 65535, not 65536\nSee orch-apiserver --help.\n',
    },
    {
      program: 'main',
      args: ['server', '--config=/absent'],
      code: 1,
      stderr:
        'orch server: --config: cannot read /absent: there is no such file\nSee orch server --help.\n',
    },
    {
      program: 'controllerManagerMain',
      args: ['--config=/absent'],
      code: 1,
      stderr:
        'orch-controller-manager: --config: cannot read /absent: there is no such file\nSee orch-controller-manager --help.\n',
    },
    {
      program: 'controllerManagerMain',
      args: ['--controllers=*,-podcg'],
      code: 1,
      stderr:
        'orch-controller-manager: --controllers "podcg" is not in the list of known controllers (did you mean podgc?)\nSee orch-controller-manager --help.\n',
    },
    {
      program: 'apiserverMain',
      args: ['--controllers=*,endpointslices'],
      code: 1,
      stderr:
        'orch-apiserver: --controllers "endpointslices" is not in the list of known controllers (did you mean endpointslice?)\nSee orch-apiserver --help.\n',
    },
    {
      program: 'controllerManagerMain',
      args: ['--controllers=*,-nodeipam', '--kubeconfig=test/client/absent.yaml'],
      code: 1,
      stderr:
        'orch-controller-manager: cannot use the client configuration test/client/absent.yaml: there is no such file\n',
    },
    {
      program: 'controllerManagerMain',
      args: ['--kubeconfigs=x'],
      code: 1,
      stderr:
        'orch-controller-manager: unknown flag: --kubeconfigs (did you mean --kubeconfig?)\nSee orch-controller-manager --help.\n',
    },
    {
      program: 'controllerManagerMain',
      args: ['--version'],
      code: 0,
      stdout: 'orch-controller-manager 1.2.3\n',
    },
  ] as const) {
    test(`${program} ${args.join(' ')}`, async () => {
      const terminal = new Recorded()
      await programs[program](args, { version: '1.2.3', terminal })
      expect(terminal.said).toEqual({ stdout, stderr, codes: [code] })
    })
  }

  test.each([
    ['main', ['--version=raw']],
    ['main', ['server', '--version=raw']],
    ['main', ['backup', '--version=raw']],
    ['apiserverMain', ['--version=raw']],
    ['controllerManagerMain', ['--version=raw']],
  ] as const)('%s %j says all about the version', async (program, args) => {
    const terminal = new Recorded()
    await programs[program](args, { version: '1.2.3', terminal })
    expect(JSON.parse(terminal.stdout)).toMatchObject({
      major: '1',
      minor: '25',
      gitVersion: expect.stringMatching(/^v1\.25\.0\+/) as string,
      compiler: 'node',
    })
    expect(terminal.codes).toEqual([0])
  })

  test('help lists commands; without a command it is an error', async () => {
    const [asked, bare] = [new Recorded(), new Recorded()]
    await main(['--help'], { version: '1.2.3', terminal: asked })
    await main([], { version: '1.2.3', terminal: bare })
    expect(asked.stdout).toMatch(/^Usage:\n {2}orch <command> \[flags\]$/m)
    expect(asked.stdout).toMatch(/^ {2}server {13}Serves the cluster API over HTTPS\./m)
    expect(bare.said).toEqual({ stdout: '', stderr: asked.stdout, codes: [1] })
  })

  test('help of the API server says that controllers are not part of it', async () => {
    const terminal = new Recorded()
    await apiserverMain(['--help'], { version: '1.2.3', terminal })
    expect(terminal.stdout).toMatch(/^Serves the cluster API over HTTPS\. Controllers are not/)
    expect(terminal.codes).toEqual([0])
  })
})

describe('options of the server', () => {
  const standard = {
    store: 'lmdb',
    encryptionConfigFile: '',
    shareAuthorities: true,
    endpointReconciler: 'lease',
    enableAdmissionPlugins: [],
    disableAdmissionPlugins: [],
    servingHosts: [],
    serving: {
      certDir: '',
      certFile: '',
      keyFile: '',
      sniCertKeys: [],
      minTlsVersion: 'VersionTLS12',
      cipherSuites: [],
      http2MaxStreams: 0,
      joinsResponses: true,
      directHttp1: true,
      sharesPort: false,
      hstsDirectives: [],
      goawayChance: 0,
      corsAllowedOrigins: [],
    },
    allowUnlockedDataDir: false,
    verify: false,
    storeJournal: true,
    storeFlushAtOnce: true,
    unsafeNoFsync: false,
    identityLease: { durationSeconds: 3600, renewSeconds: 10 },
    vocabulary: 'orch',
    bindAddress: '127.0.0.1',
    port: 6443,
    externalHostname: '',
    advertiseAddress: '',
    featureGates: {},
    runtimeConfig: {},
    serviceClusterIpRange: '10.0.0.0/16',
    serviceNodePortRange: '30000-32767',
    allowPrivileged: false,
    agentAddressTypes: [],
    serviceNodePort: 0,
    eventTtlMs: 3_600_000,
    historyMs: 300_000,
    requestTimeoutMs: 60_000,
    selectorIndexBytes: 67_108_864,
    shutdownGraceMs: 60_000,
    livezGraceMs: 0,
    shutdownDelayMs: 0,
    shutdownSendRetryAfter: false,
    admissionControl: [],
    clusterSigningDurationMs: 31_536_000_000,
    aggregation: {
      proxyClientCertFile: '',
      proxyClientKeyFile: '',
      refusesRedirects: true,
      routesToEndpoints: false,
    },
    defaultNotReadyTolerationSeconds: 300,
    defaultUnreachableTolerationSeconds: 300,
    minRequestTimeoutMs: 1_800_000,
    controllers: true,
    controllerSettings: defaultSettings,
    authentication: {
      anonymous: true,
      clientCaFile: '',
      bootstrapTokens: true,
      apiAudiences: [],
      serviceAccounts: {
        issuers: [],
        keyFiles: [],
        signingKeyFile: '',
        jwksUri: '',
        lookup: true,
        maxExpirationSeconds: 0,
        extendExpiration: true,
      },
    },
    authorization: { modes: ['Node', 'RBAC'] },
  }
  for (const { args, expected } of [
    { args: '--data-dir=/d', expected: {} },
    {
      args: '--data-dir=/d --controllers=* --controllers -podgc,-ttl --terminated-pod-gc-threshold=-1',
      expected: {
        controllers: ['*', '-podgc', '-ttl'],
        controllerSettings: { ...defaultSettings, terminatedPodThreshold: -1 },
      },
    },
    {
      args: '--data-dir=/d --controllers server --concurrent_gc_syncs=1 --enable-garbage-collector=false',
      expected: {
        controllers: 'server',
        controllerSettings: { ...defaultSettings, garbageWorkers: 1, collectsGarbage: false },
      },
    },
    {
      args:
        '--data-dir=/d --store memory --vocabulary=kubernetes --bind-address :: --secure-port 0 ' +
        '--history-window 1h --request-timeout 5s --min-request-timeout 60',
      expected: {
        store: 'memory',
        vocabulary: 'kubernetes',
        bindAddress: '::',
        port: 0,
        historyMs: 3_600_000,
        requestTimeoutMs: 5_000,
        minRequestTimeoutMs: 60_000,
      },
    },
    {
      args:
        '--data-dir=/d --advertise-address 192.0.2.7 --feature-gates A=true,B=false --feature-gates C ' +
        '--runtime-config=api/alpha,apps/v1/deployments=false --service-cluster-ip-range 10.1.0.0/16,fd00::/112 ' +
        '--service-node-port-range 31000-31999 --allow-privileged',
      expected: {
        advertiseAddress: '192.0.2.7',
        featureGates: { A: true, B: false, C: true },
        runtimeConfig: { 'api/alpha': true, 'apps/v1/deployments': false },
        serviceClusterIpRange: '10.1.0.0/16,fd00::/112',
        serviceNodePortRange: '31000-31999',
        allowPrivileged: true,
      },
    },
    {
      args:
        '--data-dir=/d --enable-admission-plugins=A,B --enable-admission-plugins C ' +
        '--disable-admission-plugins=D --admission-control-config-file=/a.yaml',
      expected: {
        enableAdmissionPlugins: ['A', 'B', 'C'],
        disableAdmissionPlugins: ['D'],
        admissionConfigFile: '/a.yaml',
      },
    },
    {
      args:
        '--data-dir=/d --audit-policy-file=/p --audit-log-path=- --audit-log-format=legacy --audit-log-maxage=1 ' +
        '--audit-log-maxbackup=2 --audit-log-maxsize=3 --audit-log-compress --audit-log-mode=blocking-strict ' +
        '--audit-log-truncate-enabled --audit-webhook-config-file=/w --audit-webhook-initial-backoff=1s ' +
        '--audit-webhook-batch-throttle-qps=0.5 --audit-webhook-batch-max-wait=0s',
      expected: {
        audit: {
          policyFile: '/p',
          log: {
            path: '-',
            format: 'legacy',
            maxAgeDays: 1,
            maxBackups: 2,
            maxSizeMb: 3,
            compress: true,
            joinLines: true,
            mode: 'blocking-strict',
            version: '',
            batch: {
              bufferSize: 10_000,
              maxSize: 1,
              maxWaitMs: 0,
              throttle: false,
              qps: 0,
              burst: 0,
            },
            truncate: { enabled: true, maxEventBytes: 102_400, maxBatchBytes: 10_485_760 },
          },
          webhook: {
            configFile: '/w',
            initialBackoffMs: 1000,
            mode: 'batch',
            version: '',
            batch: {
              bufferSize: 10_000,
              maxSize: 400,
              maxWaitMs: 0,
              throttle: true,
              qps: 0.5,
              burst: 15,
            },
            truncate: { enabled: false, maxEventBytes: 102_400, maxBatchBytes: 10_485_760 },
          },
        },
      },
    },
    {
      args:
        '--data-dir=/d --authorization-mode=RBAC,ABAC --authorization-mode Webhook --authorization-policy-file=/p ' +
        '--authorization-webhook-config-file=/w --authorization-webhook-cache-authorized-ttl=1m --controllers=false',
      expected: {
        controllers: false,
        authorization: {
          modes: ['RBAC', 'ABAC', 'Webhook'],
          policyFile: '/p',
          webhook: {
            configFile: '/w',
            version: 'v1beta1',
            authorizedTtlMs: 60_000,
            unauthorizedTtlMs: 30_000,
          },
        },
      },
    },
    {
      args:
        '--data-dir=/d --anonymous-auth=false --client-ca-file=/ca --token-auth-file /t --api-audiences=a,b ' +
        '--enable-bootstrap-token-auth=false --service-account-issuer=https://a --service-account-issuer=https://b,c ' +
        '--service-account-key-file=/1 --service-account-key-file=/2 --service-account-signing-key-file=/k ' +
        '--service-account-lookup=false --service-account-max-token-expiration=2h ' +
        '--service-account-extend-token-expiration=false --service-account-jwks-uri=https://c/keys ' +
        '--oidc-issuer-url=https://i --oidc-client-id=c --oidc-ca-file=/o --oidc-username-claim=email ' +
        '--oidc-groups-claim=groups --oidc-required-claim=a=b,c=d --oidc-required-claim=e==f ' +
        '--authentication-token-webhook-config-file=/h --authentication-token-webhook-version=v1 ' +
        '--authentication-token-webhook-cache-ttl=0s --requestheader-client-ca-file=/r ' +
        '--requestheader-allowed-names=p --requestheader-username-headers=X-Remote-User,X-User ' +
        '--requestheader-group-headers=X-Remote-Group --requestheader-extra-headers-prefix=X-Remote-Extra-',
      expected: {
        authentication: {
          anonymous: false,
          clientCaFile: '/ca',
          tokenAuthFile: '/t',
          bootstrapTokens: false,
          apiAudiences: ['a', 'b'],
          serviceAccounts: {
            issuers: ['https://a', 'https://b,c'],
            keyFiles: ['/1', '/2'],
            signingKeyFile: '/k',
            jwksUri: 'https://c/keys',
            lookup: false,
            maxExpirationSeconds: 7200,
            extendExpiration: false,
          },
          oidc: {
            issuerUrl: 'https://i',
            clientId: 'c',
            caFile: '/o',
            usernameClaim: 'email',
            usernamePrefix: '',
            groupsClaim: 'groups',
            groupsPrefix: '',
            requiredClaims: new Map([
              ['a', 'b'],
              ['c', 'd'],
              ['e', '=f'],
            ]),
            signingAlgs: ['RS256'],
          },
          webhook: { configFile: '/h', version: 'v1', cacheTtlMs: 0 },
          requestHeader: {
            clientCaFile: '/r',
            allowedNames: ['p'],
            usernameHeaders: ['X-Remote-User', 'X-User'],
            groupHeaders: ['X-Remote-Group'],
            extraHeaderPrefixes: ['X-Remote-Extra-'],
          },
        },
      },
    },
    {
      args: '--data-dir=/d --share-authorities=false --endpoint-reconciler-type=none --tls-san=api.example,192.0.2.1 --tls-san=::1',
      expected: {
        shareAuthorities: false,
        endpointReconciler: 'none',
        servingHosts: ['api.example', '192.0.2.1', '::1'],
      },
    },
    {
      args: '--data-dir=/d --event-ttl=1h30m --etcd-servers=http://a:1,http://b:1 --etcd-transport=grpc-js --etcd-compaction-interval=0 --etcd-healthcheck-timeout=1s --etcd-readycheck-timeout=1500ms',
      expected: {
        store: undefined,
        eventTtlMs: 5_400_000,
        etcd: {
          servers: ['http://a:1', 'http://b:1'],
          prefix: '/registry',
          transport: 'grpc-js',
          compactionIntervalMs: 0,
          leaseReuseMs: 60_000,
          healthCheckTimeoutMs: 1_000,
          readyCheckTimeoutMs: 1_500,
        },
      },
    },
    {
      args: '--data-dir=/d --service-cluster-ip-range= --advertise-address=',
      expected: { serviceClusterIpRange: '' },
    },
  ]) {
    test(args, async () => {
      const terminal = new Recorded()
      const given: ServerOptions[] = []
      const start = async (options: ServerOptions) => {
        given.push(options)
        return running()
      }
      terminal.ends = 1
      await main(['server', ...args.split(' ')], { version: '1', terminal, start })
      const [{ log, ...options }] = given as [ServerOptions]
      expect(options).toEqual({ dataDir: '/d', ...standard, ...expected })
      expect(log?.v(1)).toBe(false)
    })
  }

  test('a relative data directory is made absolute', async () => {
    const terminal = new Recorded()
    let dataDir: string | undefined
    const start = async (options: ServerOptions) => {
      dataDir = options.dataDir
      return running()
    }
    terminal.ends = 1
    await main(['server'], { version: '1', terminal, start })
    expect(dataDir).toBe(`${process.cwd()}/orch-data`)
  })
})

describe('life of the server', () => {
  test('it reports that it is ready, and ends without error on a signal', async () => {
    const terminal = new Recorded()
    let closed = 0
    const start = async () => running({ close: async () => void closed++ })
    terminal.ends = 1
    await main(['server'], { version: '1', terminal, start })
    expect({ ...terminal.said, closed }).toEqual({
      stdout: READY,
      stderr: expect.stringMatching(STOPPED('in order')) as string,
      codes: [0],
      closed: 1,
    })
  })

  test('a second signal does not wait', async () => {
    const terminal = new Recorded()
    const start = async () => running({ close: () => new Promise<void>(() => {}) })
    terminal.ends = 2
    void main(['server'], { version: '1', terminal, start })
    await terminal.exited
    expect(terminal.said).toEqual({
      stdout: READY,
      stderr: expect.stringMatching(STOPPED('at once, second signal')) as string,
      codes: [1],
    })
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGBREAK', 149],
  ] as const)('%s before it is ready ends it at once', async (signal, code) => {
    const terminal = new Recorded()
    // A start that would never end.
    const start = () => new Promise<RunningServer>(() => {})
    void main(['server'], { version: '1', terminal, start })
    terminal.signal(signal)
    await terminal.exited
    expect(terminal.said).toEqual({
      stdout: '',
      stderr: expect.stringMatching(STOPPED('before it was ready', signal)) as string,
      codes: [code],
    })
  })

  test('the line about the end is JSON where lines are', async () => {
    const terminal = new Recorded()
    terminal.ends = 1
    const start = async () => running()
    await main(['server', '--logging-format=json'], { version: '1', terminal, start })
    expect(JSON.parse(terminal.stderr)).toEqual({
      time: expect.any(String) as string,
      level: 'info',
      msg: 'stopped',
      signal: 'SIGTERM',
      how: 'in order',
    })
  })

  test('a failed shutdown is reported', async () => {
    const terminal = new Recorded()
    const start = async () => running({ close: () => Promise.reject(new Error('disk gone')) })
    terminal.ends = 1
    await main(['server'], { version: '1', terminal, start })
    expect(terminal.codes).toEqual([1])
    expect(terminal.stderr).toMatch(/ error shutdown failed error="Error: disk gone"\n$/)
  })

  test('a path with blanks can be copied to a shell', async () => {
    const terminal = new Recorded()
    const start = async () => running({ kubeconfigPath: "/my data/it's" })
    terminal.ends = 1
    await main(['server'], { version: '1', terminal, start })
    expect(terminal.stdout).toContain(`KUBECONFIG='/my data/it'\\''s' kubectl`)
  })
})

describe('a failed start', () => {
  const failure = (code: string, syscall = 'listen') =>
    Object.assign(new Error('raw'), { code, syscall })
  for (const { name, error, args = [], line } of [
    {
      name: 'port in use',
      error: failure('EADDRINUSE'),
      line: 'address 127.0.0.1:6443 is in use; choose another port with --secure-port',
    },
    {
      name: 'port in use, IPv6',
      error: failure('EADDRINUSE'),
      args: ['--bind-address=::1', '--secure-port=7'],
      line: 'address [::1]:7 is in use; choose another port with --secure-port',
    },
    {
      name: 'address of another machine',
      error: failure('EADDRNOTAVAIL'),
      line: 'address 127.0.0.1 is not one of this machine; choose another with --bind-address',
    },
    {
      name: 'port for root only',
      error: failure('EACCES'),
      args: ['--secure-port=443'],
      line: 'not allowed to listen on 127.0.0.1:443; choose a port above 1023 with --secure-port',
    },
    {
      name: 'a folder that is not ours',
      error: failure('EACCES', 'mkdir'),
      line: 'permission denied',
    },
    { name: 'several lines', error: new Error('a\nb'), line: 'a b' },
    { name: 'not even an error', error: 'x', line: 'x' },
  ]) {
    test(name, async () => {
      const terminal = new Recorded()
      const start = async () => {
        // oxlint-disable-next-line typescript/only-throw-error -- one of the cases
        throw error
      }
      await main(['server', ...args], { version: '1', terminal, start })
      expect(terminal.said).toEqual({ stdout: '', stderr: `orch server: ${line}\n`, codes: [1] })
    })
  }

  test('at -v 4 the stack is shown', async () => {
    const terminal = new Recorded()
    const start = () => Promise.reject(new Error('why'))
    await main(['server', '-v4'], { version: '1', terminal, start })
    expect(terminal.stderr).toMatch(/^orch server: Error: why\n {4}at /)
  })
})
