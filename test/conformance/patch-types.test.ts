/** What patches say of the type of an object, and what failures of patches show of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'

const NS = 'namespaces/default'
const SECRET = 'dG9wLXNlY3JldA=='
let server: RunningServer
let client: Client

const PLACES: Readonly<Record<string, string>> = {
  'a secret': `/api/v1/${NS}/secrets/one`,
  'an object': `/apis/apps/v1/${NS}/deployments/one`,
  'a status': `/apis/apps/v1/${NS}/deployments/one/status`,
  'a scale': `/apis/apps/v1/${NS}/deployments/one/scale`,
  'another version': `/apis/autoscaling/v1/${NS}/horizontalpodautoscalers/one`,
}

beforeAll(async () => {
  server = await startServer({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
  client = new Client(server)
  const labels = { app: 'web' }
  const made = [
    await client.post(`/api/v1/${NS}/secrets`, {
      metadata: { name: 'one' },
      data: { a: SECRET },
    }),
    await client.post(`/apis/apps/v1/${NS}/deployments`, {
      metadata: { name: 'one' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'a', image: 'i' }] },
        },
      },
    }),
    await client.post(`/apis/autoscaling/v2/${NS}/horizontalpodautoscalers`, {
      metadata: { name: 'one' },
      spec: { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'x' } },
    }),
  ]
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
})
afterAll(async () => {
  client.close()
  await server.close()
})

const patch = (type: string, path: string, body: unknown): Promise<Reply> =>
  client.ask('PATCH', path, { body, headers: { 'content-type': `application/${type}+json` } })

describe('strategic merge patch ignores it', () => {
  for (const [place, path] of Object.entries(PLACES)) {
    test(place, async () => {
      const before = await client.get(path)
      const { kind, apiVersion } = before.body
      for (const type of [
        { kind },
        { apiVersion },
        { kind, apiVersion },
        { kind: 'Other' },
        { apiVersion: 'other/v9' },
        { kind: 'Pod', apiVersion: 'v1' },
        { kind: null, apiVersion: null },
        { kind: '', apiVersion: '' },
        { kind, apiVersion: 'extensions/v1beta1' },
      ]) {
        const reply = await patch('strategic-merge-patch', path, type)
        expect([type, reply.status, reply.body]).toEqual([type, 200, before.body])
      }
    })
  }

  test('and does the rest', async () => {
    const reply = await patch('strategic-merge-patch', PLACES['a scale']!, {
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 3 },
    })
    expect([reply.status, reply.body.kind, reply.body.spec]).toEqual([
      200,
      'Scale',
      { replicas: 3 },
    ])
    const strict = await patch(
      'strategic-merge-patch',
      `${PLACES['an object']!}?fieldValidation=Strict`,
      { kind: 'Thing', apiVersion: 'a/v1', spec: { replicas: 4 } },
    )
    expect([strict.status, strict.body.kind, strict.body.spec.replicas]).toEqual([
      200,
      'Deployment',
      4,
    ])
  })
})

const refused = (why: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: ` "" is invalid: patch: Invalid value: ${why}`,
  reason: 'Invalid',
  details: {
    causes: [{ reason: 'FieldValueInvalid', message: `Invalid value: ${why}`, field: 'patch' }],
  },
  code: 422,
})

describe('other patches may not change it', () => {
  const why = 'the patch changes the kind or apiVersion of the object'
  for (const [place, path] of Object.entries(PLACES)) {
    test(place, async () => {
      const before = await client.get(path)
      for (const [name, value] of [
        ['kind', 'Other'],
        ['apiVersion', 'other/v9'],
      ] as const) {
        const merge = await patch('merge-patch', path, { [name]: value })
        expect([name, merge.status, merge.body]).toEqual([name, 422, refused(why)])
        const json = await patch('json-patch', path, [{ op: 'replace', path: `/${name}`, value }])
        expect([name, json.status, json.body]).toEqual([name, 422, refused(why)])
        // What says the same, or nothing, is no change.
        for (const same of [before.body[name], null]) {
          const reply = await patch('merge-patch', path, { [name]: same })
          expect([name, reply.status, reply.body]).toEqual([name, 200, before.body])
        }
      }
      expect((await client.get(path)).body).toEqual(before.body)
    })
  }
})

describe('failures show no object', () => {
  const path = PLACES['a secret']!
  for (const [name, type, query, body, why] of [
    [
      'a value that does not fit',
      'merge-patch',
      '',
      { type: 5 },
      'Secret in version "v1" cannot be handled as a Secret: type: expected a string, found a number',
    ],
    [
      'the same by a strategic merge',
      'strategic-merge-patch',
      '',
      { type: 5 },
      'Secret in version "v1" cannot be handled as a Secret: type: expected a string, found a number',
    ],
    [
      'the same by operations',
      'json-patch',
      '',
      [{ op: 'add', path: '/type', value: 5 }],
      'Secret in version "v1" cannot be handled as a Secret: type: expected a string, found a number',
    ],
    [
      'a kind that is no text',
      'strategic-merge-patch',
      '',
      { kind: 5 },
      'the patch changes the kind or apiVersion of the object',
    ],
    ...(['merge-patch', 'strategic-merge-patch'] as const).map(
      (strict) =>
        [
          `unknown fields by a ${strict}`,
          strict,
          '?fieldValidation=Strict',
          { bogus: SECRET },
          'strict decoding error: unknown field "bogus"',
        ] as const,
    ),
    [
      'unknown fields by operations',
      'json-patch',
      '?fieldValidation=Strict',
      [{ op: 'add', path: '/bogus', value: SECRET }],
      'strict decoding error: unknown field "bogus"',
    ],
  ] as const) {
    test(name, async () => {
      const reply = await patch(type, path + query, body)
      expect([reply.status, reply.body]).toEqual([422, refused(why)])
      expect(reply.text).not.toContain(SECRET)
    })
  }

  test('an item without its key is shown in part', async () => {
    const long = 'x'.repeat(1 << 20)
    for (const [item, shown] of [
      [{ image: 'i' }, 'map[image:i]'],
      [{ image: 'i', args: [long], env: [{ name: 'a' }] }, `map[args:[${'x'.repeat(246)}...`],
    ] as const) {
      const reply = await patch('strategic-merge-patch', PLACES['an object']!, {
        spec: { template: { spec: { containers: [item] } } },
      })
      expect([reply.status, reply.body.message]).toEqual([
        500,
        `map: ${shown} does not contain declared merge key: name`,
      ])
    }
  })
})

describe('a JSON patch is taken as leniently as by the reference', () => {
  const path = `/api/v1/${NS}/configmaps/lenient`
  const rejected = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  }
  const bad = (message: string) => ({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'BadRequest',
    code: 400,
  })
  for (const [name, query, body, status, seen] of [
    ['no patch', '', null, 200, { a: '1' }],
    ['replace of an absent member', '', [['replace', '/data/b', '2']], 200, { a: '1', b: '2' }],
    ['replace without a value', '', [['replace', '/data/a']], 200, { a: '' }],
    ['replace of the object with a scalar', '', [['replace', '', 1]], 200, { a: '1' }],
    ['a path without a slash in front', '', [['add', 'x/data/b', '2']], 200, { a: '1', b: '2' }],
    ['a failed test', '', [['test', '/data/a', '2']], 422, rejected],
    ['a test of an absent member', '', [['test', '/data/b', '2']], 422, rejected],
    ['a test that an absent member is null', '', [['test', '/data/b', null]], 200, { a: '1' }],
    ['removal of an absent member', '', [['remove', '/data/b']], 422, rejected],
    ['replace below an absent member', '', [['replace', '/binaryData/b', 'Yg==']], 422, rejected],
    ['an unknown operation', '', [['ADD', '/data/b', '2']], 422, rejected],
    [
      'a path that is a number',
      '',
      [['add', 1, '2']],
      400,
      bad(
        'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
      ),
    ],
    [
      'a path that is a number, where unknown fields do not matter',
      '?fieldValidation=Ignore',
      [['add', 1, '2']],
      422,
      rejected,
    ],
    [
      'an object',
      '',
      {},
      400,
      bad(
        'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
      ),
    ],
    [
      'an object, where unknown fields do not matter',
      '?fieldValidation=Ignore',
      {},
      400,
      bad('json: cannot unmarshal object into Go value of type jsonpatch.Patch'),
    ],
  ] as const) {
    test(name, async () => {
      await client.delete(path)
      await client.post(`/api/v1/${NS}/configmaps`, {
        metadata: { name: 'lenient' },
        data: { a: '1' },
      })
      const operations = Array.isArray(body)
        ? body.map(([op, at, ...value]: unknown[]) => ({ op, path: at, ...valued(value) }))
        : body
      const reply = await patch('json-patch', path + query, operations)
      expect([reply.status, reply.status === 200 ? reply.body.data : reply.body]).toEqual([
        status,
        seen,
      ])
    })
  }
})

const valued = (value: readonly unknown[]) => (value.length > 0 ? { value: value[0] } : {})
