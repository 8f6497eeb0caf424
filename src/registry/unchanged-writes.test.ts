import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { inProcess, type InProcess } from '../server/in-process.fixture.ts'
import type { StoredObject } from '../cache/stored-object.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { contextOnce, KeyedMutex, type Api, type Call } from './context.ts'
import { runOf } from './run-of.ts'
import { UnchangedWrites } from './unchanged-writes.ts'

const APPLY = 'application/apply-patch+yaml'
const MERGE = 'application/merge-patch+json'
const JSON_TYPE = 'application/json'

/** What a request is, beside what all of these tests send. */
interface Sent {
  readonly verb?: 'patch' | 'update'
  readonly resource?: string
  readonly type?: string
  readonly body: object | string
  readonly query?: Readonly<Record<string, string>>
  readonly user?: string
  readonly userAgent?: string
}

/** What a request was answered. */
interface Answer {
  readonly object: { readonly metadata: Record<string, unknown> }
  readonly warnings: readonly string[]
  readonly annotations: readonly string[]
  readonly identity: unknown
}

const text = (body: object | string) => (typeof body === 'string' ? body : JSON.stringify(body))

/** Sends a write of the object `o` in namespace `a`. */
async function send(api: Api, sent: Sent): Promise<Answer> {
  const { verb = 'patch', resource = 'configmaps', type = APPLY, userAgent = 'tester/1' } = sent
  const group = resource === 'deployments' ? 'apps' : ''
  const served = api.catalogue.find(group, 'v1', resource)!
  const user = { name: sent.user ?? 'tester', uid: '', groups: [], extra: {} }
  const query = { ...(type === APPLY ? { fieldManager: 'm' } : {}), ...sent.query }
  const warnings: string[] = []
  const annotations: string[] = []
  let identity: unknown = null
  const { signal } = new AbortController()
  const call: Call = {
    served,
    subresource: '',
    namespace: served.namespaced ? 'a' : '',
    name: served.namespaced ? 'o' : 'a',
    query: new Map(Object.entries(query).map(([name, value]) => [name, [value]])),
    user,
    userAgent,
    body: () =>
      Promise.resolve({
        bytes: Buffer.from(text(sent.body)),
        mediaType: type,
        decoded: ({ name, resourceVersion }) => (identity = { name, resourceVersion }),
      }),
    context: contextOnce(api, user, served),
    warn: (warning) => void warnings.push(warning),
    annotate: (key) => void annotations.push(key),
    signal: () => signal,
  }
  const result = await runOf(served, verb, '')!(api, call)
  if (result.is !== 'object') throw new Error(`answered with ${result.is}`)
  return { object: JSON.parse(result.version.json().toString()), warnings, annotations, identity }
}

const map = (data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'o' },
  data,
})
const webhooks = (resource: string) => ({
  metadata: { name: 'hook' },
  webhooks: [
    {
      name: 'hook.example.com',
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [
        { operations: ['UPDATE'], apiGroups: ['*'], apiVersions: ['*'], resources: [resource] },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Ignore',
      timeoutSeconds: 1,
    },
  ],
})
const deployment = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'o' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: {
      metadata: { labels: { a: 'b' } },
      spec: { hostNetwork: true, containers: [{ name: 'c', image }] },
    },
  },
})

/** Counts the writes that are carried out. */
class Counting extends KeyedMutex {
  taken = 0
  override take<T>(key: string, work: (release: () => void) => Promise<T>): Promise<T> {
    this.taken++
    return super.take(key, work)
  }
}

const first: Sent = { body: map({ a: '1' }) }
const put: Sent = { verb: 'update', type: JSON_TYPE, body: map({ a: '1' }) }
const merge = (body: object): Sent => ({ type: MERGE, body })
const deployed: Sent = { resource: 'deployments', body: deployment('i') }

describe('a write that changed nothing', () => {
  let made: InProcess
  let api: Api
  let counting: Counting

  beforeAll(async () => {
    made = await inProcess({ vocabulary: 'kubernetes' })
    await made.hand.create(['v1', 'namespaces'], { metadata: { name: 'a' } })
    counting = new Counting()
    api = { ...made.api, mutex: counting }
  })
  afterAll(() => made.close())

  /** Sends requests; how many were carried out, and the answers. */
  const sendAll = async (...requests: readonly Sent[]) => {
    const before = counting.taken
    const answers: Answer[] = []
    for (const request of requests) answers.push(await send(api, request))
    return { done: counting.taken - before, answers }
  }

  for (const { name, after, done } of [
    { name: 'is answered from memory', after: [first, first], done: 0 },
    { name: 'is remembered as an update', after: [put, put, put], done: 1 },
    {
      name: 'is remembered as a merge patch',
      after: [1, 2, 3].map(() => merge({ data: { a: '1' } })),
      done: 1,
    },
    {
      name: 'is done again after a change',
      after: [merge({ data: { b: '2' } }), first, first],
      done: 2,
    },
    { name: 'of another user is done', after: [{ ...first, user: 'other' }], done: 1 },
    { name: 'of another program is done', after: [{ ...first, userAgent: 'other/2' }], done: 1 },
    { name: 'with other bytes is done', after: [{ body: `${text(first.body)} ` }], done: 1 },
    {
      name: 'with other options is done',
      after: [{ ...first, query: { force: 'true' } }],
      done: 1,
    },
    {
      name: 'is done again where it warns',
      after: [1, 2, 3].map(() => merge({ data: { a: '1' }, odd: 1 })),
      done: 3,
    },
  ])
    test(name, async () => {
      await made.hand.delete(['v1', 'configmaps', 'a', 'o']).catch(() => {})
      // It makes the object, changes nothing, and is remembered.
      await sendAll(first, first)
      const { done: found, answers } = await sendAll(...after)
      expect(found).toBe(done)
      const last = answers.at(-1)!
      expect(last.object).toEqual(await made.hand.get(['v1', 'configmaps', 'a', 'o']))
      expect(last.warnings).toEqual(name.endsWith('warns') ? ['unknown field "odd"'] : [])
    })

  test('tells the audit record what its body says', async () => {
    const { metadata } = (await sendAll(first)).answers[0]!.object
    const { resourceVersion } = metadata as { resourceVersion: string }
    const body = { ...map({ a: '1' }), metadata: { name: 'o', resourceVersion } }
    const { answers } = await sendAll(put, { ...put, body }, { ...put, body })
    const again = (await send(api, put)).object.metadata['resourceVersion'] as string
    expect(answers.slice(1).map(({ identity }) => identity)).toEqual(
      [1, 2].map(() => ({ name: 'o', resourceVersion: again })),
    )
  })

  const configurations = ['mutating', 'validating'].map((kind) => ({
    name: `while a ${kind} webhook`,
    sent: first,
    place: ['admissionregistration.k8s.io/v1', `${kind}webhookconfigurations`] as const,
    object: webhooks('configmaps'),
    done: 1,
  }))
  for (const { name, sent, place, object, done } of [
    ...configurations,
    {
      name: 'but not because a webhook of others',
      sent: first,
      place: ['admissionregistration.k8s.io/v1', 'validatingwebhookconfigurations'] as const,
      object: webhooks('secrets'),
      done: 0,
    },
    {
      name: 'while a quota',
      sent: first,
      place: ['v1', 'resourcequotas', 'a'] as const,
      object: { metadata: { name: 'hook' }, spec: { hard: { configmaps: '9' } } },
      done: 1,
    },
  ])
    test(`is done again, ${name} concerns it`, async () => {
      await sendAll(sent, sent)
      expect((await sendAll(sent)).done).toBe(0)
      await made.hand.create(place, object)
      expect((await sendAll(sent)).done).toBe(done)
      const [groupVersion, resource, namespace = ''] = place
      await made.hand.delete([groupVersion, resource, namespace, 'hook'])
    })

  test('is done again while its namespace warns of it', async () => {
    await sendAll(deployed, deployed)
    expect((await sendAll(deployed)).done).toBe(0)
    const label = (level: string | null) =>
      made.hand.patch(['v1', 'namespaces', '', 'a'], {
        metadata: { labels: { 'pod-security.kubernetes.io/warn': level } },
      })
    await label('baseline')
    const { done, answers } = await sendAll(deployed, deployed)
    expect(done).toBe(2)
    for (const { warnings } of answers) expect(warnings).toEqual([expect.stringContaining('host')])
    await label(null)
    expect((await sendAll(deployed)).done).toBe(0)
  })

  test('of a resource whose rights are checked is never remembered', async () => {
    const guarded: Api = { ...api, guards: new Map([['/configmaps', () => {}]]) }
    const before = counting.taken
    for (let i = 0; i < 3; i++) await send(guarded, { ...first, user: 'guarded' })
    expect(counting.taken - before).toBe(3)
  })
})

test('old requests are forgotten', () => {
  const memory = new UnchangedWrites(2)
  const served = {} as ResourceEntry
  const at = (key: string, revision: number) => ({ key, revision }) as StoredObject
  const knows = (key: string, revision: number, digest: string) =>
    memory.find(served, at(key, revision), () => digest) !== null
  const add = (key: string, revision: number, digest: string) =>
    memory.add(served, at(key, revision), { digest, identity: null })
  for (const digest of ['1', '2', '3', '4', '5']) add('a', 1, digest)
  expect(['1', '2', '5'].map((digest) => knows('a', 1, digest))).toEqual([false, true, true])
  expect(knows('a', 2, '5')).toBe(false)
  expect(memory.find({} as ResourceEntry, at('a', 1), () => '5')).toBe(null)
  for (const key of ['b', 'c', 'd']) add(key, 1, '1')
  expect(['a', 'b', 'c', 'd'].map((key) => knows(key, 1, key === 'a' ? '5' : '1'))).toEqual([
    false,
    false,
    true,
    true,
  ])
})
