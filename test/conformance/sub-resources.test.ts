/** Sub-resources that write one part of an object by rules of their own, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { issue } from '../../src/pki/issue.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client, type Reply } from '../client.ts'
import { badRequest, failure, invalid, type Failure } from '../failure.ts'
import { manifests } from '../manifests.fixture.ts'
import { unowned } from '../owners.ts'

const PODS = '/api/v1/namespaces/default/pods'

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: false, disableAdmissionPlugins: ['ServiceAccount'] })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const answer = ({ status, body }: Reply) => [status, body]
const refused = (expected: Failure) => [expected.code, failure(expected)]
const made = async (path: string, body: object) => {
  const reply = await client.post(path, body)
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}
const methodNotAllowed: Failure = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
  details: {},
}
const noSuchResource: Failure = {
  code: 404,
  reason: 'NotFound',
  message: 'the server could not find the requested resource',
  details: {},
}
const stale = (resource: string, name: string, group = ''): Failure => ({
  code: 409,
  reason: 'Conflict',
  message: `Operation cannot be fulfilled on ${resource}${group === '' ? '' : `.${group}`} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
  details: { name, ...(group === '' ? {} : { group }), kind: resource },
})
const absent = (resource: string, group = ''): Failure => ({
  code: 404,
  reason: 'NotFound',
  message: `${resource}${group === '' ? '' : `.${group}`} "absent" not found`,
  details: { name: 'absent', ...(group === '' ? {} : { group }), kind: resource },
})

const pod = (name: string, spec: object = {}, metadata: object = {}) =>
  made(PODS, {
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'c', image: 'example.com/i:1' }], ...spec },
  })

describe('pods/ephemeralcontainers', () => {
  const at = (name: string) => `${PODS}/${name}/ephemeralcontainers`
  const debug = (name: string, more: object = {}) => ({
    name,
    image: 'example.com/debug:1',
    ...more,
  })
  const filled = (name: string, more: object = {}) => ({
    ...debug(name),
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
    ...more,
  })

  test('reads the pod', async () => {
    const body = await pod('debug-read')
    expect(answer(await client.get(at('debug-read')))).toEqual([200, body])
  })

  for (const { name, write } of [
    {
      name: 'put',
      write: (path: string, body: any) =>
        client.put(path, { ...body, spec: { ...body.spec, ephemeralContainers: [debug('d')] } }),
    },
    {
      name: 'merge',
      write: (path: string) => client.merge(path, { spec: { ephemeralContainers: [debug('d')] } }),
    },
    {
      name: 'strategic',
      write: (path: string) =>
        client.ask('PATCH', path, {
          body: { spec: { ephemeralContainers: [debug('d')] } },
          headers: { 'content-type': 'application/strategic-merge-patch+json' },
        }),
    },
    {
      name: 'json',
      write: (path: string) =>
        client.json(path, [{ op: 'add', path: '/spec/ephemeralContainers', value: [debug('d')] }]),
    },
  ]) {
    test(`${name} adds a container`, async () => {
      const pods = `debug-${name}`
      const before = await pod(pods, {}, { labels: { a: 'b' } })
      const { status, body } = await write(at(pods), before)
      expect([status, unowned(body)]).toEqual([
        200,
        {
          ...unowned(before),
          metadata: { ...unowned(before).metadata, resourceVersion: body.metadata.resourceVersion },
          spec: { ...before.spec, ephemeralContainers: [filled('d')] },
        },
      ])
      expect((await client.get(`${PODS}/${pods}`)).body).toEqual(body)
    })
  }

  test('takes nothing else from the body', async () => {
    const before = await pod('debug-only', {}, { labels: { a: 'b' } })
    const { status, body } = await client.put(at('debug-only'), {
      metadata: { name: 'debug-only', labels: { c: 'd' }, annotations: { e: 'f' } },
      spec: {
        containers: [{ name: 'other', image: 'example.com/other:1' }],
        nodeName: 'n',
        ephemeralContainers: [debug('d', { targetContainerName: 'c' })],
      },
      status: { phase: 'Failed' },
    })
    expect([status, unowned(body)]).toEqual([
      200,
      {
        ...unowned(before),
        metadata: { ...unowned(before).metadata, resourceVersion: body.metadata.resourceVersion },
        spec: { ...before.spec, ephemeralContainers: [filled('d', { targetContainerName: 'c' })] },
      },
    ])
  })

  describe('refuses', () => {
    beforeAll(async () => {
      await pod('debugged')
      await client.merge(at('debugged'), { spec: { ephemeralContainers: [debug('d')] } })
    })
    const about = { kind: 'Pod', name: 'debugged' }
    const list = (...ephemeralContainers: object[]) =>
      client.merge(at('debugged'), { spec: { ephemeralContainers } })
    const says = 'Forbidden: cannot be set for an Ephemeral Container'
    for (const { name, ask, expected } of [
      {
        name: 'to remove one',
        ask: () => list(debug('e')),
        expected: invalid(about, [
          [
            'spec.ephemeralContainers',
            'Forbidden',
            'Forbidden: existing ephemeral containers "d" may not be removed',
          ],
        ]),
      },
      {
        name: 'to change one',
        ask: () => list(debug('d', { image: 'example.com/debug:2' })),
        expected: invalid(about, [
          [
            'spec.ephemeralContainers',
            'Forbidden',
            'Forbidden: existing ephemeral containers "d" may not be changed',
          ],
        ]),
      },
      {
        name: 'one without a name',
        ask: () => list(debug('d'), { image: 'example.com/i:1' }),
        expected: invalid(about, [
          ['spec.ephemeralContainers[1].name', 'Required', 'Required value'],
        ]),
      },
      {
        name: 'the name of another container',
        ask: () => list(debug('d'), debug('c')),
        expected: invalid(about, [
          ['spec.ephemeralContainers[1].name', 'Duplicate', 'Duplicate value: "c"'],
        ]),
      },
      {
        name: 'ports and probes',
        ask: () =>
          list(
            debug('d'),
            debug('e', {
              ports: [{ containerPort: 80 }],
              livenessProbe: { exec: { command: ['x'] } },
            }),
          ),
        expected: invalid(about, [
          ['spec.ephemeralContainers[1].ports', 'Forbidden', says],
          ['spec.ephemeralContainers[1].livenessProbe', 'Forbidden', says],
        ]),
      },
      {
        name: 'an unknown target',
        ask: () => list(debug('d'), debug('e', { targetContainerName: 'x' })),
        expected: invalid(about, [
          ['spec.ephemeralContainers[1].targetContainerName', 'NotFound', 'Not found: "x"'],
        ]),
      },
      {
        name: 'an old resourceVersion',
        ask: () => client.merge(at('debugged'), { metadata: { resourceVersion: '1' } }),
        expected: stale('pods', 'debugged'),
      },
      {
        name: 'an absent pod',
        ask: () => client.merge(at('absent'), { spec: { ephemeralContainers: [debug('d')] } }),
        expected: absent('pods'),
      },
      {
        name: 'another name',
        ask: () => client.put(at('debugged'), { metadata: { name: 'other' } }),
        expected: badRequest(
          'the name of the object (other) does not match the name on the URL (debugged)',
        ),
      },
      { name: 'a post', ask: () => client.post(at('debugged'), {}), expected: methodNotAllowed },
      { name: 'a delete', ask: () => client.delete(at('debugged')), expected: methodNotAllowed },
    ] as readonly { name: string; ask: () => Promise<Reply>; expected: Failure }[]) {
      test(name, async () => {
        const { body: before } = await client.get(`${PODS}/debugged`)
        expect(answer(await ask())).toEqual(refused(expected))
        expect((await client.get(`${PODS}/debugged`)).body).toEqual(before)
      })
    }

    test('a pod that is made with one', async () => {
      const reply = await client.post(PODS, {
        metadata: { name: 'early' },
        spec: {
          containers: [{ name: 'c', image: 'example.com/i:1' }],
          ephemeralContainers: [debug('d')],
        },
      })
      expect(answer(reply)).toEqual(
        refused(
          invalid({ kind: 'Pod', name: 'early' }, [
            ['spec.ephemeralContainers', 'Forbidden', 'Forbidden: cannot be set on create'],
          ]),
        ),
      )
    })
    test('a change of the pod itself', async () => {
      const { status, body } = await client.merge(`${PODS}/debugged`, {
        spec: { ephemeralContainers: [debug('d'), debug('e')] },
      })
      expect([
        status,
        body.details.causes.map(({ reason, field }: any) => [field, reason]),
      ]).toEqual([422, [['spec', 'FieldValueForbidden']]])
      expect(body.details.causes[0].message).toMatch(
        /^Forbidden: pod updates may not change fields other than /,
      )
    })
  })
})

describe('pods/status', () => {
  const at = (name: string) => `${PODS}/${name}/status`
  const ended = (exitCode: number) => ({
    terminated: { exitCode, reason: 'Done', startedAt: null, finishedAt: null },
  })
  const container = (state: object, name = 'c') => ({
    name,
    state,
    ready: false,
    restartCount: 0,
    image: '',
    imageID: '',
  })

  test('writes the status, and nothing of the spec', async () => {
    const before = await pod('whole')
    const { status, body } = await client.put(at('whole'), {
      ...unowned(before),
      spec: { ...before.spec, nodeName: 'n', containers: [] },
      status: { phase: 'Running', podIP: '10.1.1.1', nominatedNodeName: 'n1' },
    })
    expect([status, unowned(body)]).toEqual([
      200,
      {
        ...unowned(before),
        metadata: { ...unowned(before).metadata, resourceVersion: body.metadata.resourceVersion },
        status: {
          phase: 'Running',
          podIP: '10.1.1.1',
          podIPs: [{ ip: '10.1.1.1' }],
          nominatedNodeName: 'n1',
        },
      },
    ])
    expect((await client.get(at('whole'))).body).toEqual(body)
  })

  test('owners and the time of deletion stay', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '1' }
    const before = await pod('owned', {}, { ownerReferences: [owner] })
    const { status, body } = await client.merge(at('owned'), {
      metadata: {
        ownerReferences: [{ ...owner, uid: '2' }],
        deletionTimestamp: '2020-01-01T00:00:00Z',
      },
      status: { phase: 'Running' },
    })
    expect([status, unowned(body).metadata]).toEqual([
      200,
      { ...unowned(before).metadata, resourceVersion: body.metadata.resourceVersion },
    ])
  })

  describe('of containers that ended', () => {
    for (const { policy, exitCode, now, refuses } of [
      { policy: 'Always', exitCode: 0, now: { running: {} }, refuses: false },
      { policy: 'Always', exitCode: 1, now: { waiting: {} }, refuses: false },
      { policy: 'OnFailure', exitCode: 0, now: { running: {} }, refuses: true },
      { policy: 'OnFailure', exitCode: 1, now: { running: {} }, refuses: false },
      { policy: 'Never', exitCode: 0, now: { running: {} }, refuses: true },
      { policy: 'Never', exitCode: 1, now: { waiting: {} }, refuses: true },
      { policy: 'Never', exitCode: 1, now: ended(2), refuses: false },
    ] as const) {
      const name = `${policy}-${exitCode}-${Object.keys(now)[0]}`.toLowerCase()
      test(`${policy}: from exit code ${exitCode} to ${Object.keys(now)[0]}`, async () => {
        await pod(name, { restartPolicy: policy })
        const first = await client.merge(at(name), {
          status: { containerStatuses: [container(ended(exitCode))] },
        })
        expect(first.status, first.text).toBe(200)
        const reply = await client.merge(at(name), {
          status: { containerStatuses: [container(now)] },
        })
        if (!refuses) {
          expect(reply.status, reply.text).toBe(200)
          return
        }
        expect(answer(reply)).toEqual(
          refused(
            invalid({ kind: 'Pod', name }, [
              [
                'status.containerStatuses[0].state',
                'Forbidden',
                'Forbidden: may not be transitioned to non-terminated state',
              ],
            ]),
          ),
        )
      })
    }
  })

  describe('refuses', () => {
    beforeAll(() => pod('strict'))
    const subdomain =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
    const address = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
    for (const { name, status, causes } of [
      {
        name: 'a node name of the wrong form',
        status: { nominatedNodeName: 'Bad' },
        causes: [['status.nominatedNodeName', 'Invalid', `Invalid value: "Bad": ${subdomain}`]],
      },
      {
        name: 'what is no address',
        status: { podIPs: [{ ip: 'x' }] },
        causes: [['status.podIPs[0]', 'Invalid', `Invalid value: "x": ${address}`]],
      },
      {
        name: 'two addresses of a family',
        status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
        causes: [
          [
            'status.podIPs',
            'Invalid',
            'Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
          ],
        ],
      },
      {
        name: 'a condition without a proper name',
        status: {
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'a/b/c', status: 'True' },
          ],
        },
        causes: [
          [
            'metadata.conditions[1].Type',
            'Invalid',
            "Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
          ],
        ],
      },
    ] as readonly { name: string; status: object; causes: [string, string, string][] }[]) {
      test(name, async () => {
        expect(answer(await client.merge(at('strict'), { status }))).toEqual(
          refused(invalid({ kind: 'Pod', name: 'strict' }, causes)),
        )
      })
    }
    test('an absent pod: it makes none', async () => {
      const body = { metadata: { name: 'absent' }, status: { phase: 'Running' } }
      expect(answer(await client.put(at('absent'), body))).toEqual(refused(absent('pods')))
    })
    test('a post and a delete', async () => {
      expect(answer(await client.post(at('strict'), {}))).toEqual(refused(methodNotAllowed))
      expect(answer(await client.delete(at('strict')))).toEqual(refused(methodNotAllowed))
    })
    test('an unknown sub-resource', async () => {
      expect(answer(await client.get(`${PODS}/strict/states`))).toEqual(refused(noSuchResource))
    })
  })
})

describe('namespaces/finalize', () => {
  const NAMESPACES = '/api/v1/namespaces'
  const at = (name: string) => `${NAMESPACES}/${name}/finalize`
  const namespace = (name: string) => made(NAMESPACES, { metadata: { name } })

  test('writes spec.finalizers, and nothing of the status', async () => {
    const before = await namespace('held')
    expect(before.spec).toEqual({ finalizers: ['orch'] })
    const { status, body } = await client.put(at('held'), {
      ...unowned(before),
      spec: { finalizers: ['orch', 'example.com/more'] },
      status: { phase: 'Terminating' },
    })
    expect([status, unowned(body)]).toEqual([
      200,
      {
        ...unowned(before),
        metadata: { ...unowned(before).metadata, resourceVersion: body.metadata.resourceVersion },
        spec: { finalizers: ['orch', 'example.com/more'] },
      },
    ])
    expect((await client.get(`${NAMESPACES}/held`)).body).toEqual(body)
  })

  test('the main resource does not write them', async () => {
    const before = await namespace('main')
    const { body } = await client.merge(`${NAMESPACES}/main`, { spec: { finalizers: ['a.b/c'] } })
    const { resourceVersion } = before.metadata
    expect(unowned({ ...body, metadata: { ...body.metadata, resourceVersion } })).toEqual(
      unowned(before),
    )
  })

  test('a living namespace without any lives on', async () => {
    const before = await namespace('alive')
    const { status, body } = await client.put(at('alive'), { ...before, spec: {} })
    expect([status, body.spec, body.status]).toEqual([200, {}, { phase: 'Active' }])
    expect((await client.get(`${NAMESPACES}/alive`)).status).toBe(200)
  })

  test('a terminating one goes with the last', async () => {
    await namespace('ending')
    const first = await client.delete(`${NAMESPACES}/ending`)
    expect([first.status, first.body.status]).toEqual([200, { phase: 'Terminating' }])
    const again = await client.delete(`${NAMESPACES}/ending`)
    expect([again.status, again.body.metadata.deletionTimestamp]).toEqual([
      200,
      first.body.metadata.deletionTimestamp,
    ])
    const last = await client.put(at('ending'), { ...again.body, spec: { finalizers: [] } })
    expect([last.status, last.body.spec, last.body.status]).toEqual([
      200,
      {},
      { phase: 'Terminating' },
    ])
    expect((await client.get(`${NAMESPACES}/ending`)).status).toBe(404)
  })

  test('metadata.finalizers hold it longer', async () => {
    await made(NAMESPACES, { metadata: { name: 'longer', finalizers: ['example.com/hold'] } })
    const { body } = await client.delete(`${NAMESPACES}/longer`)
    const reply = await client.put(at('longer'), { ...body, spec: {} })
    expect([reply.status, reply.body.spec]).toEqual([200, {}])
    expect((await client.get(`${NAMESPACES}/longer`)).status).toBe(200)
    const end = await client.merge(`${NAMESPACES}/longer`, { metadata: { finalizers: null } })
    expect(end.status).toBe(200)
    expect((await client.get(`${NAMESPACES}/longer`)).status).toBe(404)
  })

  test('a dry run removes nothing', async () => {
    await namespace('dry')
    const { body } = await client.delete(`${NAMESPACES}/dry`)
    const reply = await client.put(`${at('dry')}?dryRun=All`, { ...body, spec: {} })
    expect([reply.status, reply.body.spec]).toEqual([200, {}])
    expect((await client.get(`${NAMESPACES}/dry`)).body).toEqual(body)
  })

  describe('refuses', () => {
    beforeAll(() => namespace('strict'))
    const metadata = { name: 'strict' }
    const unknown = 'name is neither a standard finalizer name nor is it fully qualified'
    for (const { name, ask, expected } of [
      {
        name: 'a name of nobody',
        ask: () => client.put(at('strict'), { metadata, spec: { finalizers: ['orch', 'nobody'] } }),
        expected: invalid({ kind: 'Namespace', name: 'strict' }, [
          ['spec.finalizers[1]', 'Invalid', `Invalid value: "nobody": ${unknown}`],
        ]),
      },
      {
        name: 'an old resourceVersion',
        ask: () =>
          client.put(at('strict'), { metadata: { ...metadata, resourceVersion: '1' }, spec: {} }),
        expected: stale('namespaces', 'strict'),
      },
      {
        name: 'another name',
        ask: () => client.put(at('strict'), { metadata: { name: 'other' } }),
        expected: badRequest(
          'the name of the object (other) does not match the name on the URL (strict)',
        ),
      },
      {
        name: 'an absent namespace',
        ask: () => client.put(at('absent'), { metadata: { name: 'absent' } }),
        expected: absent('namespaces'),
      },
      { name: 'a read', ask: () => client.get(at('strict')), expected: methodNotAllowed },
      { name: 'a patch', ask: () => client.merge(at('strict'), {}), expected: methodNotAllowed },
      { name: 'a post', ask: () => client.post(at('strict'), {}), expected: methodNotAllowed },
      { name: 'a delete', ask: () => client.delete(at('strict')), expected: methodNotAllowed },
      {
        name: 'a phase that is not its own',
        ask: () =>
          client.merge(`${NAMESPACES}/strict/status`, { status: { phase: 'Terminating' } }),
        expected: invalid({ kind: 'Namespace', name: 'strict' }, [
          [
            'status.Phase',
            'Invalid',
            'Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
          ],
        ]),
      },
    ] as readonly { name: string; ask: () => Promise<Reply>; expected: Failure }[]) {
      test(name, async () => {
        const { body: before } = await client.get(`${NAMESPACES}/strict`)
        expect(answer(await ask())).toEqual(refused(expected))
        expect((await client.get(`${NAMESPACES}/strict`)).body).toEqual(before)
      })
    }
  })
})

describe('certificatesigningrequests', () => {
  const GROUP = 'certificates.orch.io'
  const REQUESTS = `/apis/${GROUP}/v1/certificatesigningrequests`
  const { spec } = manifests(vocabularies.orch).find(
    ({ resource }) => resource === 'certificatesigningrequests',
  )!.content
  const certificate = (name: string) =>
    Buffer.from(
      issue({
        subject: { commonName: name },
        notBeforeMs: Date.now() - 60_000,
        notAfterMs: Date.now() + 3_600_000,
        use: 'client',
        issuer: authority,
      }).cert,
    ).toString('base64')
  const authority = issue({
    subject: { commonName: 'signer' },
    notBeforeMs: Date.now() - 60_000,
    notAfterMs: Date.now() + 3_600_000,
    use: 'authority',
  })
  const request = (name: string) => made(REQUESTS, { metadata: { name }, spec })
  const past = '2020-01-01T00:00:00Z'
  const now = expect.not.stringMatching(/^2020/)
  const decision = (type: string, more: object = {}) => ({
    type,
    status: 'True',
    reason: 'r',
    message: 'm',
    ...more,
  })
  const decided = async (name: string, type = 'Approved') => {
    const before = await request(name)
    const reply = await client.put(`${REQUESTS}/${name}/approval`, {
      ...before,
      status: { conditions: [decision(type, { lastUpdateTime: past, lastTransitionTime: past })] },
    })
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }

  test('who asks is written down, and begins undecided', async () => {
    const { body, status } = await client.post(REQUESTS, {
      metadata: { name: 'asked' },
      spec: { ...(spec as object), username: 'root', uid: '0', groups: ['g'], extra: { a: ['b'] } },
      status: { conditions: [decision('Approved')], certificate: certificate('early') },
    })
    expect([status, body.status]).toEqual([201, {}])
    const { username, uid, groups, extra } = body.spec
    expect([username, uid, extra]).toEqual([
      expect.not.stringMatching(/^root$/),
      undefined,
      undefined,
    ])
    expect(groups).toEqual(expect.arrayContaining(['system:masters', 'system:authenticated']))
  })

  describe('approval', () => {
    test('writes conditions alone, with their times', async () => {
      const before = await request('approved')
      const { status, body } = await client.put(`${REQUESTS}/approved/approval`, {
        ...before,
        spec: { ...before.spec, signerName: 'example.com/other' },
        status: { conditions: [decision('Approved')] },
      })
      expect([status, body]).toEqual([
        200,
        {
          ...before,
          metadata: { ...before.metadata, resourceVersion: body.metadata.resourceVersion },
          status: {
            conditions: [decision('Approved', { lastUpdateTime: now, lastTransitionTime: now })],
          },
        },
      ])
      expect((await client.get(`${REQUESTS}/approved/approval`)).body).toEqual(body)
    })
    test('by a patch', async () => {
      await request('patched')
      const reply = await client.merge(`${REQUESTS}/patched/approval`, {
        status: { conditions: [decision('Denied')] },
      })
      expect([reply.status, reply.body.status.conditions.map((one: any) => one.type)]).toEqual([
        200,
        ['Denied'],
      ])
    })
    test('a time that was left out is that of before where the status is', async () => {
      await decided('kept')
      const { body } = await client.merge(`${REQUESTS}/kept/approval`, {
        status: { conditions: [decision('Approved', { message: 'again' })] },
      })
      expect(body.status.conditions).toEqual([
        decision('Approved', { message: 'again', lastUpdateTime: now, lastTransitionTime: past }),
      ])
    })
    test('the certificate of before stays', async () => {
      await decided('signed')
      const signed = await client.merge(`${REQUESTS}/signed/status`, {
        status: { certificate: certificate('signed') },
      })
      expect(signed.status, signed.text).toBe(200)
      const { status, body } = await client.merge(`${REQUESTS}/signed/approval`, {
        status: { certificate: certificate('other'), conditions: [decision('Approved')] },
      })
      expect([status, body.status.certificate]).toEqual([200, signed.body.status.certificate])
    })
  })

  describe('status', () => {
    test('takes a certificate once', async () => {
      const before = await decided('issued')
      const one = certificate('issued')
      const { status, body } = await client.merge(`${REQUESTS}/issued/status`, {
        status: { certificate: one },
      })
      expect([status, body.status]).toEqual([200, { ...before.status, certificate: one }])
    })
    test('decisions that a client does not know of in full are put back', async () => {
      const before = await decided('unknown')
      const { status, body } = await client.put(`${REQUESTS}/unknown/status`, {
        ...before,
        status: { conditions: [{ type: 'Approved', status: 'True' }] },
      })
      expect([status, body.status]).toEqual([200, before.status])
    })
    test('other conditions may be added', async () => {
      const before = await decided('failed')
      const { status, body } = await client.merge(`${REQUESTS}/failed/status`, {
        status: { conditions: [...before.status.conditions, decision('Failed')] },
      })
      expect([status, body.status.conditions]).toEqual([
        200,
        [
          ...before.status.conditions,
          decision('Failed', { lastUpdateTime: now, lastTransitionTime: now }),
        ],
      ])
    })
  })

  test('the main resource writes neither spec nor status', async () => {
    const before = await decided('main')
    const { status, body } = await client.merge(`${REQUESTS}/main`, {
      metadata: { labels: { a: 'b' } },
      spec: { signerName: 'example.com/other', usages: ['any'] },
      status: { conditions: [], certificate: certificate('main') },
    })
    expect([status, body]).toEqual([
      200,
      {
        ...before,
        metadata: {
          ...before.metadata,
          labels: { a: 'b' },
          resourceVersion: body.metadata.resourceVersion,
        },
      },
    ])
  })

  describe('refuse', () => {
    const about = { kind: 'CertificateSigningRequest', group: GROUP, name: 'strict' }
    const forbidden = (field: string, why: string) =>
      invalid(about, [[field, 'Forbidden', `Forbidden: ${why}`]])
    beforeAll(async () => {
      await decided('strict')
      await client.merge(`${REQUESTS}/strict/status`, {
        status: { certificate: certificate('strict') },
      })
    })
    const write = (part: string, status: object) =>
      client.merge(`${REQUESTS}/strict/${part}`, { status })
    for (const { name, ask, expected } of [
      {
        name: 'to take a decision back',
        ask: () => write('approval', { conditions: [] }),
        expected: forbidden(
          'status.conditions',
          'updates may not remove a condition of type "Approved"',
        ),
      },
      {
        name: 'to take it back through the status',
        ask: () => write('status', { conditions: [] }),
        expected: forbidden(
          'status.conditions',
          'updates may not remove a condition of type "Approved"',
        ),
      },
      {
        name: 'both decisions',
        ask: () => write('approval', { conditions: [decision('Approved'), decision('Denied')] }),
        expected: invalid(about, [
          [
            'status.conditions[1].type',
            'Invalid',
            'Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
          ],
        ]),
      },
      {
        name: 'one decision twice',
        ask: () => write('approval', { conditions: [decision('Approved'), decision('Approved')] }),
        expected: invalid(about, [
          ['status.conditions[1].type', 'Duplicate', 'Duplicate value: "Approved"'],
        ]),
      },
      {
        name: 'a decision that is not true',
        ask: () => write('approval', { conditions: [decision('Approved', { status: 'False' })] }),
        expected: invalid(about, [
          [
            'status.conditions[0].status',
            'NotSupported',
            'Unsupported value: "False": supported values: "True"',
          ],
        ]),
      },
      {
        name: 'conditions without type and status',
        ask: () =>
          write('approval', { conditions: [decision('Approved'), { type: '', status: '' }] }),
        expected: invalid(about, [
          ['status.conditions[1].type', 'Required', 'Required value'],
          ['status.conditions[1].status', 'Required', 'Required value'],
        ]),
      },
      {
        name: 'another certificate',
        ask: () => write('status', { certificate: certificate('other') }),
        expected: forbidden(
          'status.certificate',
          'updates may not modify existing certificate content',
        ),
      },
      {
        name: 'an old resourceVersion',
        ask: () =>
          client.merge(`${REQUESTS}/strict/approval`, { metadata: { resourceVersion: '1' } }),
        expected: stale('certificatesigningrequests', 'strict', GROUP),
      },
      {
        name: 'an absent request',
        ask: () =>
          client.put(`${REQUESTS}/absent/approval`, { metadata: { name: 'absent' }, spec }),
        expected: absent('certificatesigningrequests', GROUP),
      },
      {
        name: 'a post',
        ask: () => client.post(`${REQUESTS}/strict/approval`, {}),
        expected: methodNotAllowed,
      },
      {
        name: 'a delete',
        ask: () => client.delete(`${REQUESTS}/strict/status`),
        expected: methodNotAllowed,
      },
    ] as readonly { name: string; ask: () => Promise<Reply>; expected: Failure }[]) {
      test(name, async () => {
        const { body: before } = await client.get(`${REQUESTS}/strict`)
        expect(answer(await ask())).toEqual(refused(expected))
        expect((await client.get(`${REQUESTS}/strict`)).body).toEqual(before)
      })
    }

    describe('an undecided request', () => {
      const undecided = { ...about, name: 'undecided' }
      beforeAll(() => request('undecided'))
      for (const { name, part, status, cause } of [
        {
          name: 'a decision through the status',
          part: 'status',
          status: { conditions: [decision('Approved')] },
          cause: [
            'status.conditions',
            'Forbidden',
            'Forbidden: updates may not add a condition of type "Approved"',
          ],
        },
        {
          name: 'what is no certificate',
          part: 'status',
          status: { certificate: Buffer.from('no').toString('base64') },
          cause: [
            'status.certificate',
            'Invalid',
            'Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
          ],
        },
        {
          name: 'a PEM block of another kind',
          part: 'status',
          status: {
            certificate: Buffer.from(
              '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n',
            ).toString('base64'),
          },
          cause: [
            'status.certificate',
            'Invalid',
            'Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "PUBLIC KEY"',
          ],
        },
      ] as readonly {
        name: string
        part: string
        status: object
        cause: [string, string, string]
      }[]) {
        test(name, async () => {
          const reply = await client.merge(`${REQUESTS}/undecided/${part}`, { status })
          expect(answer(reply)).toEqual(refused(invalid(undecided, [cause])))
        })
      }
    })
  })
})
