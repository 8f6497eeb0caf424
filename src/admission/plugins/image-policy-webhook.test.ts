import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  forbidden,
  pod,
  PODS,
  serverConfigured,
  serverWith,
  startFault,
  type PluginServer,
} from '../../../test/plugin-server.fixture.ts'
import { remoteService, type RemoteService, type Reply } from '../../../test/remote-service.ts'
import { ManualClock } from '../../base/clock.ts'
import type { StageSubscriber } from '../../http/stages.ts'
import { freePort } from '../../../test/ports.ts'

const AUDIT = 'imagepolicywebhook.image-policy.k8s.io'
const FAILED_OPEN = 'alpha.image-policy.k8s.io/failed-open'

const dir = mkdtempSync(join(tmpdir(), 'image-policy-'))
let webhook: RemoteService
let kubeConfigFile: string
beforeAll(async () => {
  webhook = await remoteService()
  kubeConfigFile = kubeconfig('kubeconfig', webhook.url)
})
afterAll(async () => {
  await webhook.close()
  rmSync(dir, { recursive: true })
})

function kubeconfig(name: string, server: string): string {
  const path = join(dir, name)
  const { ca, cert, key } = webhook.config
  const base64 = (text = '') => Buffer.from(text).toString('base64')
  writeFileSync(
    path,
    JSON.stringify({
      kind: 'Config',
      apiVersion: 'v1',
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': base64(ca) } }],
      users: [
        {
          name: 'u',
          user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
        },
      ],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  )
  return path
}

const answer = (status: object): Reply => ({
  body: { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', status },
})
const ALLOWED = answer({ allowed: true })

let clock: ManualClock
let started: PluginServer | null = null
let annotations: [string, string][] = []
const start = async (config: object = {}) => {
  clock = new ManualClock()
  annotations = []
  webhook.requests.splice(0)
  const stages: StageSubscriber[] = [
    {
      name: 'audit',
      responseComplete: (request) =>
        annotations.push(
          ...[...request.annotations]
            .map(([key, { value }]): [string, string] => [key, value])
            .filter(([key]) => key.startsWith(AUDIT)),
        ),
    },
  ]
  started = await serverConfigured(
    'ImagePolicyWebhook',
    { imagePolicy: { kubeConfigFile, ...config } },
    { clock, stages },
  )
}
afterEach(async () => {
  await started?.close()
  started = null
})
let count = 0
/** Creates a pod of these images; the answer and how often the webhook was asked for it. */
async function create(images: readonly string[] = ['i'], metadata: object = {}) {
  const before = webhook.requests.length
  const name = `p${count++}`
  const containers = images.map((image, i) => ({ name: `c${i}`, image }))
  const { status, body } = await started!.admin.post(PODS, pod(name, { containers }, metadata))
  return { name, status, body, calls: webhook.requests.length - before }
}

describe('what is asked and answered', () => {
  test('the images of a new pod, with annotations that are for the webhook', async () => {
    await start()
    webhook.replies = [ALLOWED]
    const { admin } = started!
    const spec = {
      containers: [
        { name: 'a', image: 'a:1' },
        { name: 'b', image: 'b:1' },
      ],
      initContainers: [{ name: 'i', image: 'i:1' }],
    }
    const metadata = {
      annotations: {
        'z.image-policy.k8s.io/ticket': '7',
        'a.image-policy.k8s.io/by': 'me',
        'example.com/other': 'x',
      },
    }
    expect((await admin.post(PODS, pod('asked', spec, metadata))).status).toBe(201)
    const [{ line, client, body } = {}] = webhook.requests
    expect([line, client]).toEqual(['POST /review?timeout=30s', 'caller'])
    expect(body).toEqual({
      kind: 'ImageReview',
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      metadata: { creationTimestamp: null },
      spec: {
        containers: [{ image: 'a:1' }, { image: 'b:1' }, { image: 'i:1' }],
        annotations: { 'a.image-policy.k8s.io/by': 'me', 'z.image-policy.k8s.io/ticket': '7' },
        namespace: 'default',
      },
      status: { allowed: false },
    })
  })

  for (const { name, status, why } of [
    {
      name: 'with a reason',
      status: { allowed: false, reason: 'b:1 is old' },
      why: 'image policy webhook backend denied one or more images: b:1 is old',
    },
    {
      name: 'without a reason',
      status: { allowed: false },
      why: 'one or more images rejected by webhook backend',
    },
    {
      name: 'without a decision',
      status: {},
      why: 'one or more images rejected by webhook backend',
    },
  ]) {
    test(`a denial ${name}`, async () => {
      await start()
      webhook.replies = [answer(status)]
      const { name: pods, body } = await create()
      expect(body).toEqual(forbidden('pods', pods, why))
    })
  }

  test('annotations of the webhook go to the audit record, keys that are none do not', async () => {
    await start()
    webhook.replies = [
      answer({ allowed: true, auditAnnotations: { rule: 'a', 'b/c': 'x', ['__proto__']: 'y' } }),
    ]
    expect((await create()).status).toBe(201)
    expect(annotations).toEqual([[`${AUDIT}/rule`, 'a']])
  })

  test('updates and ephemeral containers are asked about, other sub-resources are not', async () => {
    await start()
    webhook.replies = [ALLOWED]
    const { name } = await create(['a:1'])
    const { admin } = started!
    const path = `${PODS}/${name}`
    const asked = () =>
      webhook.requests.splice(0).map(({ body }) => (body as Asked).spec.containers)
    interface Asked {
      spec: { containers: object[] }
    }
    asked()
    expect((await admin.merge(path, { metadata: { labels: { a: 'b' } } })).status).toBe(200)
    // The decision about these images is kept.
    expect(asked()).toEqual([])
    const image = [{ op: 'replace', path: '/spec/containers/0/image', value: 'a:2' }]
    expect((await admin.json(path, image)).status).toBe(200)
    expect(asked()).toEqual([[{ image: 'a:2' }]])
    expect((await admin.merge(`${path}/status`, { status: { message: 'x' } })).status).toBe(200)
    expect(asked()).toEqual([])
    const debug = { ephemeralContainers: [{ name: 'd', image: 'debug:1' }] }
    const debugged = await admin.ask('PATCH', `${path}/ephemeralcontainers`, {
      body: { spec: debug },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    })
    expect(debugged.status).toBe(200)
    expect(asked()).toEqual([[{ image: 'debug:1' }]])
  })
})

describe('decisions are kept', () => {
  const DENIED = answer({ allowed: false })
  for (const { name, config, reply, keptMs } of [
    { name: 'five minutes when allowed', config: {}, reply: ALLOWED, keptMs: 300_000 },
    { name: 'half a minute when denied', config: {}, reply: DENIED, keptMs: 30_000 },
    { name: 'as long as configured', config: { allowTTL: 7 }, reply: ALLOWED, keptMs: 7000 },
    { name: 'as long as configured, denied', config: { denyTTL: 9 }, reply: DENIED, keptMs: 9000 },
  ]) {
    test(name, async () => {
      await start(config)
      webhook.replies = [reply]
      const calls: number[] = []
      calls.push((await create()).calls)
      clock.advance(keptMs - 1)
      calls.push((await create()).calls, (await create(['other'])).calls)
      clock.advance(1)
      calls.push((await create()).calls)
      expect(calls).toEqual([1, 0, 1, 1])
    })
  }

  test('not at all with -1', async () => {
    await start({ allowTTL: -1 })
    webhook.replies = [ALLOWED]
    expect([(await create()).calls, (await create()).calls]).toEqual([1, 1])
  })

  test('not when they are long', async () => {
    await start()
    webhook.replies = [answer({ allowed: true, reason: 'x'.repeat(20_000) })]
    expect([(await create()).calls, (await create()).calls]).toEqual([1, 1])
  })
})

describe('failures', () => {
  const at = () => `Post "${webhook.url}?timeout=30s": `
  const cases: readonly { name: string; reply: Reply; why: () => string }[] = [
    {
      name: 'another status',
      reply: { code: 403, body: 'no' },
      why: () => `${at()}the server answered 403 Forbidden`,
    },
    {
      name: 'no JSON',
      reply: { body: 'allowed' },
      why: () =>
        `${at()}the answer is not JSON: invalid character 'a' looking for beginning of value`,
    },
    {
      name: 'another kind',
      reply: { body: { kind: 'Pod', apiVersion: 'v1' } },
      why: () => 'the webhook did not answer with ImageReview of imagepolicy.k8s.io/v1alpha1',
    },
    {
      name: 'a decision of a wrong type',
      reply: answer({ allowed: 'yes' }),
      why: () => 'the webhook answered with a form that is wrong: allowed is not true or false',
    },
    {
      name: 'an answer without end',
      reply: { body: 'x'.repeat((1 << 20) + 1) },
      why: () => `${at()}the answer is larger than 1048576 bytes`,
    },
  ]
  for (const { name, reply, why } of cases) {
    test(`${name} refuses`, async () => {
      await start()
      webhook.replies = [reply]
      const { name: pods, body } = await create()
      expect(body).toEqual(forbidden('pods', pods, why()))
    })
  }

  test('an absent webhook refuses with the address', async () => {
    const port = await freePort()
    const url = `https://127.0.0.1:${port}/review`
    await start({ kubeConfigFile: kubeconfig('closed', url) })
    const { name, body } = await create()
    expect(body).toEqual(
      forbidden(
        'pods',
        name,
        `Post "${url}?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
      ),
    )
  })

  test('allow where the configuration says so, and are recorded', async () => {
    await start({ defaultAllow: true })
    webhook.replies = [{ code: 403 }]
    const { name, status, body } = await create(['i'], { annotations: { a: 'b' } })
    expect([status, body.metadata.annotations]).toEqual([201, { a: 'b', [FAILED_OPEN]: 'true' }])
    const stored = await started!.admin.get(`${PODS}/${name}`)
    expect(stored.body.metadata.annotations).toEqual({ a: 'b', [FAILED_OPEN]: 'true' })
    expect(annotations).toEqual([[`${AUDIT}/failed-open`, 'true']])
    // A failure is no decision.
    expect((await create()).calls).toBe(1)
  })

  test('a denial is none', async () => {
    await start({ defaultAllow: true })
    webhook.replies = [answer({ allowed: false })]
    expect((await create()).status).toBe(403)
  })
})

describe('configuration', () => {
  const at = 'plugins[0].configuration: '
  for (const { name, given, why } of [
    {
      name: 'no file',
      given: { imagePolicy: {} },
      why: 'imagePolicy.kubeConfigFile: Required value',
    },
    {
      name: 'an absent file',
      given: { imagePolicy: { kubeConfigFile: '/none/such' } },
      why: 'imagePolicy.kubeConfigFile: cannot use the client configuration /none/such: there is no such file',
    },
    { name: 'no object', given: { imagePolicy: 3 }, why: 'imagePolicy: must be an object' },
    {
      name: 'unknown members',
      given: { more: 1, imagePolicy: { ttl: 3 } },
      why: 'strict decoding error: unknown field "more", unknown field "imagePolicy.ttl"',
    },
    {
      name: 'a word for a flag',
      given: { imagePolicy: { defaultAllow: 'yes' } },
      why: 'imagePolicy.defaultAllow: must be a boolean',
    },
    {
      name: 'a text for a time',
      given: { imagePolicy: { allowTTL: '30s' } },
      why: 'imagePolicy.allowTTL: must be a whole number',
    },
    {
      name: 'a time that is too long',
      given: { imagePolicy: { allowTTL: 1801 } },
      why: 'imagePolicy.allowTTL: valid value is between 1s and 30m0s, got 30m1s',
    },
    {
      name: 'a time before now',
      given: { imagePolicy: { denyTTL: -2 } },
      why: 'imagePolicy.denyTTL: valid value is between 1s and 30m0s, got -2s',
    },
    {
      name: 'a delay that is too long',
      given: { imagePolicy: { retryBackoff: 300_001 } },
      why: 'imagePolicy.retryBackoff: valid value is between 1ms and 5m0s, got 5m0.001s',
    },
  ]) {
    test(name, async () => {
      expect(await startFault('ImagePolicyWebhook', given)).toBe(at + why)
    })
  }

  test('there must be one', async () => {
    await expect(serverWith(['ImagePolicyWebhook'])).rejects.toThrow(
      new Error(
        'enableAdmissionPlugins plugin "ImagePolicyWebhook" needs a configuration, by admissionConfigFile',
      ),
    )
  })

  test('may be the whole file', async () => {
    const path = join(dir, 'whole.yaml')
    writeFileSync(path, JSON.stringify({ imagePolicy: { kubeConfigFile } }))
    webhook.replies = [answer({ allowed: false })]
    started = await serverWith(['ImagePolicyWebhook'], { admissionConfigFile: path })
    expect((await create()).status).toBe(403)
  })
})
