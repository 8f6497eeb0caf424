import { expect, test } from 'vitest'
import { ManualClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { WebhookClients } from '../../client/webhook-clients.ts'
import type { StatusError } from '../../meta/errors.ts'
import { vocabularies } from '../../vocabulary/index.ts'
import type { Attributes } from '../attributes.ts'
import { callHook, errorOf, HookFailure } from './call-hook.ts'
import { hooksOf, type ConfiguredWebhook } from './hook.ts'
import { ObjectTexts } from './review-request.ts'

const v = vocabularies.orch
const clock = new ManualClock()
const clients = new WebhookClients({
  v,
  clock,
  resolve: () => Promise.reject(new Error('nowhere')),
  maxAnswerBytes: 1,
})
const parts = { v, clock, ids: randomIds, log: silentLog, clients }
const POD = { group: '', version: 'v1', kind: 'Pod' }
const PODS = { group: '', version: 'v1', resource: 'pods' }

const attributes = (given: Partial<Attributes> = {}) =>
  ({
    operation: 'CREATE',
    kind: POD,
    resource: PODS,
    subresource: '',
    requestKind: POD,
    requestResource: PODS,
    requestSubresource: '',
    namespace: 'default',
    name: 'p',
    user: { name: 'u', uid: '', groups: [], extra: {} },
    dryRun: false,
    options: null,
    object: null,
    oldObject: null,
    now: clock.now(),
    deadline: Infinity,
    signal: new AbortController().signal,
    yieldObject() {},
    annotate() {},
    warn() {},
    ...given,
  }) as unknown as Attributes

const hook = (given: Partial<ConfiguredWebhook> = {}) => {
  const webhook = {
    name: 'a.example.com',
    clientConfig: { service: { namespace: 'n', name: 's', port: 8443 } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...given,
  } as ConfiguredWebhook
  const [made] = hooksOf(new Map([['c', [webhook]]]))
  return { hook: made!, resource: null, kind: null }
}

const failure = (given: Partial<ConfiguredWebhook>, asked: Partial<Attributes> = {}) =>
  callHook(parts, hook(given), attributes(asked), {
    isMutating: true,
    texts: new ObjectTexts(),
  }).then(
    () => 'nothing',
    (error: Error) => [(error as StatusError).code, error.message],
  )

// Webhooks that were stored by older releases; others cannot be configured.
for (const sideEffects of ['Some', 'Unknown'])
  test(`side effects ${sideEffects} do not go with a dry run`, async () => {
    expect(await failure({ sideEffects }, { dryRun: true })).toEqual([
      400,
      'admission webhook "a.example.com" does not support dry run',
    ])
  })

const failed = (why: string) => [undefined, `failed calling webhook "a.example.com": ${why}`]

test('no known version of the review', async () => {
  expect(await failure({ admissionReviewVersions: ['v7'] })).toEqual(
    failed(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    ),
  )
})

test('a service that is nowhere', async () => {
  expect(await failure({ timeoutSeconds: 3 })).toEqual(
    failed('failed to call webhook: Post "https://s.n.svc:8443/?timeout=3s": nowhere'),
  )
})

test('no time is left', async () => {
  expect(await failure({}, { deadline: clock.now() })).toEqual(
    failed('failed to call webhook: context deadline exceeded'),
  )
})

const aborted = AbortSignal.abort()
for (const { name, failurePolicy, asked, expected } of [
  { name: 'Ignore', failurePolicy: 'Ignore', asked: {}, expected: null },
  { name: 'Fail', failurePolicy: 'Fail', asked: {}, expected: 500 },
  { name: 'none, as stored long ago', failurePolicy: undefined, asked: {}, expected: 500 },
  {
    name: 'Ignore, for a client that is gone',
    failurePolicy: 'Ignore',
    asked: { signal: aborted },
    expected: 504,
  },
  {
    name: 'Ignore, when time is up',
    failurePolicy: 'Ignore',
    asked: { deadline: clock.now() },
    expected: 504,
  },
] as const)
  test(`a failed call with the policy ${name}`, () => {
    const given = failurePolicy === undefined ? {} : { failurePolicy }
    const error = errorOf(
      parts,
      hook(given).hook,
      new HookFailure('a.example.com', 'x'),
      attributes(asked),
    )
    expect(error?.code ?? null).toBe(expected)
  })

test('other errors keep what they are', () => {
  const error = new Error('a fault')
  expect(() => errorOf(parts, hook({ failurePolicy: 'Ignore' }).hook, error, attributes())).toThrow(
    error,
  )
})
