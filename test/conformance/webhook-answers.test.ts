/** What a request gets for each answer of a webhook, and for none. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { allow, deny, patch, respond, type Json, type Reply } from '../webhook-process.ts'
import { map, MAPS, refusal, scene, type HookKind, type Scene } from './webhooks.fixture.ts'

let s: Scene
beforeAll(async () => {
  s = await scene({ vocabulary: 'kubernetes' })
})
afterAll(() => s.close())
afterEach(async () => {
  await s.clear()
  await s.client.delete(MAPS)
})

const NAME = 'a.example.com'
const forbidden = (message: string, more: Json = {}) => ({
  status: 403,
  code: 403,
  reason: undefined,
  message,
  details: undefined,
  ...more,
})
const denied = `admission webhook "${NAME}" denied the request`

describe('a denial', () => {
  for (const { name, status, expected } of [
    {
      name: 'without a status',
      status: undefined,
      expected: forbidden(`${denied} without explanation`),
    },
    {
      name: 'with an empty status',
      status: {},
      expected: forbidden(`${denied} without explanation`),
    },
    { name: 'with a message', status: { message: 'no' }, expected: forbidden(`${denied}: no`) },
    {
      name: 'with a reason',
      status: { reason: 'Forbidden' },
      expected: forbidden(`${denied}: Forbidden`, { reason: 'Forbidden' }),
    },
    {
      name: 'with a code, a reason and details',
      status: {
        code: 422,
        reason: 'Invalid',
        message: 'odd',
        status: 'Success',
        details: {
          name: 'x',
          kind: 'ConfigMap',
          causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'data' }],
          retryAfterSeconds: 3,
        },
      },
      expected: {
        status: 422,
        code: 422,
        reason: 'Invalid',
        message: `${denied}: odd`,
        details: {
          name: 'x',
          kind: 'ConfigMap',
          causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'data' }],
          retryAfterSeconds: 3,
        },
      },
    },
    {
      name: 'with a code of success',
      status: { code: 200, message: 'no' },
      expected: forbidden(`${denied}: no`),
    },
    {
      name: 'with a code of its own',
      status: { code: 418, message: 'tea' },
      expected: { ...forbidden(`${denied}: tea`), status: 418, code: 418 },
    },
  ]) {
    for (const kind of ['mutating', 'validating'] as const) {
      test(`${name} (${kind})`, async () => {
        await s.configure(kind, 'c', {})
        s.webhooks.reply = ({ review }) => deny(review, status)
        expect(refusal(await s.client.post(MAPS, map('x')))).toEqual(expected)
        expect((await s.client.get(`${MAPS}/x`)).status).toBe(404)
      })
    }
  }
})

const failing = (why: string) => {
  const message = `failed calling webhook "${NAME}": ${why}`
  return {
    status: 500,
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  }
}
const review = (request: Json, response: Json, type: Json = {}): Reply => ({
  body: { kind: request.kind, apiVersion: request.apiVersion, response, ...type },
})
const ok = (request: Json, more: Json = {}) => ({
  uid: request.request.uid,
  allowed: true,
  ...more,
})
const uidSent = (): string =>
  s.webhooks.received.find(({ line }) => line.includes(NAME))!.review.request.uid
const posted = () => `Post "${s.webhooks.url(`/${NAME}`)}?timeout=10s": `

interface Broken {
  readonly name: string
  readonly reply: (request: Json) => Reply
  readonly why: () => string
  readonly kinds?: readonly HookKind[]
  readonly versions?: readonly string[]
}
const invalidFor = (why: string) => () => `received invalid webhook response: ${why}`
const unread = (why: string) => () => `failed to call webhook: cannot read the response: ${why}`
const said = (why: string) => () => `failed to call webhook: ${why}`

const broken: readonly Broken[] = [
  {
    name: 'no response',
    reply: (request) => review(request, undefined),
    why: invalidFor('webhook response was absent'),
    versions: ['v1', 'v1beta1'],
  },
  {
    name: 'no uid',
    reply: (request) => review(request, { allowed: true }),
    why: () => `received invalid webhook response: expected response.uid="${uidSent()}", got ""`,
  },
  {
    name: 'no kind',
    reply: (request) => ({ body: { response: ok(request) } }),
    why: invalidFor(
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=',
    ),
  },
  {
    name: 'another version',
    reply: (request) => review(request, ok(request), { apiVersion: 'admission.k8s.io/v1beta1' }),
    why: invalidFor(
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, Kind=AdmissionReview',
    ),
  },
  {
    name: 'a patch without its type',
    reply: (request) => review(request, ok(request, { patch: 'W10=' })),
    why: invalidFor('webhook returned response.patch but not response.patchType'),
    kinds: ['mutating'],
  },
  {
    name: 'a type without its patch',
    reply: (request) => review(request, ok(request, { patchType: 'JSONPatch' })),
    why: invalidFor('webhook returned response.patchType but not response.patch'),
    kinds: ['mutating'],
  },
  {
    name: 'a patch of an empty type',
    reply: (request) => review(request, ok(request, { patch: 'W10=', patchType: '' })),
    why: invalidFor('webhook returned invalid response.patchType of ""'),
    kinds: ['mutating'],
  },
  {
    name: 'a patch of an unknown type',
    reply: (request) => patch(request, [{ op: 'remove', path: '/data' }], { patchType: 'Other' }),
    why: () => 'unsupported patch type "Other"',
    kinds: ['mutating'],
  },
  {
    name: 'a patch',
    reply: (request) => review(request, ok(request, { patch: 'W10=', patchType: 'JSONPatch' })),
    why: invalidFor('validating webhook may not return response.patch'),
    kinds: ['validating'],
  },
  {
    name: 'the type of a patch',
    reply: (request) => review(request, ok(request, { patchType: 'JSONPatch' })),
    why: invalidFor('validating webhook may not return response.patchType'),
    kinds: ['validating'],
  },
  {
    name: 'a patch that is not base64',
    reply: (request) => review(request, ok(request, { patch: '?', patchType: 'JSONPatch' })),
    why: unread('.response.patch must be base64'),
  },
  {
    name: 'a list',
    reply: () => ({ body: [] }),
    why: unread('. must be an object'),
    versions: ['v1', 'v1beta1'],
  },
  {
    name: 'a decision that is none',
    reply: (request) => review(request, ok(request, { allowed: 'yes' })),
    why: unread('.response.allowed must be true or false'),
    versions: ['v1', 'v1beta1'],
  },
  {
    name: 'warnings that are none',
    reply: (request) => review(request, ok(request, { warnings: [1] })),
    why: unread('.response.warnings[0] must be a string'),
  },
  {
    name: 'a status that is none',
    reply: (request) => review(request, ok(request, { allowed: false, status: { code: '403' } })),
    why: unread('.response.status.code must be an integer'),
  },
  {
    name: 'no JSON',
    reply: () => ({ body: 'no' }),
    why: () =>
      `failed to call webhook: ${posted()}the answer is not JSON: invalid character 'o' in literal null (expecting 'u')`,
  },
  {
    name: 'a page that does not exist',
    reply: () => ({ code: 404, body: 'no' }),
    why: said('the server could not find the requested resource'),
  },
  {
    name: 'an error',
    reply: () => ({ code: 500, body: 'broken "here"\n' }),
    why: said(
      'an error on the server ("broken \\"here\\"") has prevented the request from succeeding',
    ),
  },
  {
    name: 'a Status',
    reply: () => ({ code: 403, body: { kind: 'Status', message: 'who are you' } }),
    why: said('who are you'),
  },
  {
    name: 'another place',
    reply: () => ({ code: 307, headers: { location: 'https://127.0.0.1/' }, body: '' }),
    why: said('the server responded with the status code 307 but did not return more information'),
  },
  {
    name: 'the end of the connection',
    reply: () => ({ act: 'close' }),
    why: () => `failed to call webhook: ${posted()}EOF`,
  },
  {
    name: 'half an answer',
    reply: () => ({ act: 'cut' }),
    why: () => `failed to call webhook: ${posted()}EOF`,
  },
  {
    name: 'garbage',
    reply: () => ({ act: 'raw', text: 'garbage\n\n' }),
    why: () => `failed to call webhook: ${posted()}malformed HTTP response`,
  },
  {
    name: 'ten megabytes',
    reply: () => ({ act: 'flood', bytes: 10 << 20 }),
    why: () => `failed to call webhook: ${posted()}the answer is larger than 5242880 bytes`,
  },
]

describe('an answer that is not acceptable', () => {
  for (const {
    name,
    reply,
    why,
    kinds = ['mutating', 'validating'],
    versions = ['v1'],
  } of broken) {
    for (const kind of kinds as readonly HookKind[])
      for (const version of versions) {
        test(`${name} (${kind}, ${version})`, async () => {
          await s.configure(
            kind,
            'c',
            { admissionReviewVersions: [version] },
            { name: 'b.example.com', failurePolicy: 'Ignore', admissionReviewVersions: [version] },
          )
          s.webhooks.reply = (request) =>
            request.line.includes(NAME) ? reply(request.review) : allow(request.review)
          const answer = await s.client.post(MAPS, map('x'))
          expect(refusal(answer)).toEqual(failing(why()))
          // The same, where the policy is to continue.
          s.webhooks.reply = (request) =>
            request.line.includes('b.example.com') ? reply(request.review) : allow(request.review)
          const second = await s.client.post(MAPS, map('x'))
          expect([second.status, second.body.data]).toEqual([201, { a: '1' }])
          const key =
            kind === 'mutating'
              ? 'failed-open.mutation.webhook.admission.k8s.io/round_0_index_1'
              : 'failed-open.validating.webhook.admission.k8s.io/round_0_index_1'
          expect(s.annotations(MAPS)[key]).toEqual({ value: 'b.example.com', level: 'Metadata' })
        })
      }
  }
})

describe('reviews of the older version', () => {
  for (const { name, response } of [
    { name: 'need no uid and no kind', response: { allowed: true } },
    {
      name: 'of a validating webhook may have a patch',
      response: { allowed: true, patch: 'W10=' },
    },
  ]) {
    test(name, async () => {
      await s.configure('validating', 'c', { admissionReviewVersions: ['v1beta1'] })
      s.webhooks.reply = () => ({ body: { response } })
      expect((await s.client.post(MAPS, map('x'))).status).toBe(201)
    })
  }

  test('need no type of a patch', async () => {
    await s.configure('mutating', 'c', { admissionReviewVersions: ['v2', 'v1beta1', 'v1'] })
    s.webhooks.reply = ({ review: request }) => {
      const { patchType: _, ...response } = (
        patch(request, [{ op: 'add', path: '/data/b', value: '2' }]) as { body: Json }
      ).body.response
      return { body: { response } }
    }
    const { status, body } = await s.client.post(MAPS, map('x'))
    expect([status, body.data]).toEqual([201, { a: '1', b: '2' }])
    expect(s.webhooks.take().map((one) => one.review.apiVersion)).toEqual([
      'admission.k8s.io/v1beta1',
    ])
  })
})

describe('warnings and annotations', () => {
  for (const allowed of [true, false])
    test(`of a request that is ${allowed ? 'allowed' : 'denied'}`, async () => {
      await s.configure('validating', 'c', {})
      s.webhooks.reply = ({ review: request }) =>
        respond(request, {
          allowed,
          warnings: ['first', 'second "quoted"', 'two\nlines'],
          auditAnnotations: { word: 'yes', 'two words': 'no', constructor: 'c' },
        })
      const { headers } = await s.client.post(MAPS, map('x'))
      expect(headers['warning']).toBe('299 - "first", 299 - "second \\"quoted\\""')
      expect(s.annotations(MAPS)).toEqual({
        'a.example.com/word': { value: 'yes', level: 'Metadata' },
        'a.example.com/constructor': { value: 'c', level: 'Metadata' },
      })
    })
})
