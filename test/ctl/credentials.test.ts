/** How the command line shows who it is, and how it reaches the server. */
import { once } from 'node:events'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { ConnectProxy } from './connect-proxy.fixture.ts'
import { Ctl } from './run.ts'

const ACCOUNT = 'system:serviceaccount:default:default'

let server: RunningServer
let ctl: Ctl
let token = ''
let port = 0
const pem = (name: string) =>
  Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64').toString()

beforeAll(async () => {
  server = await startServer()
  await server.settled()
  port = Number(new URL(server.url).port)
  ctl = await Ctl.for(server.kubeconfig)
  token = (await ctl.ok('create', 'token', 'default')).trim()
  file('token', token)
  file('ca.pem', server.ca)
  file('pki/cert.pem', pem('client-certificate-data'))
  file('pki/key.pem', pem('client-key-data'))
})
afterAll(async () => {
  await ctl.close()
  await server.close()
})

/** Writes a file of the user. */
function file(name: string, text: string, mode = 0o600): string {
  const path = join(ctl.home, name)
  mkdirSync(join(path, '..'), { recursive: true })
  if ((mode & 0o100) === 0) writeFileSync(path, text, { mode })
  // By another process: a child of another thread could hold it open for writing, and nothing may run it then.
  else spawnSync('sh', ['-c', 'cat > "$1" && chmod 700 "$1"', 'sh', path], { input: text })
  return path
}

const CLUSTER = '{server: SERVER, certificate-authority: ca.pem}'
/** A configuration with one user. */
const config = (user: string, cluster = CLUSTER) =>
  `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: ${cluster.replace('SERVER', server.url)}}]
users:
- name: u
  user: ${user}
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

/** Name, groups and so on that the server sees, in lines. */
async function whoami(...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await ctl.run(['auth', 'whoami', ...args])
  if (code !== 0) return [stderr.trim()]
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/\s{2,}/, ': '))
}

const RENEW = 'renew it, or choose other credentials with --context, --user or --token)'
const late = issue({
  subject: { commonName: 'late' },
  notBeforeMs: Date.parse('2020-01-01T00:00:00Z'),
  notAfterMs: Date.parse('2021-01-01T00:00:00Z'),
  use: 'client',
})
/** Signed by nobody. */
const webToken = (claims: unknown) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.none`

/** A plugin that counts its runs and gives the token. */
const plugin = (name: string, apiVersion: string, more = '') => {
  const answer = JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token } })
  file(
    name,
    `#!/bin/sh\necho run >> "$0.runs"\nprintf '%s%s' "$ORCH_EXEC_INFO" "$KUBERNETES_EXEC_INFO" > "$0.info"\necho '${answer}'\n`,
    0o700,
  )
  return config(`{exec: {command: ./${name}, apiVersion: ${apiVersion}${more}}}`)
}

describe('who the server sees', () => {
  const rows: { name: string; make: () => string; args?: string[]; sees: string | RegExp }[] = [
    {
      name: 'a certificate in files beside the configuration',
      make: () => config('{client-certificate: pki/cert.pem, client-key: pki/key.pem}'),
      sees: 'Username: orch-admin',
    },
    {
      name: 'a certificate of the flags',
      make: () => config('{}'),
      args: ['--client-certificate', 'pki/cert.pem', '--client-key', 'pki/key.pem'],
      sees: 'Username: orch-admin',
    },
    {
      name: 'a token',
      make: () => config(`{token: ${token}}`),
      sees: `Username: ${ACCOUNT}`,
    },
    {
      name: 'a token in a file',
      make: () => config('{tokenFile: token}'),
      sees: `Username: ${ACCOUNT}`,
    },
    {
      name: 'the token of the flag, before a plugin',
      make: () =>
        config(
          '{exec: {command: /no/such, apiVersion: client.authentication.orch.io/v1, interactiveMode: Never}}',
        ),
      args: ['--token=TOKEN'],
      sees: `Username: ${ACCOUNT}`,
    },
    {
      name: 'a token that is none',
      make: () => config('{token: none}'),
      sees: 'error: You must be logged in to the server (Unauthorized)',
    },
    {
      name: 'a certificate that has expired',
      make: () => {
        file('pki/late.pem', late.cert)
        file('pki/late.key', late.key)
        return config('{client-certificate: pki/late.pem, client-key: pki/late.key}')
      },
      sees: `error: You must be logged in to the server (Unauthorized: the client certificate expired at 2021-01-01T00:00:00Z: ${RENEW}`,
    },
    {
      name: 'a token that has expired',
      make: () => config(`{token: ${webToken({ exp: 1609459200 })}}`),
      sees: `error: You must be logged in to the server (Unauthorized: the token expired at 2021-01-01T00:00:00Z: ${RENEW}`,
    },
    {
      name: 'a token of another issuer',
      make: () => config(`{token: ${webToken({ exp: 'soon' })}}`),
      sees: 'error: You must be logged in to the server (Unauthorized)',
    },
    {
      name: 'a token file that is missing',
      make: () => config('{tokenFile: missing}'),
      sees: /^Unable to connect to the server: getting credentials: /,
    },
    ...(['orch', 'k8s'] as const).flatMap((brand) =>
      (
        [
          ['v1', ', interactiveMode: Never'],
          ['v1', ', interactiveMode: IfAvailable'],
          ['v1beta1', ''],
        ] as const
      ).map(([version, more]) => ({
        name: `a plugin of ${brand} in ${version}${more}`,
        make: () => plugin('plugin', `client.authentication.${brand}.io/${version}`, more),
        sees: `Username: ${ACCOUNT}`,
      })),
    ),
    {
      name: 'a plugin with a certificate, for which there is a handshake',
      make: () => {
        const apiVersion = 'client.authentication.k8s.io/v1'
        const status = {
          clientCertificateData: pem('client-certificate-data'),
          clientKeyData: pem('client-key-data'),
        }
        file('answer.json', JSON.stringify({ kind: 'ExecCredential', apiVersion, status }))
        const path = join(ctl.home, 'answer.json')
        return config(
          `{exec: {command: cat, args: ["${path}"], apiVersion: ${apiVersion}, interactiveMode: Never}}`,
        )
      },
      sees: 'Username: orch-admin',
    },
    {
      name: 'a plugin without a mode',
      make: () => plugin('plugin', 'client.authentication.orch.io/v1'),
      sees: 'error: exec plugin: interactiveMode is required in client.authentication.orch.io/v1',
    },
    {
      name: 'a plugin that needs a person',
      make: () => plugin('plugin', 'client.authentication.orch.io/v1', ', interactiveMode: Always'),
      sees: 'error: exec plugin: interactiveMode is Always, but the standard input is not a terminal',
    },
    {
      name: 'a plugin of an unknown version',
      make: () => plugin('plugin', 'client.authentication.orch.io/v2'),
      sees: 'error: exec plugin: apiVersion "client.authentication.orch.io/v2" is not known; use client.authentication.orch.io/v1 or client.authentication.orch.io/v1beta1',
    },
    {
      name: 'a plugin that is not there, with a hint',
      make: () =>
        config(
          '{exec: {command: no-such-program, apiVersion: client.authentication.orch.io/v1beta1, installHint: get it from the shelf}}',
        ),
      sees: /no-such-program[^]*get it from the shelf/,
    },
    {
      name: 'two credentials at once',
      make: () => config('{token: a, username: b}'),
      sees: 'error: a user has either a token or a username and password, not both',
    },
  ]
  for (const { name, make, args = [], sees } of rows) {
    test(name, async () => {
      file('one', make())
      const filled = args.map((arg) => arg.replace('TOKEN', token))
      const [first = ''] = await whoami('--kubeconfig', 'one', ...filled)
      if (typeof sees === 'string') expect(first).toBe(sees)
      else expect(first).toMatch(sees)
    })
  }

  test('a plugin runs once for a command, and learns of its server when it wants to', async () => {
    rmSync(join(ctl.home, 'plugin.runs'), { force: true })
    file(
      'one',
      plugin('plugin', 'client.authentication.k8s.io/v1beta1', ', provideClusterInfo: true'),
    )
    await ctl.run(['get', 'ns', '--kubeconfig', 'one', '--cache-dir', 'fresh'])
    expect(readFileSync(join(ctl.home, 'plugin.runs'), 'utf8')).toBe('run\n')
    const info = JSON.parse(readFileSync(join(ctl.home, 'plugin.info'), 'utf8'))
    expect(info).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      spec: {
        cluster: {
          server: server.url,
          'certificate-authority-data': Buffer.from(server.ca).toString('base64'),
          config: null,
        },
        interactive: false,
      },
    })
  })

  for (const { args, sees } of [
    { args: ['--as', 'ann'], sees: ['Username: ann', 'Groups: [system:authenticated]'] },
    {
      args: ['--as', 'ann', '--as-group', 'a', '--as-group', 'b', '--as-uid', '7'],
      sees: ['Username: ann', 'UID: 7', 'Groups: [a b system:authenticated]'],
    },
    {
      args: ['--as-group', 'a'],
      sees: [
        'error: requesting uid, groups or user-extra without impersonating a user: give --as too',
      ],
    },
    {
      args: ['--as', 'ann', '--token=TOKEN'],
      sees: [
        `Error from server (Forbidden): users "ann" is forbidden: User "${ACCOUNT}" cannot impersonate resource "users" in API group "" at the cluster scope`,
      ],
    },
  ]) {
    test(args.join(' '), async () => {
      const filled = args.map((arg) => arg.replace('TOKEN', token))
      if (args.includes('--token=TOKEN')) {
        file('one', config('{}'))
        filled.push('--kubeconfig', 'one')
      }
      expect(await whoami(...filled)).toEqual(sees)
    })
  }
})

describe('tokens of an OpenID provider', () => {
  let provider: Server
  const asked: string[] = []
  const past = `e30.${Buffer.from('{"exp":1}').toString('base64url')}.x`
  beforeAll(async () => {
    const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 }
    const authority = issue({ subject: { commonName: 'idp' }, use: 'authority', ...times })
    const { cert, key } = issue({
      subject: { commonName: 'idp' },
      use: 'server',
      hosts: ['127.0.0.1'],
      issuer: authority,
      ...times,
    })
    file('idp.pem', authority.cert)
    provider = createServer({ cert, key }, (request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += String(chunk)))
      request.on('end', () => {
        asked.push(`${request.method} ${request.url} ${body}`)
        const refused = body.includes('refresh_token=spent')
        response.writeHead(refused ? 400 : 200)
        response.end(
          JSON.stringify(
            request.url === '/token'
              ? { id_token: token, refresh_token: 'second' }
              : { token_endpoint: `${issuer()}/token` },
          ),
        )
      })
    })
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
  })
  afterAll(() => {
    provider.closeAllConnections()
    provider.close()
  })
  const issuer = () => `https://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const oidc = (members: string) =>
    config(
      `{auth-provider: {name: oidc, config: {idp-issuer-url: "${issuer()}", client-id: me, client-secret: hush, idp-certificate-authority: idp.pem, ${members}}}}`,
    )

  test('are refreshed once, and written back', async () => {
    const path = file('one', oidc(`id-token: ${past}, refresh-token: first`))
    asked.length = 0
    for (const _ of [1, 2]) {
      expect((await whoami('--kubeconfig', 'one'))[0]).toBe(`Username: ${ACCOUNT}`)
    }
    expect(asked).toEqual([
      'GET /.well-known/openid-configuration ',
      'POST /token grant_type=refresh_token&refresh_token=first&client_id=me&client_secret=hush',
    ])
    const written = readFileSync(path, 'utf8')
    expect(written).toContain(`id-token: ${token}`)
    expect(written).toContain('refresh-token: second')
    expect(written).not.toContain(past)
  })
  for (const { members, says } of [
    {
      members: 'id-token: none',
      says: () =>
        'error: oidc: the id-token has expired, and there is no refresh-token: log in again',
    },
    {
      members: 'refresh-token: spent',
      says: () => `error: oidc: ${issuer()}: the provider answered 400: log in again`,
    },
  ]) {
    test(members, async () => {
      const text = oidc(members)
      const path = file('one', text)
      expect(await whoami('--kubeconfig', 'one')).toEqual([says()])
      expect(readFileSync(path, 'utf8')).toBe(text)
    })
  }
  test('another provider is refused', async () => {
    file('one', config('{auth-provider: {name: gcp}}'))
    expect(await whoami('--kubeconfig', 'one')).toEqual([
      'error: no Auth Provider found for name "gcp"; use exec, a token or oidc',
    ])
  })
})

test('a pod finds its server and its account', async () => {
  const pod = await Ctl.for('', {
    KUBECONFIG: '',
    ORCH_SERVICE_HOST: '127.0.0.1',
    ORCH_SERVICE_PORT: String(port),
  })
  const folder = join(pod.home, 'secrets/orch.io/serviceaccount')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of [
    ['token', token],
    ['ca.crt', server.ca],
    ['namespace', 'team'],
  ] as const)
    writeFileSync(join(folder, name), text)
  expect(await pod.ok('auth', 'whoami')).toContain(ACCOUNT)
  expect((await pod.run(['get', 'cm'])).stderr).toContain('in the namespace "team"')
  await pod.close()
})

test('files of the variable are one configuration, each entry from the first that has it', async () => {
  file(
    'a/config',
    'clusters: [{name: c, cluster: {server: SERVER, certificate-authority: ../ca.pem}}]\ncurrent-context: x\n'.replace(
      'SERVER',
      server.url,
    ),
  )
  const second = config('{tokenFile: ../token}', '{server: "https://127.0.0.1:1"}')
  const path = file('b/config', second.replace('current-context: x', 'current-context: other'))
  const both = await Ctl.for('', {
    KUBECONFIG: [join(ctl.home, 'a/config'), join(ctl.home, 'missing'), path].join(':'),
  })
  expect(await both.ok('auth', 'whoami')).toContain(ACCOUNT)
  await both.ok('config', 'set-context', 'x', '--namespace=team')
  expect(readFileSync(path, 'utf8')).toContain('namespace: team')
  await both.ok('config', 'use-context', 'x')
  expect(readFileSync(join(ctl.home, 'a/config'), 'utf8')).toContain('current-context: x')
  await both.close()
})

describe('proxies', () => {
  const FAR = 'https://api.example.test:6443'
  test('of the environment, with a password', async () => {
    const proxy = await ConnectProxy.start(port, 'me:pass word')
    const env = {
      KUBECONFIG: file(
        'far',
        config(
          '{tokenFile: token}',
          `{server: "${FAR}", tls-server-name: localhost, certificate-authority: ca.pem}`,
        ),
      ),
    }
    for (const { more, sees } of [
      { more: { HTTPS_PROXY: `http://me:pass%20word@${proxy.host}` }, sees: ACCOUNT },
      {
        more: { https_proxy: `me:wrong@${proxy.host}` },
        sees: `Unable to connect to the server: proxyconnect tcp: ${proxy.host}: 407 Proxy Authentication Required\n`,
      },
      {
        more: { HTTPS_PROXY: 'http://127.0.0.1:1' },
        sees: 'Unable to connect to the server: proxyconnect tcp: 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused\n',
      },
      {
        more: { HTTPS_PROXY: 'socks5://127.0.0.1:1' },
        sees: 'error: proxy-url is not an http or https URL: other proxies are not supported\n',
      },
    ]) {
      const one = await Ctl.for('', { ...env, ...more })
      const { stdout, stderr } = await one.run(['auth', 'whoami'])
      expect(stdout + stderr).toContain(sees)
      await one.close()
    }
    expect(new Set(proxy.seen)).toEqual(
      new Set(['api.example.test:6443 allowed', 'api.example.test:6443 refused']),
    )
    proxy.close()
  })
  test('of the configuration, before the environment', async () => {
    const proxy = await ConnectProxy.start(port)
    const cluster = `{server: "${FAR}", tls-server-name: localhost, certificate-authority: ca.pem, proxy-url: "http://${proxy.host}"}`
    const one = await Ctl.for(config('{tokenFile: token}', cluster), {
      KUBECONFIG: file('far', config('{tokenFile: token}', cluster)),
      HTTPS_PROXY: 'http://127.0.0.1:1',
      NO_PROXY: '*',
    })
    expect(await one.ok('auth', 'whoami')).toContain(ACCOUNT)
    expect(proxy.seen.length).toBeGreaterThan(0)
    await one.close()
    proxy.close()
  })
})
