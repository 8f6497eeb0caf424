/** What mutating webhooks make of objects, in which order and how often they are called. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CRONS, cron, define, definition } from './definitions.fixture.ts'
import { allow, patch, type Json, type Received } from '../webhook-process.ts'
import { map, MAPS, refusal, scene, type Scene } from './webhooks.fixture.ts'

const NS = '/api/v1/namespaces/default'
const PODS = `${NS}/pods`
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const JOBS = '/apis/batch/v1/namespaces/default/jobs'

let s: Scene
beforeAll(async () => {
  s = await scene({ controllers: true })
  await define(s.client, definition('crontabs', 'CronTab'))
})
afterAll(() => s.close())
beforeEach(async () => {
  await s.clear()
  for (const path of [MAPS, CRONS, DEPLOYMENTS, JOBS]) await s.client.delete(path)
})

const all = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }
const of = (resource: string, ...operations: string[]) => ({
  ...all,
  resources: [resource],
  operations: operations.length === 0 ? ['*'] : operations,
})
/** Webhooks that apply patches, by their names. */
const patching = (patches: Record<string, Json[]>) => {
  s.webhooks.reply = ({ line, review }: Received) => {
    const name = /^POST \/([^?]*)/.exec(line)![1]!
    return patches[name] ? patch(review, patches[name]) : allow(review)
  }
}
const add = (path: string, value: Json) => ({ op: 'add', path, value })
const A = 'a.example.com'

const labels = { app: 'x' }
const podSpec = { containers: [{ name: 'c', image: 'i' }] }
const deployment = {
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: podSpec },
  },
}

describe('a patch', () => {
  for (const { name, send, rule, operations, seen } of [
    {
      name: 'of a new object',
      rule: of('configmaps'),
      operations: [add('/data/b', '2')],
      send: () => s.client.post(MAPS, map('x')),
      seen: ({ data }: Json) => expect(data).toEqual({ a: '1', b: '2' }),
    },
    {
      name: 'of the name of a new object',
      rule: of('configmaps'),
      operations: [add('/metadata/name', 'other')],
      send: () => s.client.post(MAPS, map('x')),
      seen: ({ metadata }: Json) => expect(metadata.name).toBe('other'),
    },
    {
      name: 'is followed by defaults',
      rule: of('deployments'),
      operations: [
        add('/spec/template/spec/containers/-', { name: 'side', image: 'j' }),
        { op: 'remove', path: '/spec/strategy' },
      ],
      send: () => s.client.post(DEPLOYMENTS, deployment),
      seen: ({ spec }: Json) => {
        expect(spec.strategy.type).toBe('RollingUpdate')
        expect(spec.template.spec.containers[1]).toMatchObject({
          name: 'side',
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
        })
      },
    },
    {
      name: 'drops unknown fields',
      rule: of('configmaps'),
      operations: [add('/unknown', 'x'), add('/data/c', '3')],
      send: () => s.client.post(MAPS, map('x')),
      seen: (object: Json) =>
        expect([object.unknown, object.data]).toEqual([undefined, { a: '1', c: '3' }]),
    },
    {
      name: 'of keys that name a prototype',
      rule: of('configmaps'),
      operations: [add('/data/__proto__', 'p'), add('/data/constructor', 'c')],
      send: () => s.client.post(MAPS, map('x')),
      seen: ({ data }: Json) =>
        expect(Object.entries(data).sort()).toEqual([
          ['__proto__', 'p'],
          ['a', '1'],
          ['constructor', 'c'],
        ]),
    },
    {
      name: 'of a custom resource, defaulted and pruned',
      rule: of('crontabs'),
      operations: [
        add('/spec/cron', '1 *'),
        add('/spec/odd', 1),
        { op: 'remove', path: '/spec/replicas' },
      ],
      send: () => s.client.post(CRONS, cron('c', { cron: '* *', replicas: 3 })),
      seen: ({ spec }: Json) => expect(spec).toEqual({ cron: '1 *', replicas: 1 }),
    },
    {
      name: 'of an update',
      rule: of('configmaps', 'UPDATE'),
      operations: [add('/data/b', '2')],
      send: async () => {
        await s.client.post(MAPS, map('x'))
        return s.client.put(`${MAPS}/x`, { ...map('x'), data: { a: '9' } })
      },
      seen: ({ data }: Json) => expect(data).toEqual({ a: '9', b: '2' }),
    },
    {
      name: 'of an apply',
      rule: of('configmaps'),
      operations: [add('/metadata/labels', { by: 'webhook' })],
      send: () =>
        s.client.ask('PATCH', `${MAPS}/x?fieldManager=me`, {
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: { apiVersion: 'v1', kind: 'ConfigMap', ...map('x') },
        }),
      seen: ({ metadata }: Json) => {
        expect(metadata.labels).toEqual({ by: 'webhook' })
        // What a webhook sets has no owner until somebody writes it.
        expect(metadata.managedFields.map((one: Json) => [one.manager, one.fieldsV1])).toEqual([
          ['me', { 'f:data': { 'f:a': {} } }],
        ])
      },
    },
    {
      name: 'of a status',
      rule: of('pods/status'),
      operations: [
        add('/status/message', 'from the webhook'),
        add('/metadata/labels', { no: 'way' }),
      ],
      send: async () => {
        await s.client.delete(`${PODS}?gracePeriodSeconds=0`)
        await s.client.post(`${NS}/serviceaccounts`, { metadata: { name: 'default' } })
        await s.client.post(PODS, { metadata: { name: 'p' }, spec: podSpec })
        return s.client.merge(`${PODS}/p/status`, { status: { phase: 'Running' } })
      },
      seen: ({ status, metadata }: Json) => {
        expect([status.phase, status.message]).toEqual(['Running', 'from the webhook'])
        expect(metadata.labels).toEqual({ no: 'way' })
      },
    },
    {
      name: 'of a scale',
      rule: of('deployments/scale'),
      operations: [{ op: 'replace', path: '/spec/replicas', value: 7 }],
      send: async () => {
        await s.client.post(DEPLOYMENTS, deployment)
        return s.client.merge(`${DEPLOYMENTS}/d/scale`, { spec: { replicas: 3 } })
      },
      seen: ({ spec }: Json) => expect(spec).toEqual({ replicas: 7 }),
    },
    {
      name: 'of members that are not there',
      rule: of('configmaps'),
      operations: [
        { op: 'replace', path: '/data/b', value: '2' },
        { op: 'replace', path: '/immutable', value: false },
        { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' },
        add('/metadata/finalizers', ['orch.example.com/b']),
        add('/metadata/finalizers/00', 'orch.example.com/a'),
        { op: 'add', path: '/binaryData' },
      ],
      send: () => s.client.post(`${MAPS}?dryRun=All`, map('x')),
      seen: ({ data, immutable, metadata, binaryData }: Json) => {
        expect([data, immutable, binaryData]).toEqual([{ a: '1', b: '2' }, false, undefined])
        expect([metadata.annotations, metadata.finalizers]).toEqual([
          undefined,
          ['orch.example.com/a', 'orch.example.com/b'],
        ])
      },
    },
    {
      name: 'of duplicate owners',
      rule: of('configmaps'),
      operations: [
        add('/metadata/ownerReferences', [
          { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u' },
          { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u' },
        ]),
      ],
      send: () => s.client.post(`${MAPS}?dryRun=All`, map('x')),
      seen: ({ metadata }: Json, headers: Json) => {
        expect(metadata.ownerReferences).toHaveLength(1)
        expect(headers.warning).toContain(
          '.metadata.ownerReferences contains duplicate entries after mutating admission happens;',
        )
      },
    },
  ])
    test(name, async () => {
      await s.configure('mutating', 'c', { rules: [rule] })
      patching({ [A]: operations })
      const { status, body, headers } = await send()
      expect([200, 201], JSON.stringify(body)).toContain(status)
      seen(body, headers)
    })
})

const internal = (message: string) => ({
  status: 500,
  code: 500,
  reason: 'InternalError',
  message: `Internal error occurred: ${message}`,
  details: { causes: [{ message }] },
})

describe('a patch that cannot be applied', () => {
  const raw =
    (text: string) =>
    ({ review }: Received) =>
      allow(review, { patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') })
  for (const { name, operations, text, expected } of [
    {
      name: 'to a missing place',
      operations: [{ op: 'remove', path: '/nowhere' }],
      expected: internal(
        "error in remove for path: '/nowhere': Unable to remove nonexistent key: nowhere: missing value",
      ),
    },
    {
      name: 'for a failed test',
      operations: [{ op: 'test', path: '/data/a', value: '2' }],
      expected: internal('testing value /data/a failed: test failed'),
    },
    {
      name: 'for its type',
      operations: [add('/data', ['x'])],
      expected: internal(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: data: expected an object, found a list',
      ),
    },
    {
      name: 'for another kind',
      operations: [add('/kind', 'Secret')],
      expected: internal('expected a ConfigMap, found "Secret"'),
    },
    {
      name: 'for another version',
      operations: [add('/apiVersion', 'v7')],
      expected: internal('ConfigMap has no version "v7"'),
    },
    {
      name: 'that is no JSON',
      text: '[{',
      expected: internal('unexpected end of JSON input'),
    },
    {
      name: 'that is no list',
      text: '{"op":"add"}',
      expected: internal('json: cannot unmarshal object into Go value of type jsonpatch.Patch'),
    },
  ])
    test(name, async () => {
      // The policy is about calls, which this one was a success.
      await s.configure('mutating', 'c', { failurePolicy: 'Ignore' })
      s.webhooks.reply = text === undefined ? ({ review }) => patch(review, operations) : raw(text)
      expect(refusal(await s.client.post(MAPS, map('x')))).toEqual(expected)
    })

  test('because there is no object', async () => {
    await s.client.post(MAPS, map('x'))
    await s.configure('mutating', 'c', { rules: [of('configmaps', 'DELETE')] })
    patching({ [A]: [add('/data/b', '2')] })
    expect(refusal(await s.client.delete(`${MAPS}/x`))).toEqual(
      internal(
        `admission webhook "${A}" attempted to modify the object, which is not supported for this operation`,
      ),
    )
    expect((await s.client.get(`${MAPS}/x`)).status).toBe(200)
  })

  for (const { name, path, value, expected } of [
    {
      name: 'to another namespace',
      path: '/metadata/namespace',
      value: 'other',
      expected: {
        status: 400,
        message:
          'the namespace of the provided object does not match the namespace sent on the request',
      },
    },
    {
      name: 'to an invalid object',
      path: '/data/not valid',
      value: 'x',
      expected: {
        status: 422,
        message: expect.stringContaining(
          'ConfigMap "x" is invalid: data[not valid]: Invalid value',
        ),
      },
    },
  ])
    test(name, async () => {
      await s.configure('mutating', 'c', {})
      patching({ [A]: [add(path, value)] })
      const { status, body } = await s.client.post(MAPS, map('x'))
      expect({ status, message: body.message }).toEqual(expected)
      expect((await s.client.get(`${MAPS}/x`)).status).toBe(404)
    })
})

describe('the order', () => {
  const names = () => s.taken().map(({ line }) => /^POST \/([^?]*)/.exec(line)![1])

  test('is by the names of configurations, and then as listed', async () => {
    await s.configure('mutating', 'b', { name: 'c.example.com' }, { name: 'a.example.com' })
    await s.configure('mutating', 'a', { name: 'z.example.com' })
    await s.configure('mutating', 'B', { name: 'x.example.com' }).catch(() => {})
    await s.configure('mutating', 'a.b', { name: 'y.example.com' })
    patching({ 'z.example.com': [add('/data/z', '1')], 'c.example.com': [add('/data/c', '2')] })
    const { body } = await s.client.post(MAPS, map('x'))
    const calls = s.taken()
    expect(
      calls.map(({ line, review }) => [/\/(.)\./.exec(line)![1], review.request.object.data]),
    ).toEqual([
      ['z', { a: '1' }],
      ['y', { a: '1', z: '1' }],
      ['c', { a: '1', z: '1' }],
      ['a', { a: '1', z: '1', c: '2' }],
    ])
    expect(body.data).toEqual({ a: '1', z: '1', c: '2' })
  })

  test('a refusal ends it', async () => {
    await s.configure('mutating', 'c', { name: 'a.example.com' }, { name: 'b.example.com' })
    s.webhooks.reply = ({ review }) => ({
      body: { ...review, response: { uid: review.request.uid, allowed: false } },
    })
    expect((await s.client.post(MAPS, map('x'))).status).toBe(403)
    expect(names()).toEqual(['a.example.com'])
  })

  for (const { name, hooks, patches, called } of [
    {
      name: 'nobody is called again without a change',
      hooks: { a: 'IfNeeded', b: 'IfNeeded' },
      patches: {},
      called: ['a', 'b'],
    },
    {
      name: 'those before a change are called again, if they want',
      hooks: { a: 'IfNeeded', b: 'Never', c: 'Never' },
      patches: { c: [add('/data/c', '1')] },
      called: ['a', 'b', 'c', 'a'],
    },
    {
      name: 'the one that changes is not called for its own change',
      hooks: { a: 'IfNeeded' },
      patches: { a: [add('/data/a', '2')] },
      called: ['a'],
    },
    {
      name: 'a change of the second round calls those before once more, but not twice',
      hooks: { a: 'IfNeeded', b: 'IfNeeded' },
      patches: { a: [add('/data/n', 'RANDOM')], b: [add('/data/m', 'RANDOM')] },
      called: ['a', 'b', 'a', 'b'],
    },
    {
      name: 'a patch that changes nothing is no change',
      hooks: { a: 'IfNeeded', b: 'Never' },
      patches: { b: [add('/data/a', '1')] },
      called: ['a', 'b'],
    },
  ] as {
    name: string
    hooks: Record<string, string>
    patches: Record<string, Json[]>
    called: string[]
  }[])
    test(name, async () => {
      await s.configure(
        'mutating',
        'c',
        ...Object.entries(hooks).map(([hook, reinvocationPolicy]) => ({
          name: `${hook}.example.com`,
          reinvocationPolicy,
        })),
      )
      let count = 0
      s.webhooks.reply = ({ line, review }) => {
        const operations = patches[/^POST \/(.)\./.exec(line)![1]!]
        if (!operations) return allow(review)
        const text = JSON.stringify(operations).replaceAll('RANDOM', () => String(++count))
        return patch(review, JSON.parse(text))
      }
      expect((await s.client.post(MAPS, map('x'))).status).toBe(201)
      expect(names()).toEqual(called.map((one) => `${one}.example.com`))
    })
})

describe('audit annotations', () => {
  const domain = 'webhook.admission.orch.io'
  const at = (level: string, value: Json) => ({
    level,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  })
  const called = (configuration: string, webhook: string, mutated: boolean) =>
    at('Metadata', { configuration, webhook: `${webhook}.example.com`, mutated })

  test('state each call, each patch and what has failed', async () => {
    await s.configure('mutating', 'b', { name: 'skipped.example.com', rules: [of('secrets')] })
    await s.configure('mutating', 'c', { name: 'a.example.com', reinvocationPolicy: 'IfNeeded' })
    await s.configure('mutating', 'd', { name: 'b.example.com' })
    await s.configure('mutating', 'e', { name: 'c.example.com', failurePolicy: 'Ignore' })
    const operations = [add('/data/b', '2')]
    s.webhooks.reply = ({ line, review }) => {
      if (line.includes('/b.')) return patch(review, operations)
      return line.includes('/c.') ? { act: 'close' } : allow(review)
    }
    expect((await s.client.post(MAPS, map('x'))).status).toBe(201)
    expect(s.annotations(MAPS)).toEqual({
      [`mutation.${domain}/round_0_index_1`]: called('c', 'a', false),
      [`mutation.${domain}/round_0_index_2`]: called('d', 'b', true),
      [`patch.${domain}/round_0_index_2`]: at('Request', {
        configuration: 'd',
        webhook: 'b.example.com',
        patch: operations,
        patchType: 'JSONPatch',
      }),
      [`mutation.${domain}/round_0_index_3`]: called('e', 'c', false),
      [`failed-open.mutation.${domain}/round_0_index_3`]: at('Metadata', 'c.example.com'),
      [`mutation.${domain}/round_1_index_1`]: called('c', 'a', false),
    })
  })
})

describe('a dry run', () => {
  // Only what was stored long ago has other side effects: those cannot be configured any more.
  for (const sideEffects of ['None', 'NoneOnDryRun'])
    test(`is sent to webhooks with side effects ${sideEffects}`, async () => {
      await s.configure('validating', 'c', { sideEffects })
      expect((await s.client.post(`${MAPS}?dryRun=All`, map('x'))).status).toBe(201)
      expect(s.taken().map(({ review }) => review.request.dryRun)).toEqual([true])
    })
})

test('validating webhooks get the final object, after all of the mutating ones', async () => {
  await s.configure('validating', 'a', { name: 'v.example.com' })
  await s.configure('mutating', 'b', {})
  patching({ [A]: [add('/data/b', '2')] })
  await s.client.post(MAPS, map('x'))
  const [, second] = s.taken()
  expect([second!.line, second!.review.request.object.data]).toEqual([
    'POST /v.example.com?timeout=10s',
    { a: '1', b: '2' },
  ])
  expect(second!.review.request.object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
})
