import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hurriedClock, remoteService } from '../../test/remote-service.ts'
import { ManualClock } from '../base/clock.ts'
import { issue } from '../pki/issue.ts'
import { vocabularies } from '../vocabulary/index.ts'
import type { ClientConfig, ExecConfig } from './client-config.ts'
import { execPlugin, type ExecPlugin } from './exec-plugin.ts'
import { openJsonClient } from './json-call.ts'

const v = vocabularies.orch
const V1 = 'client.authentication.orch.io/v1'
const V1BETA1 = 'client.authentication.orch.io/v1beta1'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'exec-plugin-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const EXEC: ExecConfig = {
  command: 'sh',
  args: [],
  env: [],
  apiVersion: V1,
  installHint: '',
  provideClusterInfo: false,
  interactiveMode: 'IfAvailable',
}

/** A plugin that is a shell script; each run adds a line to the file of runs. */
function plugin(
  script: string,
  {
    exec = {},
    config = {},
    clock = new ManualClock(),
    vocabulary = v,
    interactive = false,
  }: {
    exec?: Partial<ExecConfig>
    config?: Partial<ClientConfig>
    clock?: ManualClock
    vocabulary?: typeof v
    interactive?: boolean
  } = {},
): ExecPlugin {
  const args = ['-c', script, 'plugin', dir]
  return execPlugin({
    config: { server: 'https://s', ...config, exec: { ...EXEC, args, ...exec } },
    v: vocabulary,
    clock,
    interactive,
  })
}

const says = (status: object, apiVersion = V1) =>
  `cat <<'END'\n${JSON.stringify({ kind: 'ExecCredential', apiVersion, status })}\nEND\n`

const problem = (work: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(work)
    .then(
      (value) => `no error: ${JSON.stringify(value)}`,
      (error: Error) => error.message,
    )

describe('output of a plugin', () => {
  const pair = issue({
    subject: { commonName: 'x' },
    use: 'client',
    notBeforeMs: 0,
    notAfterMs: 1e12,
  })
  for (const { name, status, credential } of [
    { name: 'a token', status: { token: 't' }, credential: { token: 't' } },
    {
      name: 'a certificate',
      status: { clientCertificateData: pair.cert, clientKeyData: pair.key },
      credential: { cert: pair.cert, key: pair.key },
    },
    {
      name: 'both',
      status: { token: 't', clientCertificateData: pair.cert, clientKeyData: pair.key },
      credential: { token: 't', cert: pair.cert, key: pair.key },
    },
  ]) {
    test(name, async () => expect(await plugin(says(status)).credential()).toEqual(credential))
  }
})

describe('input of a plugin', () => {
  for (const { name, options, variable, info } of [
    {
      name: 'little',
      options: {},
      variable: 'ORCH_EXEC_INFO',
      info: { kind: 'ExecCredential', apiVersion: V1, spec: { interactive: false } },
    },
    {
      name: 'in other words',
      options: {
        vocabulary: vocabularies.kubernetes,
        exec: { apiVersion: 'client.authentication.k8s.io/v1' },
      },
      variable: 'KUBERNETES_EXEC_INFO',
      info: {
        kind: 'ExecCredential',
        apiVersion: 'client.authentication.k8s.io/v1',
        spec: { interactive: false },
      },
    },
    {
      name: 'of the server',
      options: {
        exec: { provideClusterInfo: true },
        config: {
          ca: 'CA',
          tlsServerName: 'n',
          proxyUrl: 'http://p',
          insecureSkipTlsVerify: true,
          clusterExtensions: new Map([['client.authentication.orch.io/exec', { a: 2n ** 60n }]]),
        },
      },
      variable: 'ORCH_EXEC_INFO',
      info: {
        kind: 'ExecCredential',
        apiVersion: V1,
        spec: {
          cluster: {
            server: 'https://s',
            'tls-server-name': 'n',
            'insecure-skip-tls-verify': true,
            'certificate-authority-data': 'Q0E=',
            'proxy-url': 'http://p',
            config: { a: 2 ** 60 },
          },
          interactive: false,
        },
      },
    },
  ]) {
    test(name, async () => {
      const { apiVersion } = info
      const script = `printf %s "$${variable}" > "$1/info"\n${says({ token: 't' }, apiVersion)}`
      await plugin(script, options).credential()
      expect(JSON.parse(await readFile(join(dir, 'info'), 'utf8'))).toEqual(info)
    })
  }

  test('its own environment', async () => {
    const script = `printf '{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"%s"}}' "$GREETING"`
    const made = plugin(script, { exec: { env: [{ name: 'GREETING', value: 'hello' }] } })
    expect(await made.credential()).toEqual({ token: 'hello' })
  })
})

describe('how long it holds', () => {
  const counting = (status: string) =>
    `echo run >> "$1/$2"; n=$(wc -l < "$1/$2")
printf '{"kind":"ExecCredential","apiVersion":"${V1}","status":{"token":"t%d"${status}}}' "$n"`
  const counted = (name: string, status = '', clock = new ManualClock()) =>
    plugin('', {
      clock,
      exec: { args: ['-c', counting(status), 'plugin', dir, name] },
    })

  test('until it ends', async () => {
    const clock = new ManualClock(Date.parse('2024-01-01T00:00:00Z'))
    const made = counted('expiry', ',"expirationTimestamp":"2024-01-01T00:01:00Z"', clock)
    expect(await made.credential()).toEqual({ token: 't1' })
    clock.advance(59_999)
    expect(await made.credential()).toEqual({ token: 't1' })
    clock.advance(1)
    expect(await made.credential()).toEqual({ token: 't2' })
  })

  test('until it is refused, without an end', async () => {
    const clock = new ManualClock()
    const made = counted('refused', '', clock)
    expect(await made.credential()).toEqual({ token: 't1' })
    clock.advance(1e12)
    expect(await made.credential()).toEqual({ token: 't1' })
    made.forget('another', undefined)
    expect(await made.credential()).toEqual({ token: 't1' })
    made.forget('t1', undefined)
    expect(await made.credential()).toEqual({ token: 't2' })
    made.forget('t1', undefined)
    expect(await made.credential()).toEqual({ token: 't2' })
  })

  test('concurrent requests share one run', async () => {
    const made = counted('merged')
    expect(await Promise.all([made.credential(), made.credential()])).toEqual([
      { token: 't1' },
      { token: 't1' },
    ])
  })

  test('a failure is not cached', async () => {
    const made = plugin(
      `test -e "$1/second" && { ${says({ token: 't' })} }\ntouch "$1/second"; exit 3`.replace(
        /END\n }/,
        'END\nexit 0; }',
      ),
    )
    expect(await problem(() => made.credential())).toBe(
      'exec plugin: executable sh failed with exit code 3',
    )
    expect(await made.credential()).toEqual({ token: 't' })
  })
})

describe('failures', () => {
  const wrongVersion = `exec plugin: it is configured for "ExecCredential" of "${V1}", but answered`
  const cases: {
    name: string
    script?: string
    exec?: Record<string, unknown>
    message: string
  }[] = [
    {
      name: 'a version nobody knows',
      exec: { apiVersion: 'v3' },
      message: `exec plugin: apiVersion "v3" is not known; use ${V1} or ${V1BETA1}`,
    },
    {
      name: 'no mode',
      exec: { interactiveMode: undefined },
      message: `exec plugin: interactiveMode is required in ${V1}`,
    },
    {
      name: 'a person is needed',
      exec: { interactiveMode: 'Always' },
      message: 'exec plugin: interactiveMode is Always, but the standard input is not a terminal',
    },
    {
      name: 'no such program',
      exec: { command: 'no-such-program' },
      message: 'exec plugin: executable no-such-program not found',
    },
    {
      name: 'no such program, and how to get it',
      exec: { command: 'no-such-program', installHint: 'get it there' },
      message: 'exec plugin: executable no-such-program not found\n\nget it there',
    },
    {
      name: 'a failure, with a secret on the way',
      script: 'echo secret; exit 1',
      message: 'exec plugin: executable sh failed with exit code 1',
    },
    {
      name: 'a signal',
      script: 'kill -TERM $$',
      message: 'exec plugin: executable sh failed: SIGTERM',
    },
    {
      name: 'too much',
      script: 'head -c 1048577 /dev/zero',
      message: 'exec plugin: executable sh answers too much',
    },
    {
      name: 'no program at all',
      exec: { command: '/' },
      message: 'exec plugin: executable / cannot be run: EACCES',
    },
    { name: 'no JSON', script: 'echo secret', message: 'exec plugin: the answer is not JSON' },
    { name: 'a list', script: 'echo []', message: 'exec plugin: the answer is not a map' },
    {
      name: 'another kind',
      script: 'echo {}',
      message: `${wrongVersion} "" of ""`,
    },
    {
      name: 'another version',
      script: says({ token: 't' }, V1BETA1),
      message: `${wrongVersion} "ExecCredential" of "${V1BETA1}"`,
    },
    {
      name: 'no status',
      script: `echo '{"kind":"ExecCredential","apiVersion":"${V1}"}'`,
      message: 'exec plugin: the answer has no status',
    },
    {
      name: 'nothing',
      script: says({}),
      message: 'exec plugin: the answer has neither a token nor a certificate',
    },
    {
      name: 'no key',
      script: says({ clientCertificateData: 'x' }),
      message: 'exec plugin: the answer has a certificate or a key, but not both',
    },
    {
      name: 'no certificate',
      script: says({ clientCertificateData: 'x', clientKeyData: 'secret' }),
      message: 'the client certificate or its key cannot be read',
    },
  ]
  for (const { name, script = '', exec = {}, message } of cases) {
    test(name, async () => {
      const options = { exec: exec as Partial<ExecConfig> }
      expect(await problem(() => plugin(script, options).credential())).toBe(message)
    })
  }

  test('in v1beta1 the mode may be left out', async () => {
    const { interactiveMode: _, ...exec } = { ...EXEC, apiVersion: V1BETA1 }
    const args = ['-c', says({ token: 't' }, V1BETA1)]
    const made = execPlugin({
      config: { server: 'https://s', exec: { ...exec, args } },
      v,
      clock: new ManualClock(),
    })
    expect(await made.credential()).toEqual({ token: 't' })
  })
})

test('a call sends the credentials of the plugin, and runs it again after 401', async () => {
  const remote = await remoteService()
  const [one, two] = [remote.clientCertificate('one'), remote.clientCertificate('two')]
  for (const [name, { cert, key }] of Object.entries({ one, two })) {
    const status = { token: `token-${name}`, clientCertificateData: cert, clientKeyData: key }
    const answer = { kind: 'ExecCredential', apiVersion: V1, status }
    await writeFile(join(dir, `${name}.json`), JSON.stringify(answer))
  }
  const script = 'cat "$1/one.json"; mv -f "$1/two.json" "$1/one.json" 2>/dev/null || true'
  const client = await openJsonClient({
    config: {
      server: remote.url,
      ca: remote.ca,
      exec: { ...EXEC, args: ['-c', script, 'plugin', dir] },
    },
    v,
    clock: hurriedClock([]),
    ids: { fraction: () => 0 },
  })
  remote.replies = [{}, { code: 401 }, {}]
  await client.call({})
  expect(await problem(() => client.call({}))).toBe(
    `Post "${remote.url}?timeout=30s": the server answered 401 Unauthorized`,
  )
  await client.call({})
  expect(remote.requests.map(({ client, headers }) => [client, headers['authorization']])).toEqual([
    ['one', 'Bearer token-one'],
    ['one', 'Bearer token-one'],
    ['two', 'Bearer token-two'],
  ])
  client.close()
  await remote.close()
})
