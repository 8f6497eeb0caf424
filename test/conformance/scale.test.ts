/** The `scale` sub-resource of everything that has replicas, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { badRequest, failure, invalid, type Failure } from '../failure.ts'
import { unowned } from '../owners.ts'

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ controllers: ['api'] })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const labels = { app: 'a', tier: 'b' }
const template = {
  metadata: { labels },
  spec: { containers: [{ name: 'c', image: 'example.com/i:1' }] },
}
const byExpression = {
  selector: {
    matchLabels: { tier: 'b' },
    matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'a'] }],
  },
  template,
}

const owners = [
  { group: 'apps', resource: 'deployments', kind: 'Deployment', spec: byExpression },
  { group: 'apps', resource: 'replicasets', kind: 'ReplicaSet', spec: byExpression },
  {
    group: 'apps',
    resource: 'statefulsets',
    kind: 'StatefulSet',
    spec: { ...byExpression, serviceName: 's' },
  },
  {
    group: '',
    resource: 'replicationcontrollers',
    kind: 'ReplicationController',
    spec: { selector: labels, template },
  },
] as const

const answer = ({ status, body }: Reply) => [status, body]
const refused = (expected: Failure) => [expected.code, failure(expected)]

for (const { group, resource, kind, spec } of owners) {
  const path = `${group === '' ? '/api/v1' : `/apis/${group}/v1`}/namespaces/default/${resource}`
  const qualified = group === '' ? resource : `${resource}.${group}`
  const about = (name: string, of: string = resource) => ({
    name,
    ...(group === '' ? {} : { group }),
    kind: of,
  })
  const selector = group === '' ? 'app=a,tier=b' : 'app in (a,b),tier=b'

  describe(resource, () => {
    const make = async (name: string, replicas = 3) => {
      const { status, text, body } = await client.post(path, {
        metadata: { name, labels: { own: 'yes' }, annotations: { note: 'mine' } },
        spec: { ...spec, replicas },
      })
      expect(status, text).toBe(201)
      return body
    }
    const at = (name: string) => `${path}/${name}/scale`
    const whole = (owner: any, replicas: number, resourceVersion: unknown, observed = 0) => ({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: owner.metadata.name,
        namespace: 'default',
        uid: owner.metadata.uid,
        resourceVersion,
        creationTimestamp: owner.metadata.creationTimestamp,
      },
      spec: replicas === 0 ? {} : { replicas },
      status: { replicas: observed, selector },
    })

    test('stands for the replicas of its owner', async () => {
      const owner = await make('read')
      expect(answer(await client.get(at('read')))).toEqual([
        200,
        whole(owner, 3, owner.metadata.resourceVersion),
      ])
      const { body } = await client.merge(`${path}/read/status`, { status: { replicas: 2 } })
      expect(answer(await client.get(at('read')))).toEqual([
        200,
        whole(owner, 3, body.metadata.resourceVersion, 2),
      ])
    })

    for (const { name, write } of [
      {
        name: 'put',
        write: (scale: any) => client.put(at('put'), { ...scale, spec: { replicas: 5 } }),
      },
      {
        name: 'put-bare',
        write: () =>
          client.put(at('put-bare'), { metadata: { name: 'put-bare' }, spec: { replicas: 5 } }),
      },
      { name: 'merge', write: () => client.merge(at('merge'), { spec: { replicas: 5 } }) },
      {
        name: 'strategic',
        write: () =>
          client.ask('PATCH', at('strategic'), {
            body: { spec: { replicas: 5 } },
            headers: { 'content-type': 'application/strategic-merge-patch+json' },
          }),
      },
      {
        name: 'json',
        write: () =>
          client.json(at('json'), [
            { op: 'test', path: '/spec/replicas', value: 3 },
            { op: 'replace', path: '/spec/replicas', value: 5 },
          ]),
      },
    ]) {
      test(`${name} writes the replicas, and nothing else`, async () => {
        const before = unowned(await make(name))
        const reply = await write((await client.get(at(name))).body)
        const after = unowned((await client.get(`${path}/${name}`)).body)
        expect(answer(reply)).toEqual([200, whole(before, 5, after.metadata.resourceVersion)])
        expect(after).toEqual({
          ...before,
          metadata: {
            ...before.metadata,
            generation: 2,
            resourceVersion: after.metadata.resourceVersion,
          },
          spec: { ...before.spec, replicas: 5 },
        })
        expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion)
      })
    }

    test('what is written beside the replicas is ignored', async () => {
      const owner = await make('beside')
      const { body } = await client.get(at('beside'))
      const reply = await client.put(at('beside'), {
        ...body,
        metadata: { ...body.metadata, labels: { a: 'b' }, annotations: { c: 'd' } },
        status: { replicas: 9, selector: 'x=y' },
      })
      expect(answer(reply)).toEqual([200, whole(owner, 3, owner.metadata.resourceVersion)])
      expect((await client.get(`${path}/beside`)).body).toEqual(owner)
    })

    test('none at all: an absent number is zero', async () => {
      const owner = await make('zero')
      const { status, body } = await client.put(at('zero'), { metadata: { name: 'zero' } })
      expect([status, body]).toEqual([200, whole(owner, 0, body.metadata.resourceVersion)])
      expect((await client.get(`${path}/zero`)).body.spec.replicas).toBe(0)
    })

    test('a dry run writes nothing', async () => {
      const owner = await make('dry')
      const reply = await client.merge(`${at('dry')}?dryRun=All`, { spec: { replicas: 9 } })
      expect(answer(reply)).toEqual([200, whole(owner, 9, owner.metadata.resourceVersion)])
      expect((await client.get(`${path}/dry`)).body).toEqual(owner)
    })

    test('many writes at a time all take effect', async () => {
      await make('race')
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          client.merge(at('race'), { spec: { replicas: 10 + i } }),
        ),
      )
      expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
      expect((await client.get(`${path}/race`)).body.metadata.generation).toBe(11)
    })

    describe('refuses', () => {
      const stale = {
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ${qualified} "bad": the object has been modified; please apply your changes to the latest version and try again`,
        details: about('bad'),
      }
      const foreign = (uid: string) => ({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ${resource}/scale${group === '' ? '' : `.${group}`} "bad": Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
        details: about('bad', `${resource}/scale`),
      })
      const otherOwner = (uid: string) => ({
        code: 409,
        reason: 'Conflict',
        message: `Operation cannot be fulfilled on ${resource}${group === '' ? '' : `.${group}`} "bad": StorageError: invalid object, Code: 4, Key: /registry/${group === '' ? 'core' : group}/${resource}/default/bad, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
        details: about('bad'),
      })
      const negative = invalid({ kind: 'Scale', group: 'autoscaling', name: 'bad' }, [
        ['spec.replicas', 'Invalid', 'Invalid value: -1: must be greater than or equal to 0'],
      ])
      const absent = {
        code: 404,
        reason: 'NotFound',
        message: `${qualified} "absent" not found`,
        details: about('absent'),
      }
      let owner: any
      beforeAll(async () => {
        owner = await make('bad')
      })
      const put = (metadata: object, replicas = 1, name = 'bad') =>
        client.put(at(name), { metadata, spec: { replicas } })

      for (const { name, ask, expected } of [
        {
          name: 'an old resourceVersion',
          ask: () => put({ name: 'bad', resourceVersion: '1' }),
          expected: () => stale,
        },
        {
          name: 'an old resourceVersion in a merge patch',
          ask: () =>
            client.merge(at('bad'), { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } }),
          expected: () => stale,
        },
        {
          name: 'another uid',
          ask: () => put({ name: 'bad', uid: 'other' }),
          expected: () => otherOwner(owner.metadata.uid),
        },
        {
          name: 'another uid in a merge patch',
          ask: () => client.merge(at('bad'), { metadata: { uid: 'other' }, spec: { replicas: 1 } }),
          expected: () => foreign(owner.metadata.uid),
        },
        {
          name: 'fewer than none',
          ask: () => put({ name: 'bad' }, -1),
          expected: () => negative,
        },
        {
          name: 'fewer than none in a JSON patch',
          ask: () => client.json(at('bad'), [{ op: 'replace', path: '/spec/replicas', value: -1 }]),
          expected: () => negative,
        },
        {
          name: 'another name',
          ask: () => put({ name: 'other' }),
          expected: () =>
            badRequest('the name of the object (other) does not match the name on the URL (bad)'),
        },
        {
          name: 'another name in a patch',
          ask: () => client.merge(at('bad'), { metadata: { name: 'other' } }),
          expected: () =>
            badRequest('the name of the object (other) does not match the name on the URL (bad)'),
        },
        {
          name: 'no name',
          ask: () => put({}),
          expected: () =>
            badRequest(
              'the name of the object (bad based on URL) was undeterminable: name must be provided',
            ),
        },
        {
          name: 'another namespace',
          ask: () => put({ name: 'bad', namespace: 'other' }),
          expected: () =>
            badRequest(
              'the namespace of the provided object does not match the namespace sent on the request',
            ),
        },
        {
          name: 'its owner as body',
          ask: () => client.put(at('bad'), owner),
          expected: () =>
            badRequest(
              `${kind} in version "v1" cannot be handled as a Scale: no kind "${kind}" is registered for version "${group === '' ? 'v1' : 'apps/v1'}" at this endpoint`,
            ),
        },
        {
          name: 'another version',
          ask: () => client.put(at('bad'), { kind: 'Scale', apiVersion: 'autoscaling/v9' }),
          expected: () =>
            badRequest(
              'the API version in the data (autoscaling/v9) does not match the expected API version (autoscaling/v1)',
            ),
        },
        {
          name: 'unknown fields, strictly',
          ask: () =>
            client.put(`${at('bad')}?fieldValidation=Strict`, {
              metadata: { name: 'bad' },
              spec: { replica: 1 },
            }),
          expected: () =>
            badRequest(
              'Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "spec.replica"',
            ),
        },
        {
          name: 'a JSON patch that fails its test',
          ask: () => client.json(at('bad'), [{ op: 'test', path: '/spec/replicas', value: 9 }]),
          expected: () => ({
            code: 422,
            reason: 'Invalid',
            message: 'the server rejected our request due to an error in our request',
            details: {},
          }),
        },
        {
          name: 'to read what is not there',
          ask: () => client.get(at('absent')),
          expected: () => absent,
        },
        {
          name: 'to write what is not there',
          ask: () => put({ name: 'absent' }, 1, 'absent'),
          expected: () => absent,
        },
        {
          name: 'to patch what is not there',
          ask: () => client.merge(at('absent'), { spec: { replicas: 1 } }),
          expected: () => absent,
        },
        {
          name: 'a post',
          ask: () => client.post(at('bad'), { metadata: { name: 'bad' } }),
          expected: () => ({
            code: 405,
            reason: 'MethodNotAllowed',
            message: 'the server does not allow this method on the requested resource',
            details: {},
          }),
        },
        {
          name: 'a delete',
          ask: () => client.delete(at('bad')),
          expected: () => ({
            code: 405,
            reason: 'MethodNotAllowed',
            message: 'the server does not allow this method on the requested resource',
            details: {},
          }),
        },
      ] as readonly { name: string; ask: () => Promise<Reply>; expected: () => Failure }[]) {
        test(name, async () => {
          expect(answer(await ask())).toEqual(refused(expected()))
          expect((await client.get(`${path}/bad`)).body).toEqual(owner)
        })
      }
    })

    describe('comes in every form', () => {
      test('as YAML, both ways', async () => {
        const owner = await make('yaml')
        const reply = await client.ask('PUT', at('yaml'), {
          raw: 'metadata:\n  name: yaml\nspec:\n  replicas: 4\n',
          headers: { 'content-type': 'application/yaml', accept: 'application/yaml' },
        })
        const { body } = await client.get(at('yaml'))
        expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/yaml'])
        expect(body).toEqual(whole(owner, 4, body.metadata.resourceVersion))
        expect(
          reply.text
            .split('\n')
            .filter((line) => /^\S/.test(line) && line !== '')
            .sort(),
        ).toEqual(['apiVersion: autoscaling/v1', 'kind: Scale', 'metadata:', 'spec:', 'status:'])
        expect(reply.text).toContain('\n  replicas: 4\n')
      })

      test('as a Table', async () => {
        const owner = await make('table')
        const { body } = await client.get(at('table'), {
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.orch.io' },
        })
        const { columnDefinitions, rows, ...rest } = body
        expect(rest).toEqual({
          kind: 'Table',
          apiVersion: 'meta.orch.io/v1',
          metadata: { resourceVersion: owner.metadata.resourceVersion },
        })
        expect(columnDefinitions.map(({ name, type }: any) => [name, type])).toEqual([
          ['Name', 'string'],
          ['Desired', 'integer'],
          ['Available', 'integer'],
          ['Age', 'string'],
        ])
        expect(rows).toEqual([
          {
            cells: ['table', 3, 0, expect.stringMatching(/^\d+s$/)],
            object: {
              kind: 'PartialObjectMetadata',
              apiVersion: 'meta.orch.io/v1',
              metadata: whole(owner, 3, owner.metadata.resourceVersion).metadata,
            },
          },
        ])
      })

      test('as its metadata', async () => {
        const owner = await make('partial')
        const { status, body } = await client.get(at('partial'), {
          headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.orch.io' },
        })
        expect([status, body]).toEqual([
          200,
          {
            kind: 'PartialObjectMetadata',
            apiVersion: 'meta.orch.io/v1',
            metadata: whole(owner, 3, owner.metadata.resourceVersion).metadata,
          },
        ])
      })
    })
  })
}

test('kinds without replicas have none', async () => {
  const { status, body } = await client.get('/apis/apps/v1/namespaces/default/daemonsets/x/scale')
  expect([status, body]).toEqual([
    404,
    failure({
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    }),
  ])
})
