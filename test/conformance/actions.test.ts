/** What is posted to be carried out and not kept: bindings, evictions, tokens, reviews; and what is read but not stored. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { badRequest, failure, invalid, type Failure } from '../failure.ts'

const NS = '/api/v1/namespaces/default'
const PODS = `${NS}/pods`
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
const done = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
}
const methodNotAllowed: Failure = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
}

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: ['api'] })
  // Pods need the account that a controller creates.
  await server.settled()
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const answer = ({ status, body }: Reply) => [status, body]
const refused = (expected: Failure) => [expected.code, failure(expected)]
const conflict = (resource: string, name: string, why: string): Failure => ({
  code: 409,
  reason: 'Conflict',
  message: `Operation cannot be fulfilled on ${resource} "${name}": ${why}`,
  details: { name, kind: resource },
})
const podNotFound = (name: string): Failure => ({
  code: 404,
  reason: 'NotFound',
  message: `pods "${name}" not found`,
  details: { name, kind: 'pods' },
})

interface PodOptions {
  readonly labels?: object
  readonly node?: string
  readonly finalizers?: readonly string[]
  readonly annotations?: object
  readonly status?: object
}
const made = async (path: string, body: object) => {
  const reply = await client.post(path, body)
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}
const pod = async (name: string, options: PodOptions = {}) => {
  const { labels, node, finalizers, annotations, status } = options
  const created = await made(PODS, {
    metadata: { name, labels, finalizers, annotations },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'example.com/i:1' }] },
  })
  if (status === undefined) return created
  const reply = await client.merge(`${PODS}/${name}/status`, { status })
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
const gone = async (name: string) => (await client.get(`${PODS}/${name}`)).status === 404

describe('binding', () => {
  const places = [
    { what: 'pods/binding', at: (name: string) => `${PODS}/${name}/binding`, tag: 'sub' },
    { what: 'bindings', at: (_name: string) => `${NS}/bindings`, tag: 'own' },
  ] as const
  const target = { kind: 'Node', name: 'n1' }

  for (const { what, at, tag } of places) {
    describe(what, () => {
      const bind = (name: string, more: object = {}, metadata: object = {}, query = '') =>
        client.post(`${at(name)}${query}`, { metadata: { name, ...metadata }, target, ...more })

      test('puts a pod on a node', async () => {
        const name = `${tag}-bound`
        const before = await pod(name, { annotations: { kept: '1', changed: '1' } })
        const reply = await bind(name, {}, { annotations: { changed: '2', added: '2' } })
        expect(answer(reply)).toEqual([201, done])
        const { body } = await client.get(`${PODS}/${name}`)
        const { metadata, spec, status } = body
        expect(metadata).toEqual({
          ...before.metadata,
          resourceVersion: metadata.resourceVersion,
          annotations: { kept: '1', changed: '2', added: '2' },
        })
        expect(metadata.resourceVersion).not.toBe(before.metadata.resourceVersion)
        expect(spec).toEqual({ ...before.spec, nodeName: 'n1' })
        expect(status).toEqual({
          ...before.status,
          conditions: [
            {
              type: 'PodScheduled',
              status: 'True',
              lastProbeTime: null,
              lastTransitionTime: expect.stringMatching(/Z$/),
            },
          ],
        })
      })

      test('the condition of the scheduler gives way', async () => {
        const name = `${tag}-condition`
        await pod(name, {
          status: {
            conditions: [
              { type: 'Ready', status: 'False', lastTransitionTime: '2020-01-01T00:00:00Z' },
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'Unschedulable',
                message: 'no room',
                lastTransitionTime: '2020-01-01T00:00:00Z',
              },
            ],
          },
        })
        expect((await bind(name)).status).toBe(201)
        const { conditions } = (await client.get(`${PODS}/${name}`)).body.status
        expect(conditions).toEqual([
          {
            type: 'Ready',
            status: 'False',
            lastProbeTime: null,
            lastTransitionTime: '2020-01-01T00:00:00Z',
          },
          {
            type: 'PodScheduled',
            status: 'True',
            lastProbeTime: null,
            lastTransitionTime: expect.not.stringMatching(/^2020/),
          },
        ])
      })

      test('preconditions that hold', async () => {
        const name = `${tag}-holds`
        const { uid, resourceVersion } = (await pod(name)).metadata
        expect((await bind(name, {}, { uid, resourceVersion })).status).toBe(201)
      })

      test('a dry run leaves the pod where it is', async () => {
        const name = `${tag}-dry`
        const before = await pod(name)
        expect(answer(await bind(name, {}, {}, '?dryRun=All'))).toEqual([201, done])
        expect((await client.get(`${PODS}/${name}`)).body).toEqual(before)
      })

      test('of many at a time one wins', async () => {
        const name = `${tag}-race`
        await pod(name)
        const replies = await Promise.all(
          Array.from({ length: 10 }, (_, i) => bind(name, { target: { name: `n${i}` } })),
        )
        const { nodeName } = (await client.get(`${PODS}/${name}`)).body.spec
        expect(replies.map(({ status }) => status).sort()).toEqual([
          201,
          ...Array.from({ length: 9 }, () => 409),
        ])
        for (const reply of replies.filter(({ status }) => status === 409)) {
          expect(reply.body.message).toBe(
            conflict('pods/binding', name, `pod ${name} is already assigned to node "${nodeName}"`)
              .message,
          )
        }
      })

      describe('refuses', () => {
        const bad = `${tag}-bad`
        let uid = ''
        let resourceVersion = ''
        beforeAll(async () => {
          ;({ uid, resourceVersion } = (await pod(bad)).metadata)
          await pod(`${tag}-placed`, { node: 'n9' })
          await pod(`${tag}-leaving`, { finalizers: ['example.com/hold'] })
          await client.delete(`${PODS}/${tag}-leaving`)
        })
        for (const { name, ask, expected } of [
          {
            name: 'a target that is no node',
            ask: () => bind(bad, { target: { kind: 'Pod', name: 'n1' } }),
            expected: () => ({
              code: 500,
              message: 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
            }),
          },
          {
            name: 'a target without a name',
            ask: () => bind(bad, { target: {} }),
            expected: () => ({ code: 500, message: 'target.name: Required value' }),
          },
          {
            name: 'both',
            ask: () => bind(bad, { target: { kind: 'Pod' } }),
            expected: () => ({
              code: 500,
              message:
                '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
            }),
          },
          {
            name: 'a pod that has a node',
            ask: () => bind(`${tag}-placed`),
            expected: () =>
              conflict(
                'pods/binding',
                `${tag}-placed`,
                `pod ${tag}-placed is already assigned to node "n9"`,
              ),
          },
          {
            name: 'a pod that is going away',
            ask: () => bind(`${tag}-leaving`),
            expected: () =>
              conflict(
                'pods/binding',
                `${tag}-leaving`,
                `pod ${tag}-leaving is being deleted, cannot be assigned to a host`,
              ),
          },
          {
            name: 'an absent pod',
            ask: () => bind(`${tag}-absent`),
            expected: () => podNotFound(`${tag}-absent`),
          },
          {
            name: 'an old resourceVersion',
            ask: () => bind(bad, {}, { resourceVersion: '1' }),
            expected: () =>
              conflict(
                'pods',
                bad,
                `Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
              ),
          },
          {
            name: 'another namespace',
            ask: () => bind(bad, {}, { namespace: 'other' }),
            expected: () =>
              badRequest(
                'the namespace of the provided object does not match the namespace sent on the request',
              ),
          },
          {
            name: 'another kind',
            ask: () => bind(bad, { kind: 'Pod', apiVersion: 'v1' }),
            expected: () =>
              badRequest(
                'Pod in version "v1" cannot be handled as a Binding: no kind "Pod" is registered for version "v1" at this endpoint',
              ),
          },
          { name: 'a read', ask: () => client.get(at(bad)), expected: () => methodNotAllowed },
          ...(tag === 'own'
            ? [
                {
                  name: 'no name',
                  ask: () => client.post(at(bad), { target }),
                  expected: () => badRequest('Name parameter required.'),
                },
                {
                  name: 'an old resourceVersion, whatever the uid',
                  ask: () => bind(bad, {}, { uid: 'ignored', resourceVersion: '1' }),
                  expected: () =>
                    conflict(
                      'pods',
                      bad,
                      `Precondition failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: ${resourceVersion}`,
                    ),
                },
              ]
            : [
                {
                  name: 'another uid',
                  ask: () => bind(bad, {}, { uid: 'other' }),
                  expected: () =>
                    conflict(
                      'pods',
                      bad,
                      `Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
                    ),
                },
                {
                  name: 'another name',
                  ask: () => client.post(at(bad), { metadata: { name: 'other' }, target }),
                  expected: () => badRequest('name in URL does not match name in Binding object'),
                },
                {
                  name: 'no name',
                  ask: () => client.post(at(bad), { target }),
                  expected: () => badRequest('name in URL does not match name in Binding object'),
                },
              ]),
        ] as readonly { name: string; ask: () => Promise<Reply>; expected: () => Failure }[]) {
          test(name, async () => {
            expect(answer(await ask())).toEqual(refused(expected()))
            const { spec, metadata } = (await client.get(`${PODS}/${bad}`)).body
            expect([spec.nodeName, metadata.resourceVersion]).toEqual([undefined, resourceVersion])
          })
        }
      })
    })
  }
})

describe('eviction', () => {
  const ready = {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }],
  }
  const unready = {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2020-01-01T00:00:00Z' }],
  }
  const evict = (name: string, body: object = {}, query = '') =>
    client.post(`${PODS}/${name}/eviction${query}`, { metadata: { name }, ...body })
  const full = (more: object = {}) => ({
    observedGeneration: 1,
    disruptionsAllowed: 0,
    currentHealthy: 2,
    desiredHealthy: 2,
    expectedPods: 2,
    ...more,
  })
  /** A budget for the pods labelled with its name, unless `selector` says otherwise. */
  const budget = async (
    name: string,
    status: object,
    selector: object | null | undefined = undefined,
  ) => {
    await made(BUDGETS, {
      metadata: { name },
      spec: {
        minAvailable: 2,
        ...(selector === null ? {} : { selector: selector ?? { matchLabels: { budget: name } } }),
      },
    })
    const reply = await client.merge(`${BUDGETS}/${name}/status`, { status })
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }
  const budgetOf = async (name: string) => (await client.get(`${BUDGETS}/${name}`)).body
  const tooMany = (cause: string, retryAfterSeconds?: number): Failure => ({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message: cause }],
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
  })

  describe('without a budget', () => {
    test('deletes the pod', async () => {
      await pod('free', { status: ready })
      expect(answer(await evict('free'))).toEqual([201, done])
      expect(await gone('free')).toBe(true)
    })
    test('the older kind of body is taken too', async () => {
      await pod('older', { status: ready })
      const reply = await evict('older', { kind: 'Eviction', apiVersion: 'policy/v1beta1' })
      expect(answer(reply)).toEqual([201, done])
      expect(await gone('older')).toBe(true)
    })
    test('options of the deletion count', async () => {
      await pod('slow', { status: ready, node: 'n1' })
      const reply = await evict('slow', { deleteOptions: { gracePeriodSeconds: 7 } })
      expect(answer(reply)).toEqual([201, done])
      const { metadata } = (await client.get(`${PODS}/slow`)).body
      expect(metadata.deletionGracePeriodSeconds).toBe(7)
    })
    for (const { name, body, query } of [
      { name: 'in the query', body: {}, query: '?dryRun=All' },
      { name: 'in the body', body: { deleteOptions: { dryRun: ['All'] } }, query: '' },
      { name: 'in both', body: { deleteOptions: { dryRun: ['All'] } }, query: '?dryRun=All' },
    ]) {
      test(`a dry run ${name} deletes nothing`, async () => {
        const pods = `dry-${name.replaceAll(' ', '-')}`
        await pod(pods, { status: ready })
        expect(answer(await evict(pods, body, query))).toEqual([201, done])
        const { metadata } = (await client.get(`${PODS}/${pods}`)).body
        expect(metadata.deletionTimestamp).toBeUndefined()
      })
    }
  })

  describe('refuses', () => {
    let uid = ''
    let resourceVersion = ''
    beforeAll(async () => {
      ;({ uid, resourceVersion } = (await pod('bad', { status: ready })).metadata)
    })
    for (const { name, ask, expected } of [
      {
        name: 'an absent pod',
        ask: () => evict('absent'),
        expected: () => podNotFound('absent'),
      },
      {
        name: 'another name',
        ask: () => client.post(`${PODS}/bad/eviction`, { metadata: { name: 'other' } }),
        expected: () => badRequest('name in URL does not match name in Eviction object'),
      },
      {
        name: 'no name',
        ask: () => client.post(`${PODS}/bad/eviction`, {}),
        expected: () => badRequest('name in URL does not match name in Eviction object'),
      },
      {
        name: 'another namespace',
        ask: () => evict('bad', { metadata: { name: 'bad', namespace: 'other' } }),
        expected: () =>
          badRequest(
            'the namespace of the provided object does not match the namespace sent on the request',
          ),
      },
      {
        name: 'another version',
        ask: () => evict('bad', { kind: 'Eviction', apiVersion: 'policy/v2' }),
        expected: () =>
          badRequest(
            'the API version in the data (policy/v2) does not match the expected API version (policy/v1)',
          ),
      },
      {
        name: 'another kind',
        ask: () => evict('bad', { kind: 'Pod', apiVersion: 'v1' }),
        expected: () =>
          badRequest(
            'Pod in version "v1" cannot be handled as a Eviction: no kind "Pod" is registered for version "v1" at this endpoint',
          ),
      },
      {
        name: 'a dry run that query and body disagree about',
        ask: () => evict('bad', { deleteOptions: { dryRun: ['Some'] } }, '?dryRun=All'),
        expected: () => ({
          code: 500,
          message: 'Non-matching dry-run options in request and content: [All] and [Some]',
        }),
      },
      {
        name: 'an unknown dry run',
        ask: () => evict('bad', {}, '?dryRun=Some'),
        expected: () =>
          invalid({ kind: 'CreateOptions', group: 'meta.orch.io' }, [
            ['dryRun', 'NotSupported', 'Unsupported value: "Some": supported values: "All"'],
          ]),
      },
      {
        name: 'another uid',
        ask: () => evict('bad', { deleteOptions: { preconditions: { uid: 'other' } } }),
        expected: () => ({
          ...conflict(
            'Pod',
            'bad',
            `the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
          ),
        }),
      },
      {
        name: 'an old resourceVersion',
        ask: () => evict('bad', { deleteOptions: { preconditions: { resourceVersion: '1' } } }),
        expected: () =>
          conflict(
            'Pod',
            'bad',
            `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
          ),
      },
      {
        name: 'a read',
        ask: () => client.get(`${PODS}/bad/eviction`),
        expected: () => methodNotAllowed,
      },
    ] as readonly { name: string; ask: () => Promise<Reply>; expected: () => Failure }[]) {
      test(name, async () => {
        expect(answer(await ask())).toEqual(refused(expected()))
        expect((await client.get(`${PODS}/bad`)).body.metadata.resourceVersion).toBe(
          resourceVersion,
        )
      })
    }
  })

  describe('pods that no budget protects', () => {
    for (const { name, status, node, leaving } of [
      { name: 'pending', status: undefined },
      { name: 'succeeded', status: { phase: 'Succeeded' } },
      { name: 'failed', status: { phase: 'Failed' } },
      { name: 'terminating', status: ready, node: 'n1', leaving: true },
    ] as readonly { name: string; status?: object; node?: string; leaving?: true }[]) {
      test(name, async () => {
        const wanted = await budget(name, full())
        await pod(name, {
          labels: { budget: name },
          ...(status === undefined ? {} : { status }),
          ...(node === undefined ? {} : { node }),
        })
        if (leaving) await client.delete(`${PODS}/${name}`)
        expect(answer(await evict(name))).toEqual([201, done])
        expect(await gone(name)).toBe(leaving !== true)
        expect(await budgetOf(name)).toEqual(wanted)
      })
    }
    test('unready, while enough others are healthy', async () => {
      const wanted = await budget('spare', full())
      await pod('spare', { labels: { budget: 'spare' }, status: unready })
      expect(answer(await evict('spare'))).toEqual([201, done])
      expect([await gone('spare'), await budgetOf('spare')]).toEqual([true, wanted])
    })
    test('unready, unless the client asks for another version of it', async () => {
      await budget('version', full())
      const { metadata } = await pod('version', { labels: { budget: 'version' }, status: unready })
      const reply = await evict('version', {
        deleteOptions: { preconditions: { resourceVersion: '1' } },
      })
      expect(answer(reply)).toEqual(
        refused(
          conflict(
            'Pod',
            'version',
            `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
          ),
        ),
      )
      expect(await gone('version')).toBe(false)
    })
    test('pending, asked for by many at a time: one removes it', async () => {
      await pod('crowd')
      const replies = await Promise.all(Array.from({ length: 8 }, () => evict('crowd')))
      expect(replies.map(({ status }) => status).sort()).toEqual([
        201,
        ...Array.from({ length: 7 }, () => 404),
      ])
    })
    test('of a selector that is absent: it selects nothing', async () => {
      await budget('nothing', full(), null)
      await pod('nothing', { labels: { budget: 'nothing' }, status: ready })
      expect(answer(await evict('nothing'))).toEqual([201, done])
    })
    test('of another namespace', async () => {
      await client.post('/api/v1/namespaces', { metadata: { name: 'elsewhere' } })
      await made('/apis/policy/v1/namespaces/elsewhere/poddisruptionbudgets', {
        metadata: { name: 'far' },
        spec: { selector: { matchLabels: { budget: 'far' } } },
      })
      await pod('far', { labels: { budget: 'far' }, status: ready })
      expect(answer(await evict('far'))).toEqual([201, done])
    })
  })

  describe('pods that a budget holds', () => {
    const crowd = Object.fromEntries(
      Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2020-01-01T00:00:00Z']),
    )
    for (const { name, pods, status, expected } of [
      {
        name: 'used-up',
        pods: ready,
        status: full({ currentHealthy: 1 }),
        expected: tooMany('The disruption budget used-up needs 2 healthy pods and has 1 currently'),
      },
      {
        name: 'unready-short',
        pods: unready,
        status: full({ currentHealthy: 1 }),
        expected: tooMany(
          'The disruption budget unready-short needs 2 healthy pods and has 1 currently',
        ),
      },
      {
        name: 'unready-none',
        pods: unready,
        status: full({ currentHealthy: 0, desiredHealthy: 0 }),
        expected: tooMany(
          'The disruption budget unready-none needs 0 healthy pods and has 0 currently',
        ),
      },
      {
        name: 'not-seen',
        pods: ready,
        status: full({ observedGeneration: 0, disruptionsAllowed: 1 }),
        expected: tooMany(
          'The disruption budget not-seen is still being processed by the server.',
          10,
        ),
      },
      {
        name: 'crowded',
        pods: ready,
        status: full({ disruptionsAllowed: 1, disruptedPods: crowd }),
        expected: {
          code: 403,
          reason: 'Forbidden',
          message:
            'poddisruptionbudget.policy "crowded" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
          details: { name: 'crowded', group: 'policy', kind: 'poddisruptionbudget' },
        },
      },
    ] as readonly { name: string; pods: object; status: object; expected: Failure }[]) {
      test(name, async () => {
        const wanted = await budget(name, status)
        const before = await pod(name, { labels: { budget: name }, status: pods })
        const reply = await evict(name)
        expect(answer(reply)).toEqual(refused(expected))
        const retry = (expected.details as { retryAfterSeconds?: number }).retryAfterSeconds
        expect(reply.headers['retry-after']).toBe(retry === undefined ? undefined : String(retry))
        expect((await client.get(`${PODS}/${name}`)).body).toEqual(before)
        expect(await budgetOf(name)).toEqual(wanted)
      })
    }

    test('several budgets are too many', async () => {
      for (const name of ['double-1', 'double-2']) {
        await budget(name, full({ disruptionsAllowed: 1 }), { matchLabels: { double: 'yes' } })
      }
      await pod('double', { labels: { double: 'yes' }, status: ready })
      expect(answer(await evict('double'))).toEqual(
        refused({
          code: 500,
          message:
            'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        }),
      )
      expect(await gone('double')).toBe(false)
    })

    test('an empty selector selects all', async () => {
      await client.post('/api/v1/namespaces', { metadata: { name: 'all' } })
      const budgets = '/apis/policy/v1/namespaces/all/poddisruptionbudgets'
      await made(budgets, { metadata: { name: 'every' }, spec: { selector: {} } })
      await client.merge(`${budgets}/every/status`, { status: full() })
      const pods = '/api/v1/namespaces/all/pods'
      await made(pods, {
        metadata: { name: 'any', labels: { some: 'label' } },
        spec: { containers: [{ name: 'c', image: 'example.com/i:1' }] },
      })
      await client.merge(`${pods}/any/status`, { status: ready })
      const reply = await client.post(`${pods}/any/eviction`, { metadata: { name: 'any' } })
      expect(answer(reply)).toEqual(
        refused(tooMany('The disruption budget every needs 2 healthy pods and has 2 currently')),
      )
    })
  })

  describe('spends the budget', () => {
    const now = expect.stringMatching(/^\d{4}-.*Z$/)

    test('of two disruptions one is left', async () => {
      const before = await budget('two', full({ disruptionsAllowed: 2 }))
      await pod('two', { labels: { budget: 'two' }, status: ready })
      expect(answer(await evict('two'))).toEqual([201, done])
      expect(await gone('two')).toBe(true)
      const after = await budgetOf('two')
      expect(after).toEqual({
        ...before,
        metadata: {
          ...before.metadata,
          resourceVersion: after.metadata.resourceVersion,
          managedFields: after.metadata.managedFields,
        },
        status: { ...before.status, disruptionsAllowed: 1, disruptedPods: { two: now } },
      })
      // The server spends it as a client of its own, as in the reference.
      expect(after.metadata.managedFields).toContainEqual({
        manager: 'orch-apiserver',
        operation: 'Update',
        apiVersion: 'policy/v1',
        time: now,
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:status': { 'f:disruptedPods': { '.': {}, 'f:two': {} }, 'f:disruptionsAllowed': {} },
        },
        subresource: 'status',
      })
    })

    test('of the last none is, which a condition shows', async () => {
      const before = await budget('last', full({ disruptionsAllowed: 1 }))
      await pod('last', { labels: { budget: 'last' }, status: ready })
      expect(answer(await evict('last'))).toEqual([201, done])
      expect((await budgetOf('last')).status).toEqual({
        ...before.status,
        disruptionsAllowed: 0,
        disruptedPods: { last: now },
        conditions: [
          {
            type: 'DisruptionAllowed',
            status: 'False',
            observedGeneration: 1,
            lastTransitionTime: now,
            reason: 'InsufficientPods',
            message: '',
          },
        ],
      })
    })

    test('a condition that was there changes', async () => {
      const condition = (status: string, reason: string) => ({
        type: 'DisruptionAllowed',
        status,
        observedGeneration: 1,
        lastTransitionTime: '2020-01-01T00:00:00Z',
        reason,
        message: 'm',
      })
      await budget(
        'change',
        full({ disruptionsAllowed: 1, conditions: [condition('True', 'SufficientPods')] }),
      )
      await pod('change', { labels: { budget: 'change' }, status: ready })
      expect((await evict('change')).status).toBe(201)
      expect((await budgetOf('change')).status.conditions).toEqual([
        {
          ...condition('False', 'InsufficientPods'),
          lastTransitionTime: expect.not.stringMatching(/^2020/),
          message: '',
        },
      ])
    })

    test('not on a dry run, which is refused as a real one would be', async () => {
      const before = await budget('rehearsed', full({ disruptionsAllowed: 1 }))
      await pod('rehearsed', { labels: { budget: 'rehearsed' }, status: ready })
      expect(answer(await evict('rehearsed', {}, '?dryRun=All'))).toEqual([201, done])
      expect([await gone('rehearsed'), await budgetOf('rehearsed')]).toEqual([false, before])
      await client.merge(`${BUDGETS}/rehearsed/status`, { status: { disruptionsAllowed: 0 } })
      expect((await evict('rehearsed', {}, '?dryRun=All')).status).toBe(429)
    })

    test('never more of it than there is, however many ask at a time', async () => {
      await budget('rush', full({ disruptionsAllowed: 3 }))
      const names = Array.from({ length: 12 }, (_, i) => `rush-${i}`)
      for (const name of names) await pod(name, { labels: { budget: 'rush' }, status: ready })
      const replies = await Promise.all(names.map((name) => evict(name)))
      expect(replies.map(({ status }) => status).sort()).toEqual([
        ...Array.from({ length: 3 }, () => 201),
        ...Array.from({ length: 9 }, () => 429),
      ])
      const left = (await client.get(`${PODS}?labelSelector=budget%3Drush`)).body.items
      const { status } = await budgetOf('rush')
      expect([left.length, status.disruptionsAllowed]).toEqual([9, 0])
      expect(Object.keys(status.disruptedPods).sort()).toEqual(
        names.filter((_, i) => replies[i]!.status === 201).sort(),
      )
    })
  })
})

describe('tokens of service accounts', () => {
  test('are issued, and nothing else is done with them', async () => {
    await made(`${NS}/serviceaccounts`, { metadata: { name: 'robot' } })
    const path = `${NS}/serviceaccounts/robot/token`
    const { status, body } = await client.post(path, { spec: { audiences: ['a'] } })
    expect([status, body.kind, body.spec.audiences]).toEqual([201, 'TokenRequest', ['a']])
    expect(body.status.token.split('.')).toHaveLength(3)
    expect(answer(await client.get(path))).toEqual(refused(methodNotAllowed))
  })
})

describe('reviews', () => {
  const AUTHN = '/apis/authentication.orch.io/v1'
  const AUTHZ = '/apis/authorization.orch.io/v1'
  const kinds = {
    token: { path: `${AUTHN}/tokenreviews`, kind: 'TokenReview', group: 'authentication' },
    subject: {
      path: `${AUTHZ}/subjectaccessreviews`,
      kind: 'SubjectAccessReview',
      group: 'authorization',
    },
    self: {
      path: `${AUTHZ}/selfsubjectaccessreviews`,
      kind: 'SelfSubjectAccessReview',
      group: 'authorization',
    },
    local: {
      path: `${AUTHZ}/namespaces/default/localsubjectaccessreviews`,
      kind: 'LocalSubjectAccessReview',
      group: 'authorization',
    },
    rules: {
      path: `${AUTHZ}/selfsubjectrulesreviews`,
      kind: 'SelfSubjectRulesReview',
      group: 'authorization',
    },
  } as const
  type Kind = keyof typeof kinds
  const whole = (of: Kind, rest: object) => ({
    kind: kinds[of].kind,
    apiVersion: `${kinds[of].group}.orch.io/v1`,
    metadata: { creationTimestamp: null },
    ...rest,
  })
  const resource = { verb: 'get', resource: 'pods', namespace: 'default' }

  describe('answer', () => {
    for (const { name, of, body, rest } of [
      {
        name: 'a privileged group may do everything',
        of: 'subject',
        body: {
          spec: {
            user: 'u',
            uid: '1',
            groups: ['system:masters'],
            extra: { k: ['v'] },
            resourceAttributes: resource,
          },
        },
        rest: {
          spec: {
            user: 'u',
            uid: '1',
            groups: ['system:masters'],
            extra: { k: ['v'] },
            resourceAttributes: resource,
          },
          status: { allowed: true },
        },
      },
      {
        name: 'a group is enough of a subject',
        of: 'subject',
        body: { spec: { groups: ['system:masters'], resourceAttributes: resource } },
        rest: {
          spec: { groups: ['system:masters'], resourceAttributes: resource },
          status: { allowed: true },
        },
      },
      {
        name: 'somebody may do nothing to resources',
        of: 'subject',
        body: { spec: { user: 'u', resourceAttributes: resource } },
        rest: { spec: { user: 'u', resourceAttributes: resource }, status: { allowed: false } },
      },
      {
        name: 'attributes are taken as they are',
        of: 'subject',
        body: { spec: { user: 'u', resourceAttributes: {} } },
        rest: { spec: { user: 'u', resourceAttributes: {} }, status: { allowed: false } },
      },
      {
        name: 'what is open to all who are known',
        of: 'subject',
        body: {
          spec: {
            groups: ['system:authenticated'],
            nonResourceAttributes: { path: '/version', verb: 'get' },
          },
        },
        rest: {
          spec: {
            groups: ['system:authenticated'],
            nonResourceAttributes: { path: '/version', verb: 'get' },
          },
          status: {
            allowed: true,
            reason:
              'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
          },
        },
      },
      {
        name: 'what is not',
        of: 'subject',
        body: { spec: { user: 'u', nonResourceAttributes: { path: '/metrics', verb: 'get' } } },
        rest: {
          spec: { user: 'u', nonResourceAttributes: { path: '/metrics', verb: 'get' } },
          status: { allowed: false },
        },
      },
      {
        name: 'a status that was sent does not count',
        of: 'subject',
        body: {
          spec: { user: 'u', resourceAttributes: resource },
          status: { allowed: true, denied: true, reason: 'mine', evaluationError: 'none' },
        },
        rest: { spec: { user: 'u', resourceAttributes: resource }, status: { allowed: false } },
      },
      {
        name: 'within a namespace',
        of: 'local',
        body: { spec: { groups: ['system:masters'], resourceAttributes: resource } },
        rest: {
          metadata: { namespace: 'default', creationTimestamp: null },
          spec: { groups: ['system:masters'], resourceAttributes: resource },
          status: { allowed: true },
        },
      },
      {
        name: 'oneself',
        of: 'self',
        body: { spec: { resourceAttributes: { ...resource, subresource: 'log', name: 'p' } } },
        rest: {
          spec: { resourceAttributes: { ...resource, subresource: 'log', name: 'p' } },
          status: { allowed: true },
        },
      },
      {
        name: 'a token that nobody here can read',
        of: 'token',
        body: { spec: { token: 't', audiences: ['a'] } },
        rest: {
          spec: { token: 't', audiences: ['a'] },
          status: { user: {}, error: 'invalid bearer token' },
        },
      },
    ] as readonly { name: string; of: Kind; body: object; rest: object }[]) {
      test(name, async () => {
        const { path } = kinds[of]
        expect(answer(await client.post(path, body))).toEqual([201, whole(of, rest)])
        expect(answer(await client.post(`${path}?dryRun=All`, body))).toEqual([
          201,
          whole(of, rest),
        ])
      })
    }

    test('all that one may oneself', async () => {
      const { path } = kinds.rules
      const { status, body } = await client.post(path, { spec: { namespace: 'default' } })
      expect([status, body.metadata, body.spec, body.status.incomplete]).toEqual([
        201,
        { creationTimestamp: null },
        {},
        false,
      ])
      const all = ['*']
      expect(body.status.resourceRules).toContainEqual({
        verbs: all,
        apiGroups: all,
        resources: all,
      })
      expect(body.status.nonResourceRules).toContainEqual({ verbs: all, nonResourceURLs: all })
    })

    test('as YAML', async () => {
      const reply = await client.post(
        kinds.self.path,
        { spec: { resourceAttributes: resource } },
        { headers: { accept: 'application/yaml' } },
      )
      expect([reply.status, reply.headers['content-type']]).toEqual([201, 'application/yaml'])
      expect(reply.text).toContain('status:\n  allowed: true\n')
    })
  })

  describe('refuse', () => {
    const about = { kind: '', group: 'authorization.orch.io' }
    const none = [
      'spec.resourceAttributes',
      'Invalid',
      'Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ] as const
    for (const { name, of, body, expected, path } of [
      {
        name: 'nobody',
        of: 'subject',
        body: { spec: { resourceAttributes: resource } },
        expected: invalid(about, [
          [
            'spec.user',
            'Invalid',
            'Invalid value: "": at least one of user or group must be specified',
          ],
        ]),
      },
      {
        name: 'metadata',
        of: 'subject',
        body: { metadata: { name: 'n' }, spec: { user: 'u', resourceAttributes: resource } },
        expected: ['metadata: Invalid value', 'must be empty'],
      },
      {
        name: 'both kinds of attributes',
        of: 'self',
        body: { spec: { resourceAttributes: resource, nonResourceAttributes: { path: '/' } } },
        expected: [
          'spec.nonResourceAttributes: Invalid value',
          'cannot be specified in combination with resourceAttributes',
        ],
      },
      {
        name: 'neither kind of attributes',
        of: 'self',
        body: { spec: {} },
        expected: ['spec.resourceAttributes: Invalid value', none[2].slice(23)],
      },
      {
        name: 'another namespace in the attributes',
        of: 'local',
        body: { spec: { user: 'u', resourceAttributes: { ...resource, namespace: 'other' } } },
        expected: invalid(about, [
          [
            'spec.resourceAttributes.namespace',
            'Invalid',
            'Invalid value: "other": must match metadata.namespace',
          ],
        ]),
      },
      {
        name: 'paths within a namespace',
        of: 'local',
        body: { spec: { user: 'u', nonResourceAttributes: { path: '/', verb: 'get' } } },
        expected: [
          'spec.nonResourceAttributes: Invalid value',
          'disallowed on this kind of request',
        ],
      },
      {
        name: 'more metadata than the namespace',
        of: 'local',
        body: {
          metadata: { labels: { a: 'b' } },
          spec: { user: 'u', resourceAttributes: resource },
        },
        expected: ['metadata: Invalid value', 'must be empty except for namespace'],
      },
      {
        name: 'another namespace than that of the URL',
        of: 'local',
        body: {
          metadata: { namespace: 'other' },
          spec: { user: 'u', resourceAttributes: { ...resource, namespace: 'other' } },
        },
        expected: badRequest(
          'the namespace of the provided object does not match the namespace sent on the request',
        ),
      },
      {
        name: 'rules of no namespace',
        of: 'rules',
        body: { spec: {} },
        expected: badRequest('no namespace on request'),
      },
      {
        name: 'no token',
        of: 'token',
        body: { spec: { audiences: ['a'] } },
        expected: badRequest('token is required for TokenReview in authentication'),
      },
      {
        name: 'another kind',
        of: 'token',
        body: { kind: 'Pod', apiVersion: 'v1' },
        expected: badRequest(
          'Pod in version "v1" cannot be handled as a TokenReview: no kind "Pod" is registered for version "v1" at this endpoint',
        ),
      },
      {
        name: 'unknown fields, strictly',
        of: 'self',
        path: `${kinds.self.path}?fieldValidation=Strict`,
        body: { spec: { resourceAttributes: { ...resource, verbs: 'x' } } },
        expected: badRequest(
          'SelfSubjectAccessReview in version "v1" cannot be handled as a SelfSubjectAccessReview: strict decoding error: unknown field "spec.resourceAttributes.verbs"',
        ),
      },
    ] as readonly {
      name: string
      of: Kind
      body: object
      path?: string
      /** The failure, or how its only cause begins and ends: values in between are free. */
      expected: Failure | readonly [string, string]
    }[]) {
      test(name, async () => {
        const { status, body: got } = await client.post(path ?? kinds[of].path, body)
        if ('code' in expected) {
          expect([status, got]).toEqual(refused(expected))
          return
        }
        const [start, end] = expected
        const field = start.slice(0, start.indexOf(':'))
        expect([status, got.reason, got.details.group, got.details.kind ?? '']).toEqual([
          422,
          'Invalid',
          'authorization.orch.io',
          '',
        ])
        expect(got.details.causes).toEqual([
          {
            reason: 'FieldValueInvalid',
            field,
            message: expect.stringMatching(/^Invalid value: /),
          },
        ])
        expect(got.message).toBe(
          `.authorization.orch.io "" is invalid: ${field}: ${got.details.causes[0].message}`,
        )
        expect(got.message.endsWith(`: ${end}`), got.message).toBe(true)
      })
    }

    for (const { of, method } of (Object.keys(kinds) as Kind[]).flatMap((of) =>
      ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ of, method })),
    )) {
      test(`${method} of ${kinds[of].kind}`, async () => {
        expect(answer(await client.ask(method, kinds[of].path))).toEqual(refused(methodNotAllowed))
      })
    }
    test('what is not there twice: a review by name', async () => {
      expect((await client.get(`${kinds.subject.path}/x`)).status).toBe(405)
    })
  })
})

describe('component statuses', () => {
  const path = '/api/v1/componentstatuses'
  const warning = '299 - "v1 ComponentStatus is deprecated in v1.19+"'

  test('are listed, with a warning', async () => {
    const { status, headers, body } = await client.get(path)
    expect([status, headers.warning]).toEqual([200, warning])
    expect(body).toEqual({
      kind: 'ComponentStatusList',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
      items: [
        {
          metadata: { name: 'store-0', creationTimestamp: null },
          conditions: [
            { type: 'Healthy', status: 'True', message: expect.stringMatching(/^revision \d+$/) },
          ],
        },
      ],
    })
  })
  test('are read one by one, with a warning', async () => {
    const { status, headers, body } = await client.get(`${path}/store-0`)
    expect([status, headers.warning, body.kind, body.metadata]).toEqual([
      200,
      warning,
      'ComponentStatus',
      { name: 'store-0', creationTimestamp: null },
    ])
  })
  test('one that is not there', async () => {
    expect(answer(await client.get(`${path}/absent`))).toEqual(
      refused({
        code: 404,
        reason: 'NotFound',
        message: 'componentstatuses "absent" not found',
        details: { name: 'absent', kind: 'componentstatuses' },
      }),
    )
  })
  for (const { query, names } of [
    { query: 'fieldSelector=metadata.name%3Dstore-0', names: ['store-0'] },
    { query: 'fieldSelector=metadata.name!%3Dstore-0', names: [] },
    { query: 'labelSelector=a', names: [] },
    { query: 'labelSelector=!a', names: ['store-0'] },
  ]) {
    test(`selected by ${query}`, async () => {
      const { body } = await client.get(`${path}?${query}`)
      expect(body.items.map((item: any) => item.metadata.name)).toEqual(names)
    })
  }
  test('as a Table', async () => {
    const { status, body } = await client.get(path, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' },
    })
    expect([status, body.kind, body.columnDefinitions.map(({ name }: any) => name)]).toEqual([
      200,
      'Table',
      ['Name', 'Status', 'Message', 'Error'],
    ])
    expect(body.rows.map(({ cells }: any) => cells)).toEqual([
      ['store-0', 'Healthy', expect.stringMatching(/^revision \d+$/), ''],
    ])
  })
  for (const [method, at] of [
    ['POST', path],
    ['PUT', `${path}/store-0`],
    ['PATCH', `${path}/store-0`],
    ['DELETE', `${path}/store-0`],
    ['DELETE', path],
  ] as const) {
    test(`${method} ${at}`, async () => {
      expect(answer(await client.ask(method, at))).toEqual(refused(methodNotAllowed))
    })
  }
  test('nobody can watch them', async () => {
    expect((await client.get(`${path}?watch=1`)).status).toBe(405)
  })
})
