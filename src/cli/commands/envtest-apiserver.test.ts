/** Flags of the drop-in server: what test environments and their users pass, and what its original has. */
import { describe, expect, test } from 'vitest'
import { apiserverFlags, ownSpelling } from '../../envtest/apiserver-flags.ts'
import { sift } from '../../envtest/known-flags.ts'
import { FlagError, parseFlags } from '../../flags/flags.ts'
import { serverFlags } from '../../server/options/server-flags.ts'
import { freePort } from '../../../test/ports.ts'
import { envtestApiserver } from './envtest-apiserver.ts'

const { all, ignored, certDir } = apiserverFlags(serverFlags)

/** What is left without effect, once everything else was read. */
function withoutEffect(args: readonly string[]): string[] {
  const { kept } = sift(args, certDir)
  const rest = sift(kept, ignored)
  parseFlags(serverFlags, rest.kept.map(ownSpelling))
  return rest.taken.map(([name]) => name)
}

const COMMON = [
  '--etcd-servers=http://127.0.0.1:2379',
  '--cert-dir=/tmp/certs',
  '--secure-port=6443',
  '--disable-admission-plugins=ServiceAccount',
  '--service-cluster-ip-range=10.0.0.0/24',
  '--allow-privileged=true',
]
const ACCOUNTS = [
  '--service-account-issuer=https://127.0.0.1:6443/',
  '--service-account-key-file=/tmp/certs/sa-signer.crt',
  '--service-account-signing-key-file=/tmp/certs/sa-signer.key',
]

describe('flags that are passed have their effect', () => {
  for (const { name, args, left = [] } of [
    { name: 'early releases', args: [...COMMON, '--advertise-address=127.0.0.1'] },
    {
      name: 'releases with a user of their own',
      args: [...COMMON, '--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', ...ACCOUNTS],
    },
    {
      name: 'later releases',
      args: [
        ...[...COMMON, '--bind-address=127.0.0.1', ...ACCOUNTS],
        ...['--authorization-mode=RBAC', '--client-ca-file=/tmp/certs/client-cert-auth-ca.crt'],
      ],
    },
    {
      name: 'what users add',
      args: [
        ...['--feature-gates=JobReadyPods=true', '--runtime-config=api/all=true', '-v=4', '--v=4'],
        ...['--enable-admission-plugins=PodNodeSelector', '--anonymous-auth=false'],
        ...[
          '--audit-policy-file=/a',
          '--audit-log-path=-',
          '--event-ttl=5m',
          '--request_timeout=5s',
        ],
        ...['--authorization-mode=Webhook', '--authorization-webhook-config-file=/a'],
        ...['--token-auth-file=/a', '--oidc-issuer-url=https://a', '--oidc-client-id=b'],
        ...['--kubelet-client-certificate=/a', '--kubelet-client-key=/b', '--tls-cert-file=/a'],
      ],
    },
    {
      name: 'what has no effect',
      args: ['--kubelet-timeout', '5s', '--kubernetes-service-node-port=0', '--watch-cache=false'],
      left: ['kubelet-timeout', 'watch-cache'],
    },
  ]) {
    test(name, () => expect(withoutEffect(args)).toEqual(left))
  }
})

describe('flags that the original of this release refuses as well', () => {
  for (const flag of ['insecure-port=8080', 'insecure-bind-address=127.0.0.1', 'nonsense'])
    test(flag, () => expect(() => withoutEffect([`--${flag}`])).toThrow(FlagError))
})

// Of release 1.25; those of the groups that the server has whole are left out.
const KNOWN =
  `admission-control-config-file advertise-address allow-metric-labels allow-privileged anonymous-auth
  api-audiences apiserver-count audit-log-path audit-policy-file authorization-mode bind-address cert-dir client-ca-file
  cloud-config cloud-provider contention-profiling cors-allowed-origins default-not-ready-toleration-seconds
  delete-collection-workers disable-admission-plugins disabled-metrics egress-selector-config-file
  enable-admission-plugins enable-aggregator-routing enable-bootstrap-token-auth enable-garbage-collector
  enable-logs-handler enable-priority-and-fairness encryption-provider-config endpoint-reconciler-type etcd-cafile
  etcd-certfile etcd-compaction-interval etcd-count-metric-poll-period etcd-db-metric-poll-interval
  etcd-healthcheck-timeout etcd-keyfile etcd-prefix etcd-readycheck-timeout etcd-servers etcd-servers-overrides event-ttl
  external-hostname feature-gates goaway-chance help http2-max-streams-per-connection identity-lease-duration-seconds
  identity-lease-renew-interval-seconds kubelet-certificate-authority kubelet-client-certificate kubelet-client-key
  kubelet-port kubelet-preferred-address-types kubelet-read-only-port kubelet-timeout kubernetes-service-node-port
  lease-reuse-duration-seconds livez-grace-period log-flush-frequency logging-format master-service-namespace
  max-connection-bytes-per-sec max-mutating-requests-inflight max-requests-inflight min-request-timeout
  oidc-issuer-url permit-address-sharing permit-port-sharing profiling proxy-client-cert-file proxy-client-key-file
  request-timeout requestheader-client-ca-file runtime-config secure-port service-account-extend-token-expiration
  service-account-issuer service-account-jwks-uri service-account-key-file service-account-lookup
  service-account-max-token-expiration service-account-signing-key-file service-cluster-ip-range service-node-port-range
  show-hidden-metrics-for-version shutdown-delay-duration shutdown-send-retry-after storage-backend storage-media-type
  strict-transport-security-directives tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file
  tls-sni-cert-key token-auth-file tracing-config-file v version vmodule watch-cache watch-cache-sizes`.split(
    /\s+/,
  )

test('all flags of the original are known, in the help too', async () => {
  expect(KNOWN.filter((name) => !Object.hasOwn(all, name))).toEqual([])
  const { out, code } = await run('--help')
  expect(code).toBe(0)
  // A help text may begin a line with a flag, further to the right.
  const lines = [...out.matchAll(/^ {0,8}(?:-\w, )?--([\w-]+)\b/gm)].map(([, name]) => name!)
  expect(lines.sort()).toEqual(Object.keys(all).sort())
})

async function run(...args: string[]) {
  return runIn({}, ...args)
}

async function runIn(env: Record<string, string>, ...args: string[]) {
  const said = { out: '', err: '' }
  const terminal = {
    out: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
    onSignal: () => {},
    exit: () => {},
  }
  const code = await envtestApiserver({ version: '0.1.0', terminal, env }, args)
  return { ...said, code }
}

test('the version is that of the release', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: 'Kubernetes v1.25.0+0.1.0\n', err: '' })
})

describe('what ends at once', () => {
  const etcd = async () => `--etcd-servers=http://127.0.0.1:${await freePort()}`
  for (const { name, args, env = {}, err } of [
    {
      name: 'no etcd',
      args: () => ['--watch-cache', '--secure-port=0'],
      err: 'kube-apiserver: accepted without effect: --watch-cache\nkube-apiserver: --etcd-servers must be specified\n',
    },
    {
      name: 'a variable that is neither true nor false',
      args: async () => [await etcd()],
      env: { ORCH_ENVTEST_CONTROLLERS: 'some' },
      err: 'kube-apiserver: ORCH_ENVTEST_CONTROLLERS must be true or false, not "some"\n',
    },
  ]) {
    test(name, async () => {
      expect(await runIn(env, ...(await args()))).toEqual({ code: 1, out: '', err })
    })
  }

  test('an unknown flag', async () => {
    await expect(run(await etcd(), '--secure-pord=1')).rejects.toThrow(
      new FlagError('unknown flag: --secure-pord (did you mean --secure-port?)'),
    )
  })
})
