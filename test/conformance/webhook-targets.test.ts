/** Where webhooks are, how they are trusted, what they are shown, and what slow ones cost. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { issue } from '../../src/pki/issue.ts'
import { startServer } from '../../src/index.ts'
import { allow, webhookProcess, type Json, type Received } from '../webhook-process.ts'
import { map, MAPS, refusal, scene, type Scene } from './webhooks.fixture.ts'

const SERVICES = '/api/v1/namespaces/default/services'
const HOST = 'hook.default.svc'
const HOUR_MS = 3_600_000

const failed = (why: string) =>
  `Internal error occurred: failed calling webhook "a.example.com": ${why}`
const post = (s: Scene) => s.client.post(`${MAPS}?dryRun=All`, map('x'))

describe('a target', () => {
  let s: Scene
  beforeAll(async () => {
    s = await scene({ vocabulary: 'kubernetes' }, [HOST])
    await s.client.post(SERVICES, {
      metadata: { name: 'hook' },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    })
    await s.client.post(SERVICES, {
      metadata: { name: 'ported' },
      spec: { ports: [{ port: 444 }], clusterIP: '10.0.0.77' },
    })
  })
  afterAll(() => s.close())
  afterEach(() => s.clear())

  const other = () => {
    const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
    return issue({ ...times, subject: { commonName: 'other' }, use: 'authority' }).cert
  }
  const service = (name: string, more: Json = {}) => ({
    service: { namespace: 'default', name, port: s.webhooks.port, ...more },
    caBundle: s.webhooks.caBundle,
  })
  const base64 = (text: string) => Buffer.from(text).toString('base64')

  for (const { name, config, line, servername } of [
    {
      name: 'a URL',
      config: () => ({ url: s.webhooks.url('/a/b'), caBundle: s.webhooks.caBundle }),
      line: 'POST /a/b?timeout=10s',
      servername: '',
    },
    {
      name: 'a URL without a path',
      config: () => ({ url: s.webhooks.url('').replace(/\/$/, ''), caBundle: s.webhooks.caBundle }),
      line: 'POST /?timeout=10s',
      servername: '',
    },
    {
      name: 'one of several authorities',
      config: () => ({ url: s.webhooks.url('/a'), caBundle: base64(other() + s.webhooks.ca) }),
      line: 'POST /a?timeout=10s',
      servername: '',
    },
    {
      name: 'a service, under its name',
      config: () => service('hook'),
      line: 'POST /?timeout=10s',
      servername: HOST,
    },
    {
      name: 'a service with a path',
      config: () => service('hook', { path: '/a/b/' }),
      line: 'POST /a/b?timeout=10s',
      servername: HOST,
    },
  ])
    test(`is ${name}`, async () => {
      await s.configure('validating', 'c', { clientConfig: config() })
      const { status, text } = await post(s)
      expect([status, text]).toEqual([201, expect.any(String)])
      const [call] = s.webhooks.take()
      expect([call!.line, call!.servername]).toEqual([line, servername])
      expect(call!.headers['host']).toBe(
        servername === '' ? `127.0.0.1:${s.webhooks.port}` : `${HOST}:${s.webhooks.port}`,
      )
    })

  const url = (at: string) => `Post "https://${at}?timeout=10s": `
  for (const { name, config, why } of [
    {
      name: 'a service that does not exist',
      config: () => ({ service: { namespace: 'default', name: 'none' } }),
      why: () => `failed to call webhook: ${url('none.default.svc:443/')}service "none" not found`,
    },
    {
      name: 'a port that does not exist',
      config: () => ({ service: { namespace: 'default', name: 'ported', path: '/x' } }),
      why: () =>
        `failed to call webhook: ${url('ported.default.svc:443/x')}no service port 443 found for service "ported"`,
    },
    {
      name: 'a server that does not listen',
      config: () => ({ url: 'https://127.0.0.1:1/x' }),
      why: () =>
        `failed to call webhook: ${url('127.0.0.1:1/x')}dial tcp 127.0.0.1:1: connect: connection refused`,
    },
    {
      name: 'a name that does not exist',
      config: () => ({ url: 'https://none.invalid/x' }),
      why: () =>
        expect.stringMatching(
          /^failed to call webhook: Post "https:\/\/none\.invalid\/x\?timeout=10s": dial tcp: lookup none\.invalid: /,
        ),
    },
    {
      name: 'a server of another authority',
      config: () => ({ url: s.webhooks.url('/x'), caBundle: base64(other()) }),
      why: () =>
        `failed to call webhook: ${url(`127.0.0.1:${s.webhooks.port}/x`)}x509: certificate signed by unknown authority`,
    },
    {
      name: 'a server of an authority that this machine does not know',
      config: () => ({ url: s.webhooks.url('/x') }),
      why: () =>
        `failed to call webhook: ${url(`127.0.0.1:${s.webhooks.port}/x`)}x509: certificate signed by unknown authority`,
    },
    {
      name: 'a server with a certificate for other names',
      config: () => ({
        url: `https://localhost:${s.webhooks.port}/x`,
        caBundle: s.webhooks.caBundle,
      }),
      why: () =>
        `failed to call webhook: ${url(`localhost:${s.webhooks.port}/x`)}x509: certificate is not valid for localhost`,
    },
    {
      name: 'no certificates to trust',
      config: () => ({ url: s.webhooks.url('/x'), caBundle: base64('nothing') }),
      why: () =>
        'could not get REST client: unable to load root certificates: unable to parse bytes as PEM block',
    },
  ])
    test(`is not ${name}`, async () => {
      await s.configure('mutating', 'c', { clientConfig: config() })
      const answer = refusal(await post(s))
      const expected = why()
      if (typeof expected === 'string') {
        expect(answer).toEqual({
          status: 500,
          code: 500,
          reason: 'InternalError',
          message: failed(expected),
          details: {
            causes: [{ message: failed(expected).replace('Internal error occurred: ', '') }],
          },
        })
      } else expect(answer.message.replace(failed(''), '')).toEqual(expected)
    })

  test('keeps its connection, also when its configuration changes', async () => {
    await s.configure('validating', 'c', {})
    const connections = new Set<number>()
    for (let i = 0; i < 5; i++) {
      await post(s)
      await s.client.merge(s.path('validating', 'c'), { metadata: { labels: { i: `${i}` } } })
      for (const { connection } of s.webhooks.take()) connections.add(connection)
    }
    expect(connections.size).toBe(1)
  })

  test('that has closed an idle connection gets another one', async () => {
    await s.configure('validating', 'c', {})
    await post(s)
    s.webhooks.reply = () => ({ act: 'close' })
    expect((await post(s)).status).toBe(500)
    s.webhooks.reply = ({ review }) => allow(review)
    expect((await post(s)).status).toBe(201)
    // A connection that was kept is tried once more, over a new one.
    const [first, second, ...others] = s.webhooks.take().map(({ connection }) => connection)
    expect([second, new Set(others).size]).toEqual([first, 2])
  })
})

describe('the endpoints of a service', () => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find(
      (one) => one?.family === 'IPv4' && !one.internal && !one.address.startsWith('169.254.'),
    )?.address
  test.skipIf(address === undefined)('are called where requests are routed there', async () => {
    const s = await scene({ aggregation: { routesToEndpoints: true } })
    const remote = await webhookProcess([HOST], '0.0.0.0')
    const clientConfig = {
      service: { namespace: 'default', name: 'hook', port: 8443, path: '/x' },
      caBundle: remote.caBundle,
    }
    await s.client.post(SERVICES, {
      metadata: { name: 'hook' },
      spec: { ports: [{ name: 'tls', port: 8443 }] },
    })
    await s.configure('validating', 'c', { clientConfig })
    const url = `Post "https://${HOST}:8443/x?timeout=10s": `
    expect((await post(s)).body.message).toBe(
      failed(`failed to call webhook: ${url}endpoints "hook" not found`),
    )
    const endpoints = '/api/v1/namespaces/default/endpoints'
    await s.client.post(endpoints, { metadata: { name: 'hook' } })
    expect((await post(s)).body.message).toBe(
      failed(`failed to call webhook: ${url}no endpoints available for service "hook"`),
    )
    const subset = { addresses: [{ ip: address }], ports: [{ name: 'tls', port: remote.port }] }
    await s.client.merge(`${endpoints}/hook`, { subsets: [subset] })
    const { status, text } = await post(s)
    expect([status, text]).toEqual([201, expect.any(String)])
    expect(remote.take().map(({ servername }) => servername)).toEqual([HOST])
    remote.close()
    await s.close()
  })
})

describe('credentials', () => {
  const dir = mkdtempSync(join(tmpdir(), 'webhooks-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  const start = async (users: (port: number, ca: Scene['webhooks']) => Json[], current = '') => {
    const file = join(dir, 'users.json')
    const config = join(dir, 'admission.json')
    const probe = await webhookProcess(['a.hooks.default.svc', 'hooks.default.svc'])
    const contexts = current === '' ? [] : [{ name: 'c', context: { user: current } }]
    writeFileSync(
      file,
      JSON.stringify({
        users: users(probe.port, probe),
        contexts,
        ...(current === '' ? {} : { 'current-context': 'c' }),
      }),
    )
    const document = {
      apiVersion: 'apiserver.config.orch.io/v1',
      kind: 'WebhookAdmissionConfiguration',
      kubeConfigFile: file,
    }
    const plugins = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'].map((name) => ({
      name,
      configuration: document,
    }))
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: 'apiserver.config.orch.io/v1',
        kind: 'AdmissionConfiguration',
        plugins,
      }),
    )
    const s = await scene({ admissionConfigFile: config })
    await s.client.post(SERVICES, {
      metadata: { name: 'hooks' },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    })
    return { s, probe }
  }

  const token = (name: string, secret = name) => ({ name, user: { token: secret } })
  for (const { name, users, current, shown } of [
    {
      name: 'for a host and port',
      users: (port: number) => [token('*'), token(`hooks.default.svc:${port}`, 'exact')],
      shown: 'Bearer exact',
    },
    {
      name: 'for a part of the host and the port',
      users: (port: number) => [token('*'), token(`*.default.svc:${port}`, 'suffix')],
      shown: 'Bearer suffix',
    },
    {
      name: 'for another port',
      users: () => [token('hooks.default.svc:1'), token('hooks.default.svc')],
      shown: undefined,
    },
    { name: 'for everything', users: () => [token('*', 'all')], shown: 'Bearer all' },
    {
      name: 'of the current user',
      users: () => [token('me', 'mine'), token('other')],
      current: 'me',
      shown: 'Bearer mine',
    },
    {
      name: 'a user name and password',
      users: () => [{ name: '*', user: { username: 'u', password: 'p' } }],
      shown: `Basic ${Buffer.from('u:p').toString('base64')}`,
    },
  ])
    test(name, async () => {
      const { s, probe } = await start(users, current)
      const service = { namespace: 'default', name: 'hooks', port: probe.port }
      for (const kind of ['mutating', 'validating'] as const)
        await s.configure(kind, 'c', { clientConfig: { service, caBundle: probe.caBundle } })
      expect((await post(s)).status).toBe(201)
      const calls = probe.take()
      expect(calls.map(({ headers }) => headers['authorization'])).toEqual([shown, shown])
      probe.close()
      await s.close()
    })

  test('a certificate', async () => {
    const { s, probe } = await start((_, { authority }) => {
      const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
      const subject = { commonName: 'the server' }
      const { cert, key } = issue({ ...times, subject, use: 'client', issuer: authority })
      const data = (text: string) => Buffer.from(text).toString('base64')
      const user = { 'client-certificate-data': data(cert), 'client-key-data': data(key) }
      return [{ name: '*', user }]
    })
    await s.configure('validating', 'c', {
      clientConfig: { url: probe.url('/x'), caBundle: probe.caBundle },
    })
    expect((await post(s)).status).toBe(201)
    expect(probe.take().map(({ client }) => client)).toEqual(['the server'])
    probe.close()
    await s.close()
  })

  for (const { name, configuration, why } of [
    {
      name: 'of another kind',
      configuration: { kind: 'Other' },
      why: 'expected a WebhookAdmissionConfiguration of apiVersion apiserver.config.orch.io/v1 or a WebhookAdmission of apiVersion apiserver.config.orch.io/v1alpha1',
    },
    {
      name: 'with a relative path',
      configuration: {
        apiVersion: 'apiserver.config.orch.io/v1alpha1',
        kind: 'WebhookAdmission',
        kubeConfigFile: 'users.yaml',
      },
      why: 'kubeConfigFile: Invalid value: "users.yaml": must be an absolute file path',
    },
    {
      name: 'with an unknown field',
      configuration: {
        apiVersion: 'apiserver.config.orch.io/v1',
        kind: 'WebhookAdmissionConfiguration',
        kubeConfigFile: '/x',
        timeout: 1,
      },
      why: 'unknown field "timeout"',
    },
    {
      name: 'of a file that does not exist',
      configuration: {
        apiVersion: 'apiserver.config.orch.io/v1',
        kind: 'WebhookAdmissionConfiguration',
        kubeConfigFile: '/nonexistent/users',
      },
      why: 'cannot use the client configuration /nonexistent/users: there is no such file',
    },
  ])
    test(`are not read from a configuration ${name}`, async () => {
      const config = join(dir, 'bad.json')
      writeFileSync(
        config,
        JSON.stringify({
          apiVersion: 'apiserver.config.orch.io/v1',
          kind: 'AdmissionConfiguration',
          plugins: [{ name: 'ValidatingAdmissionWebhook', configuration }],
        }),
      )
      await expect(startServer({ admissionConfigFile: config })).rejects.toThrow(
        `plugins[0].configuration: ${why}`,
      )
    })
})

describe('a webhook that does not answer', () => {
  let s: Scene
  beforeAll(async () => {
    s = await scene({ requestTimeoutMs: 3_000 })
  })
  afterAll(() => s.close())
  afterEach(() => s.clear())
  const late = (seconds: number) =>
    `failed to call webhook: Post "${s.webhooks.url('/a.example.com')}?timeout=${seconds}s": context deadline exceeded`

  for (const { name, hook, expected } of [
    {
      name: 'in its own time',
      hook: { timeoutSeconds: 1 },
      expected: () => [500, failed(late(1))],
    },
    {
      name: 'in its own time, and is ignored',
      hook: { timeoutSeconds: 1, failurePolicy: 'Ignore' },
      expected: () => [201, undefined],
    },
  ])
    test(`${name} costs the request no more`, async () => {
      await s.configure('mutating', 'c', hook)
      s.webhooks.reply = () => ({ act: 'hang' })
      const { status, body } = await post(s)
      expect([status, body.message]).toEqual(expected())
    })

  test('in the time of the request ends with it', async () => {
    await s.configure('validating', 'c', { failurePolicy: 'Ignore' })
    s.webhooks.reply = () => ({ act: 'hang' })
    const { status, body } = await post(s)
    expect([status, body.reason]).toEqual([504, 'Timeout'])
    // What is left of the request's time.
    expect(s.webhooks.take()[0]!.line).toBe('POST /a.example.com?timeout=3s')
  })

  test('holds up nobody else, not even writers of the same object', async () => {
    await s.client.post(MAPS, map('held'))
    await s.configure('mutating', 'c', {
      rules: [
        {
          operations: ['UPDATE', 'DELETE'],
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['configmaps'],
        },
      ],
      objectSelector: { matchLabels: { slow: 'yes' } },
    })
    let free: (request: Received) => void = () => {}
    const asked = new Promise<Received>((resolve) => {
      free = resolve
    })
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    s.webhooks.reply = async (request) => {
      free(request)
      await held
      return allow(request.review)
    }
    const slow = s.client.merge(`${MAPS}/held`, { metadata: { labels: { slow: 'yes' } } })
    await asked
    expect((await s.client.merge(`${MAPS}/held`, { data: { fast: 'yes' } })).status).toBe(200)
    expect((await s.client.post(MAPS, map('other'))).status).toBe(201)
    answer()
    const { status, body } = await slow
    expect([status, body.data, body.metadata.labels]).toEqual([
      200,
      { a: '1', fast: 'yes' },
      { slow: 'yes' },
    ])
    // The object had changed: the webhook has seen what is stored.
    expect(s.webhooks.take().map(({ review }) => review.request.object.data)).toEqual([
      { a: '1' },
      { a: '1', fast: 'yes' },
    ])
    await s.client.delete(MAPS)
  })

  test('is one of many that are asked at the same time', async () => {
    const hooks = Array.from({ length: 12 }, (_, i) => ({ name: `n${i}.example.com` }))
    await s.configure('validating', 'c', ...hooks)
    // Each answers when all have been asked.
    const waiting: (() => void)[] = []
    s.webhooks.reply = async ({ review }) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length === hooks.length) for (const go of waiting) go()
      })
      return allow(review)
    }
    expect((await post(s)).status).toBe(201)
  })
})
