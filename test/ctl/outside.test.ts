/** Requests to servers other than the API server, through a proxy of the environment and without. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { ConnectProxy } from './connect-proxy.fixture.ts'
import { Ctl } from './run.ts'

let server: RunningServer
let ctl: Ctl
let other: Server
let proxy: ConnectProxy
let ca = ''
let token = ''
const asked: string[] = []

beforeAll(async () => {
  server = await startServer()
  await server.settled()
  const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 }
  const issuer = issue({ subject: { commonName: 'ca' }, use: 'authority', ...times })
  const hosts = ['other.example.test', '127.0.0.1']
  const subject = { commonName: 'other' }
  const { cert, key } = issue({ subject, use: 'server', hosts, issuer, ...times })
  ca = issuer.cert
  other = createServer({ cert, key }, (request, response) => {
    asked.push(`${request.method} ${request.headers.host!.split(':')[0]} ${request.url}`)
    request.resume()
    const answers: Record<string, readonly [status: number, body: string]> = {
      '/cm.yaml': [200, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\n'],
      '/moved': [302, ''],
      '/.well-known/openid-configuration': [
        200,
        '{"token_endpoint":"https://other.example.test/token"}',
      ],
      '/token': [200, JSON.stringify({ id_token: token })],
    }
    const [status, body] = answers[request.url!] ?? [404, '']
    response.writeHead(status, status === 302 ? { location: '/cm.yaml' } : {}).end(body)
  })
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  proxy = await ConnectProxy.start((other.address() as AddressInfo).port)
  ctl = await Ctl.for(server.kubeconfig)
  token = (await ctl.ok('create', 'token', 'default')).trim()
})
beforeEach(() => {
  asked.length = 0
  proxy.seen.length = 0
})
afterAll(async () => {
  proxy.close()
  other.closeAllConnections()
  other.close()
  await ctl.close()
  await server.close()
})

/** A user whose environment names the proxy. */
async function behind(config: string, env: Readonly<Record<string, string>> = {}): Promise<Ctl> {
  const one = await Ctl.for(config, { HTTPS_PROXY: `http://${proxy.host}`, ...env })
  writeFileSync(join(one.home, 'ca.pem'), ca)
  return one
}

test('a file behind a URL', async () => {
  const one = await behind(server.kubeconfig, { SSL_CERT_FILE: join(ctl.home, 'ca.pem') })
  writeFileSync(join(ctl.home, 'ca.pem'), ca)
  const apply = (path: string, host = 'other.example.test') =>
    one.run(['apply', '-f', `https://${host}${path}`])
  expect(await apply('/cm.yaml')).toMatchObject({ stdout: 'configmap/far created\n', stderr: '' })
  expect(await apply('/moved')).toMatchObject({ stdout: 'configmap/far unchanged\n' })
  expect(await apply('/nope')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error: unable to read URL "https://other.example.test/nope", server reported 404 Not Found, status code=404\n',
  })
  expect(proxy.seen).toEqual(Array(4).fill('other.example.test:443 allowed'))
  expect(asked).toEqual(
    ['/cm.yaml', '/moved', '/cm.yaml', '/nope'].map((path) => `GET other.example.test ${path}`),
  )
  // Servers of this machine are reached without.
  const { port } = other.address() as AddressInfo
  expect(await apply('/cm.yaml', `127.0.0.1:${port}`)).toMatchObject({ code: 0 })
  expect(proxy.seen).toHaveLength(4)
  await one.close()
})

test('what fails says where', async () => {
  for (const { env, why } of [
    {
      env: { HTTPS_PROXY: 'http://127.0.0.1:1' },
      why: 'proxyconnect tcp: 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused',
    },
    {
      env: { HTTPS_PROXY: 'socks5://127.0.0.1:1' },
      why: 'the proxy is not an http or https URL: other proxies are not supported',
    },
    { env: {}, why: 'x509: certificate signed by unknown authority' },
  ]) {
    const one = await behind(server.kubeconfig, env)
    expect(await one.run(['apply', '-f', 'https://other.example.test/cm.yaml'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: unable to read URL "https://other.example.test/cm.yaml", ${why}\n`,
    })
    await one.close()
  }
})

test('an identity provider', async () => {
  const one = await behind(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: ${server.url}, certificate-authority-data: ${Buffer.from(server.ca).toString('base64')}}}]
users:
- name: u
  user: {auth-provider: {name: oidc, config: {idp-issuer-url: "https://other.example.test", client-id: me, refresh-token: first, idp-certificate-authority: ca.pem}}}
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`)
  expect(await one.ok('auth', 'whoami')).toContain('system:serviceaccount:default:default')
  expect(asked).toEqual([
    'GET other.example.test /.well-known/openid-configuration',
    'POST other.example.test /token',
  ])
  expect(new Set(proxy.seen)).toEqual(new Set(['other.example.test:443 allowed']))
  expect(readFileSync(join(one.home, 'config'), 'utf8')).toContain(token)
  await one.close()
})
