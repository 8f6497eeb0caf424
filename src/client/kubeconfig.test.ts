import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { adminKubeconfig, loadKubeconfig, readKubeconfig } from './kubeconfig.ts'

const made = (server = 'https://127.0.0.1:6443', vocabulary = vocabularies.orch) =>
  adminKubeconfig({ server, ca: 'CA\n', cert: 'CERT\n', key: 'KEY\n', vocabulary })

test('the administrator gets a whole configuration', () => {
  expect(made()).toBe(`apiVersion: v1
kind: Config
clusters:
- name: orch
  cluster:
    server: https://127.0.0.1:6443
    certificate-authority-data: Q0EK
users:
- name: orch-admin
  user:
    client-certificate-data: Q0VSVAo=
    client-key-data: S0VZCg==
contexts:
- name: orch-admin@orch
  context:
    cluster: orch
    user: orch-admin
current-context: orch-admin@orch
`)
})

describe('a written configuration can be read', () => {
  for (const server of ['https://127.0.0.1:6443', 'https://[::1]:1', 'https://box.example:65535']) {
    for (const vocabulary of Object.values(vocabularies)) {
      test(`${server} in ${vocabulary.name}`, async () => {
        expect(await readKubeconfig(made(server, vocabulary))).toEqual({
          server,
          ca: 'CA\n',
          cert: 'CERT\n',
          key: 'KEY\n',
        })
      })
    }
  }
})

const TWO = `
clusters:
- {name: a, cluster: {server: https://a}}
- {name: b, cluster: {server: https://b}}
users:
- {name: u, user: {token: t}}
contexts:
- {name: one, context: {cluster: a}}
- {name: two, context: {cluster: b, user: u, namespace: team}}
current-context: one
`

describe('contexts', () => {
  for (const { name, context, config } of [
    { name: 'the current one', context: undefined, config: { server: 'https://a' } },
    {
      name: 'another by name',
      context: 'two',
      config: { server: 'https://b', token: 't', namespace: 'team' },
    },
  ]) {
    test(name, async () => expect(await readKubeconfig(TWO, context)).toEqual(config))
  }
})

describe('refused', () => {
  for (const { name, text, message } of [
    { name: 'nothing', text: '', message: 'the configuration is not a map' },
    { name: 'a list', text: '[]', message: 'the configuration is not a map' },
    { name: 'no context', text: 'kind: Config', message: 'no current-context is set' },
    { name: 'unknown context', text: 'current-context: x', message: 'context "x" does not exist' },
    {
      name: 'unknown cluster',
      text: 'contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x',
      message: 'cluster "c" does not exist',
    },
    {
      name: 'unknown user',
      text: TWO.replace('name: u,', 'name: v,').replace(
        'current-context: one',
        'current-context: two',
      ),
      message: 'user "u" does not exist',
    },
    {
      name: 'no server',
      text: TWO.replace('server: https://a', 'server: ""'),
      message: 'the cluster of context "one" has no server',
    },
    {
      name: 'a number as server',
      text: TWO.replace('server: https://a', 'server: 1'),
      message: 'server is not a string',
    },
    { name: 'another kind', text: 'kind: Pod', message: 'of kind "Pod", version "v1", not' },
    { name: 'another version', text: 'apiVersion: v2', message: 'of kind "Config", version "v2"' },
    {
      name: 'two clusters of one name',
      text: TWO.replace('name: b, cluster', 'name: a, cluster'),
      message: 'cluster "a" stands in clusters more than once',
    },
    {
      name: 'clusters that are no list',
      text: 'clusters: {}\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x',
      message: 'clusters is not a list',
    },
  ]) {
    test(name, () => expect(readKubeconfig(text)).rejects.toThrow(message))
  }
})

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'client-config-'))
  await mkdir(join(dir, 'pki'))
  await writeFile(join(dir, 'pki', 'ca.pem'), 'CA\n')
  await writeFile(join(dir, 'pki', 'cert.pem'), 'CERT\n')
  await writeFile(join(dir, 'key.pem'), 'KEY\n')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const one = (cluster: string, user: string) => `
clusters: [{name: c, cluster: {server: https://s, ${cluster}}}]
users: [{name: u, user: {${user}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

describe('clusters', () => {
  for (const { name, text, config } of [
    { name: 'data', text: 'certificate-authority-data: Q0EK', config: { ca: 'CA\n' } },
    {
      name: 'data in lines',
      text: 'certificate-authority-data: "Q0\\n EK"',
      config: { ca: 'CA\n' },
    },
    { name: 'a file', text: 'certificate-authority: pki/ca.pem', config: { ca: 'CA\n' } },
    {
      name: 'data before a file',
      text: 'certificate-authority: gone, certificate-authority-data: Q0EK',
      config: { ca: 'CA\n' },
    },
    {
      name: 'no check',
      text: 'insecure-skip-tls-verify: true',
      config: { insecureSkipTlsVerify: true },
    },
    { name: 'a check', text: 'insecure-skip-tls-verify: false', config: {} },
    { name: 'a name', text: 'tls-server-name: name', config: { tlsServerName: 'name' } },
    { name: 'a proxy', text: 'proxy-url: http://p', config: { proxyUrl: 'http://p' } },
    {
      name: 'more',
      text: 'extensions: [{name: e, extension: {a: 1}}]',
      config: { clusterExtensions: new Map([['e', { a: 1 }]]) },
    },
    { name: 'nothing', text: 'certificate-authority: null, proxy-url: ""', config: {} },
  ]) {
    test(name, async () => {
      const read = await readKubeconfig(one(text, ''), undefined, dir)
      expect(read).toEqual({ server: 'https://s', ...config })
    })
  }
})

describe('users', () => {
  const exec = { args: [], env: [], apiVersion: 'a/v1', installHint: '', provideClusterInfo: false }
  for (const { name, text, config } of [
    { name: 'a token', text: 'token: t', config: () => ({ token: 't' }) },
    {
      name: 'a token in a file',
      text: 'tokenFile: t',
      config: () => ({ tokenFile: join(dir, 't') }),
    },
    { name: 'both', text: 'token: t, tokenFile: f', config: () => ({ token: 't' }) },
    {
      name: 'a password',
      text: 'username: u, password: p',
      config: () => ({ username: 'u', password: 'p' }),
    },
    {
      name: 'a certificate in files',
      text: 'client-certificate: pki/cert.pem, client-key: key.pem',
      config: () => ({
        cert: 'CERT\n',
        key: 'KEY\n',
        certFile: join(dir, 'pki', 'cert.pem'),
        keyFile: join(dir, 'key.pem'),
      }),
    },
    {
      name: 'a certificate in a file, the key inside',
      text: 'client-certificate: pki/cert.pem, client-key-data: S0VZCg==',
      config: () => ({ cert: 'CERT\n', key: 'KEY\n' }),
    },
    {
      name: 'somebody else',
      text: 'as: a, as-uid: "1", as-groups: [g], as-user-extra: {k: [v], __proto__: [w]}',
      config: () => ({
        impersonate: {
          user: 'a',
          uid: '1',
          groups: ['g'],
          extra: [
            ['k', ['v']],
            ['__proto__', ['w']],
          ],
        },
      }),
    },
    {
      name: 'a program beside the file',
      text: 'exec: {command: bin/x, apiVersion: a/v1}',
      config: () => ({ exec: { ...exec, command: join(dir, 'bin', 'x') } }),
    },
    {
      name: 'a program in the search path',
      text: 'exec: {command: x, apiVersion: a/v1, env: null}',
      config: () => ({ exec: { ...exec, command: 'x' } }),
    },
    {
      name: 'a program with everything',
      text: 'exec: {command: /x, apiVersion: a/v1, args: [arg], env: [{name: first, value: v}, {name: m}], installHint: h, provideClusterInfo: true, interactiveMode: Never}',
      config: () => ({
        exec: {
          command: '/x',
          apiVersion: 'a/v1',
          args: ['arg'],
          env: [
            { name: 'first', value: 'v' },
            { name: 'm', value: '' },
          ],
          installHint: 'h',
          provideClusterInfo: true,
          interactiveMode: 'Never',
        },
      }),
    },
  ]) {
    test(name, async () => {
      const read = await readKubeconfig(one('', text), undefined, dir)
      expect(read).toEqual({ server: 'https://s', ...config() })
    })
  }
})

describe('clusters and users that are refused', () => {
  for (const { cluster = '', user = '', message } of [
    {
      cluster: 'certificate-authority-data: Q0EK, insecure-skip-tls-verify: true',
      message: 'certificate-authority makes no sense with insecure-skip-tls-verify',
    },
    {
      cluster: 'certificate-authority-data: Q',
      message: 'certificate-authority-data is not base64',
    },
    {
      cluster: 'insecure-skip-tls-verify: "yes"',
      message: 'insecure-skip-tls-verify is not true or false',
    },
    {
      cluster: 'certificate-authority: gone',
      message: 'cannot read certificate-authority: there is no such file',
    },
    { cluster: 'extensions: [a]', message: 'an item of extensions is not a map' },
    {
      user: 'auth-provider: {name: x}',
      message: 'auth-provider is not supported; use exec or a token',
    },
    {
      user: 'client-certificate-data: Q0EK',
      message: 'client-certificate comes without client-key',
    },
    { user: 'client-key-data: Q0EK', message: 'client-key comes without client-certificate' },
    {
      user: 'token: t, username: u',
      message: 'a user has either a token or a username and password, not both',
    },
    { user: 'token: 123', message: 'token is not a string' },
    { user: 'as-groups: [a]', message: 'as-uid, as-groups and as-user-extra need as' },
    { user: 'as: a, as-groups: [1]', message: 'as-groups is not a list of strings' },
    { user: 'exec: {}', message: 'exec has no command' },
    { user: 'exec: {command: x}', message: 'exec has no apiVersion' },
    {
      user: 'exec: {command: x, apiVersion: v, interactiveMode: Maybe}',
      message: 'interactiveMode of exec is "Maybe", not Never, IfAvailable, Always',
    },
    { user: 'exec: {command: x, apiVersion: v, env: [{}]}', message: 'an item of env has no name' },
  ]) {
    test(message, () =>
      expect(readKubeconfig(one(cluster, user), undefined, dir)).rejects.toThrow(message),
    )
  }
})

describe('files', () => {
  test('paths start where the file is', async () => {
    await writeFile(
      join(dir, 'pki', 'config'),
      one('certificate-authority: ca.pem', 'tokenFile: t'),
    )
    expect(await loadKubeconfig(join(dir, 'pki', 'config'))).toEqual({
      server: 'https://s',
      ca: 'CA\n',
      tokenFile: join(dir, 'pki', 't'),
    })
  })

  test('errors name the file', async () => {
    await writeFile(join(dir, 'bad'), '[]')
    await expect(loadKubeconfig(join(dir, 'bad'))).rejects.toThrow(
      `cannot use the client configuration ${join(dir, 'bad')}: the configuration is not a map`,
    )
  })
})
