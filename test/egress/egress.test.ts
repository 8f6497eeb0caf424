/** A server that reaches nothing by itself: nodes, services, webhooks and its store are behind proxies. */
import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, request as httpsRequest, type Server } from 'node:https'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { Client } from '../client.ts'
import { apiService } from '../aggregation/extension-server.fixture.ts'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from '../store/etcd.ts'
import { EgressProxy } from './egress-proxy.fixture.ts'
import { GrpcProxy } from './grpc-proxy.fixture.ts'

const NS = '/api/v1/namespaces/default'
const times = { notBeforeMs: Date.now() - 60_000, notAfterMs: Date.now() + 3_600_000 }
const authority = issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })
const certificate = (name: string, ...hosts: string[]) =>
  issue({
    ...times,
    subject: { commonName: name },
    use: hosts.length > 0 ? 'server' : 'client',
    ...(hosts.length > 0 ? { hosts } : {}),
    issuer: authority,
  })
const caBundle = Buffer.from(authority.cert).toString('base64')

const dir = mkdtempSync(join(tmpdir(), 'egress-'))
const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}
afterAll(() => {
  for (const one of servers) {
    one.closeAllConnections()
    one.close()
  }
  rmSync(dir, { recursive: true, force: true })
})

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void

/** Servers that only proxies know the way to. */
const servers: Server[] = []
async function listening(name: string, answer: Answer): Promise<number> {
  const server = createServer(certificate(name, name), (request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += String(chunk)))
    request.on('end', () => answer(request, body, response))
  })
  server.on('upgrade', (_, socket: Duplex, head: Buffer) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n')
    socket.on('error', () => {})
    socket.write(head)
    socket.pipe(socket)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const json = (response: ServerResponse, body: object) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}
/** The file that says where a webhook is. */
function webhookAt(host: string): string {
  const cluster = { server: `https://${host}/review`, 'certificate-authority-data': caBundle }
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: {} }],
    clusters: [{ name: 'a', cluster }],
  }
  return file(`${host}.json`, JSON.stringify(config))
}

/** A webhook that allows everything, and knows every token. */
const review: Answer = (_, body, response) => {
  const { kind, apiVersion, request } = JSON.parse(body)
  const status =
    kind === 'TokenReview'
      ? { authenticated: true, user: { username: 'somebody' } }
      : { allowed: true }
  const allowed = { uid: request?.uid, allowed: true }
  json(response, {
    ...{ kind, apiVersion },
    ...(kind === 'AdmissionReview' ? { response: allowed } : { status }),
  })
}

function execOn(server: RunningServer, upgrade: string) {
  const read = (name: string) =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')
  const path = `${NS}/pods/pod/exec?command=sh&stdin=true&stdout=true`
  const message = httpsRequest(new URL(path, server.url), {
    ...{ agent: false, ca: server.ca },
    ...{ cert: read('client-certificate-data'), key: read('client-key-data') },
    headers: { connection: 'Upgrade', upgrade },
  })
  message.end()
  return message
}

/** Sends a megabyte to an exec that echoes. */
async function echoed(message: ReturnType<typeof execOn>): Promise<void> {
  const [, socket] = (await once(message, 'upgrade')) as [IncomingMessage, Socket]
  const sent = Buffer.alloc(1 << 20, 'there and back ')
  socket.write(sent)
  let got = 0
  for await (const data of socket) if ((got += (data as Buffer).length) >= sent.length) break
  expect(got).toBe(sent.length)
}

/** A node, and a pod on it. */
async function nodeAndPod(client: Client): Promise<void> {
  const container = { name: 'c', image: 'i' }
  const made = [
    await client.post('/api/v1/nodes', { metadata: { name: 'node-1' } }),
    await client.merge('/api/v1/nodes/node-1/status', {
      status: { addresses: [{ type: 'Hostname', address: 'node-1.invalid' }] },
    }),
    await client.post(`${NS}/pods`, {
      metadata: { name: 'pod' },
      spec: { nodeName: 'node-1', containers: [container] },
    }),
  ]
  for (const { status, text } of made) expect(status, text).toBeLessThan(300)
}

const agent: Answer = ({ url }, body, response) => void response.end(`${url} ${body.length}`)

describe.skipIf(!hasEtcd)(`behind proxies${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
  let etcd: Etcd
  let cluster: EgressProxy
  let controlplane: EgressProxy
  let server: RunningServer
  let client: Client

  beforeAll(async () => {
    etcd = await startEtcd()
    const tls = { ...certificate('proxy', '127.0.0.1'), ca: authority.cert }
    cluster = await EgressProxy.start({ tls: { ...tls, rejectUnauthorized: true } })
    controlplane = await EgressProxy.start({ path: join(dir, 'proxy.sock') })
    const own = certificate('apiserver')
    const tlsConfig = {
      caBundle: file('ca', authority.cert),
      clientCert: file('cert', own.cert),
      clientKey: file('key', own.key),
    }
    const tcp = { url: `https://user:secret@127.0.0.1:${cluster.port}`, tlsConfig }
    const through = (transport: object) => ({ proxyProtocol: 'HTTPConnect', transport })
    const unix = through({ uds: { udsName: join(dir, 'proxy.sock') } })
    const egress = {
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [
        { name: 'cluster', connection: through({ tcp }) },
        { name: 'controlplane', connection: unix },
        { name: 'etcd', connection: unix },
      ],
    }
    const etcdPort = Number(new URL(etcd.url).port)
    controlplane.places.set('etcd.invalid:2379', etcdPort)
    controlplane.places.set('tokens.invalid:443', await listening('tokens.invalid', review))
    server = await startServer({
      vocabulary: 'kubernetes',
      controllers: false,
      disableAdmissionPlugins: ['ServiceAccount'],
      agentTls: { ca: authority.cert },
      etcd: { servers: ['http://etcd.invalid:2379'], prefix: '/registry' },
      egressSelectorConfigFile: file('egress.json', JSON.stringify(egress)),
      authentication: { webhook: { configFile: webhookAt('tokens.invalid') } },
    })
    client = new Client(server)
    cluster.places.set('node-1.invalid:10250', await listening('node-1.invalid', agent))
    await nodeAndPod(client)
  })
  afterEach(() => {
    cluster.misdeed = null
    controlplane.misdeed = null
  })
  afterAll(async () => {
    client?.close()
    await server?.close()
    cluster?.close()
    controlplane?.close()
    await etcd?.close()
  })

  const made = async (path: string, body: object) => {
    const reply = await client.post(path, body)
    expect(reply.status, reply.text).toBe(201)
    return reply.body
  }
  /** A service behind the proxy of the cluster, which is at its cluster IP. */
  const service = async (name: string, answer: Answer) => {
    const { spec } = await made(`${NS}/services`, {
      metadata: { name },
      spec: { ports: [{ port: 443 }] },
    })
    const at = `${spec.clusterIP}:443`
    cluster.places.set(at, await listening(`${name}.default.svc`, answer))
    return at
  }

  test('the store', () => {
    expect(controlplane.take()).toContain('etcd.invalid:2379')
  })

  test('logs, and the proxy of a node', async () => {
    cluster.take()
    const log = await client.get(`${NS}/pods/pod/log`)
    expect([log.status, log.text]).toEqual([200, '/containerLogs/default/pod/c 0'])
    const metrics = await client.post('/api/v1/nodes/node-1/proxy/a?b=c', { d: 1 })
    expect([metrics.status, metrics.text]).toEqual([200, '/a?b=c 7'])
    expect(cluster.take()).toEqual(['node-1.invalid:10250'])
  })

  const exec = (upgrade: string) => execOn(server, upgrade)

  for (const upgrade of ['websocket', 'SPDY/3.1']) {
    test(`exec over ${upgrade}`, async () => {
      await echoed(exec(upgrade))
      expect(cluster.take()).toEqual(['node-1.invalid:10250'])
    })
  }

  test('an extension server', async () => {
    await made(`${NS}/services`, {
      metadata: { name: 'extension' },
      spec: { type: 'ExternalName', externalName: 'ext.invalid' },
    })
    const port = await listening('extension.default.svc', (request, _, response) =>
      json(response, { at: request.url }),
    )
    cluster.places.set('ext.invalid:443', port)
    await made(
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService('ext.example.com/v1', {
        service: { name: 'extension', namespace: 'default' },
        caBundle,
      }),
    )
    const path = '/apis/ext.example.com/v1/things'
    await expect.poll(async () => (await client.get(path)).body).toEqual({ at: path })
    expect(cluster.take()).toEqual(['ext.invalid:443'])
  })

  test('admission webhooks: services are in the cluster, URLs are not', async () => {
    const at = await service('hook', review)
    const port = await listening('hook.invalid', review)
    controlplane.places.set('hook.invalid:8443', port)
    const hook = (name: string, clientConfig: object) => ({
      ...{ name, sideEffects: 'None', admissionReviewVersions: ['v1'] },
      clientConfig: { ...clientConfig, caBundle },
      rules: [
        { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
      ],
    })
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    await made(path, {
      metadata: { name: 'hooks' },
      webhooks: [
        hook('service.example.com', { service: { namespace: 'default', name: 'hook' } }),
        hook('url.example.com', { url: 'https://hook.invalid:8443/a' }),
      ],
    })
    controlplane.take()
    await expect
      .poll(async () => {
        await made(`${NS}/configmaps`, { metadata: { generateName: 'a-' } })
        return [cluster.take(), controlplane.take()]
      })
      .toEqual([[at], ['hook.invalid:8443']])
    await client.delete(`${path}/hooks`)
  })

  test('the webhook for tokens', async () => {
    controlplane.take()
    const somebody = new Client(server, { token: 'a token' })
    expect((await somebody.get('/api/v1/nodes')).body.message).toContain('User "somebody"')
    somebody.close()
    expect(controlplane.take()).toEqual(['tokens.invalid:443'])
  })

  describe('a proxy that does not connect', () => {
    const failure = (why: string) => ({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `error trying to reach service: ${why}`,
      reason: 'ServiceUnavailable',
      code: 503,
    })
    const proxyError = (why: string) =>
      failure(
        `proxy error from https://127.0.0.1:${cluster.port} while dialing node-1.invalid:10250: ${why}`,
      )
    for (const [name, misdeed, why] of [
      [
        'refuses',
        (socket) => void socket.end('HTTP/1.1 403 Forbidden\r\n\r\nsecret'),
        '403 Forbidden',
      ],
      ['closes', (socket) => void socket.destroy(), 'EOF'],
      [
        'answers with a megabyte',
        (socket) => void socket.end(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(1 << 20)}\r\n\r\n`),
        'the head of the answer is too long',
      ],
    ] as const satisfies (readonly [string, (socket: Duplex) => void, string])[]) {
      test(name, async () => {
        cluster.misdeed = misdeed
        const reply = await client.get(`${NS}/pods/pod/log`)
        expect([reply.status, reply.body]).toEqual([503, proxyError(why)])
        const [answer] = (await once(exec('websocket'), 'response')) as [IncomingMessage]
        expect(answer.statusCode).toBe(503)
        answer.resume()
      })
    }

    test('does not know the target', async () => {
      await made('/api/v1/nodes', { metadata: { name: 'far' } })
      await client.merge('/api/v1/nodes/far/status', {
        status: { addresses: [{ type: 'InternalIP', address: 'fd00::7' }] },
      })
      const reply = await client.get('/api/v1/nodes/far/proxy/a')
      expect(reply.body.message).toBe(
        `error trying to reach service: proxy error from https://127.0.0.1:${cluster.port} while dialing [fd00::7]:10250: 502 Bad Gateway`,
      )
    })

    test('addresses of this machine are refused before', async () => {
      await made('/api/v1/nodes', { metadata: { name: 'here' } })
      await client.merge('/api/v1/nodes/here/status', {
        status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
      })
      cluster.take()
      const reply = await client.get('/api/v1/nodes/here/proxy/a')
      expect([reply.status, reply.body.message]).toEqual([400, 'address not allowed'])
      // The extension server is asked for its health in the background.
      expect(cluster.take().filter((target) => target !== 'ext.invalid:443')).toEqual([])
    })

    test('breaks an exec off in the middle', async () => {
      const [, socket] = (await once(exec('websocket'), 'upgrade')) as [IncomingMessage, Socket]
      cluster.cut()
      socket.resume()
      await once(socket, 'close')
    })
  })

  test('metrics count what happened', async () => {
    const { text } = await client.get('/metrics')
    const counted = (name: string) =>
      text.split('\n').filter((line) => line.startsWith(`apiserver_egress_dialer_dial_${name}{`))
    expect(
      counted('duration_seconds_count')
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual([
      'apiserver_egress_dialer_dial_duration_seconds_count{protocol="http_connect",transport="tcp"}',
      'apiserver_egress_dialer_dial_duration_seconds_count{protocol="http_connect",transport="uds"}',
    ])
    const [failures, ...more] = counted('failure_count').map((line) => line.split(' '))
    expect(more).toEqual([])
    expect(failures?.[0]).toBe(
      'apiserver_egress_dialer_dial_failure_count{protocol="http_connect",stage="proxy",transport="tcp"}',
    )
    // Seven calls failed here; questions for an extension server's health may add to them.
    expect(Number(failures?.[1])).toBeGreaterThanOrEqual(7)
  })
})

test('over gRPC: nodes, pods, and the webhooks of files', async () => {
  const path = join(dir, 'konnectivity.sock')
  const proxy = await GrpcProxy.start(path)
  for (const host of ['tokens.invalid', 'access.invalid', 'audit.invalid'])
    proxy.places.set(`${host}:443`, await listening(host, review))
  const policy = {
    ...{ apiVersion: 'audit.orch.io/v1', kind: 'Policy' },
    rules: [{ level: 'Metadata', users: ['somebody'] }],
  }
  const connection = { proxyProtocol: 'GRPC', transport: { uds: { udsName: path } } }
  const server = await startServer({
    vocabulary: 'orch',
    controllers: false,
    disableAdmissionPlugins: ['ServiceAccount'],
    agentTls: { ca: authority.cert },
    authentication: { webhook: { configFile: webhookAt('tokens.invalid') } },
    authorization: {
      modes: ['RBAC', 'Webhook'],
      webhook: { configFile: webhookAt('access.invalid') },
    },
    audit: {
      policyFile: file('policy.json', JSON.stringify(policy)),
      webhook: { configFile: webhookAt('audit.invalid'), mode: 'blocking' },
    },
    egressSelectorConfigFile: file(
      'grpc.yaml',
      JSON.stringify({
        apiVersion: 'apiserver.orch.io/v1alpha1',
        kind: 'EgressSelectorConfiguration',
        egressSelections: [
          { name: 'cluster', connection },
          { name: 'master', connection },
        ],
      }),
    ),
  })
  const client = new Client(server)
  try {
    proxy.places.set('node-1.invalid:10250', await listening('node-1.invalid', agent))
    const web = createHttp((_, response) => void response.end('web'))
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    proxy.places.set('10.9.8.7:80', (web.address() as AddressInfo).port)
    await nodeAndPod(client)
    await client.merge(`${NS}/pods/pod/status`, {
      status: { podIP: '10.9.8.7', podIPs: [{ ip: '10.9.8.7' }] },
    })
    const log = await client.get(`${NS}/pods/pod/log`)
    expect([log.status, log.text]).toEqual([200, '/containerLogs/default/pod/c 0'])
    const page = await client.get(`${NS}/pods/pod/proxy/`)
    expect([page.status, page.text]).toEqual([200, 'web'])
    await echoed(execOn(server, 'websocket'))
    const somebody = new Client(server, { token: 'a token' })
    expect((await somebody.get('/api/v1/nodes')).status).toBe(200)
    somebody.close()
    expect([...new Set(proxy.targets)].sort()).toEqual([
      ...['tcp 10.9.8.7:80', 'tcp access.invalid:443', 'tcp audit.invalid:443'],
      ...['tcp node-1.invalid:10250', 'tcp tokens.invalid:443'],
    ])
    proxy.close()
    const { body } = await client.get(`${NS}/pods/pod/log`)
    expect(body.message).toMatch(
      `error trying to reach service: failed to connect to the egress proxy unix ${path}: dial unix ${path}: connect: `,
    )
    expect((await client.get('/metrics')).text).toContain(
      'apiserver_egress_dialer_dial_failure_count{protocol="grpc",stage="connect",transport="uds"} 1',
    )
    web.close()
  } finally {
    client.close()
    await server.close()
    proxy.close()
  }
})
