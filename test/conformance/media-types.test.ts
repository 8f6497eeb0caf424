/** Content-Type of bodies that cannot be read, and shapes of answers that a place does not have. */
import { connect } from 'node:http2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const DOMAINS = { orch: 'orch.io', kubernetes: 'k8s.io' } as const
const MAPS = '/api/v1/namespaces/default/configmaps'

/** Not a media type, or not one that a body here can have. */
const MALFORMED = [
  'application',
  'application/',
  '/json',
  'json',
  'application/json/x',
  'application/json,application/yaml',
  'application/json, text/plain',
  'application json',
  'application/js on',
  '"application/json"',
  'application/json;charset',
  'application/json; charset=',
  'application/json; charset=utf-8; charset=utf-8',
  'application/json; charset="utf-8',
  'application/json; charset=utf-8 x',
  'application/json; =x',
  'application/json;; charset=utf-8',
  'application/json; a=b/c',
  'application/json\u00a0',
  ';',
  '; charset=utf-8',
  '*/*',
  'application/*',
  'nonsense',
]

const READABLE = [
  'application/json',
  'Application/JSON',
  'application/json;',
  'application/json; ',
  'application/json;charset=utf-8',
  'application/json ; charset="ut\\"f; -8" ;x=y',
]

for (const vocabulary of ['orch', 'kubernetes'] as const) {
  describe(`vocabulary ${vocabulary}`, () => {
    let server: RunningServer
    let client: Client
    beforeAll(async () => {
      server = await startServer({
        vocabulary,
        controllers: false,
        disableAdmissionPlugins: ['ServiceAccount'],
      })
      client = new Client(server)
      await client.post(MAPS, { metadata: { name: 'one' } })
      await client.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'sa' } })
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    const bodies = `application/json, application/yaml, application/vnd.${vocabulary}.protobuf`
    const patches =
      'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml'
    const refused = (accepted: string) => ({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
      reason: 'UnsupportedMediaType',
      code: 415,
    })
    const review = `/apis/authorization.${DOMAINS[vocabulary]}/v1/selfsubjectaccessreviews`
    const verbs: readonly [name: string, method: string, path: string, accepted: string][] = [
      ['create', 'POST', MAPS, bodies],
      ['create of a review', 'POST', review, bodies],
      ['token', 'POST', '/api/v1/namespaces/default/serviceaccounts/sa/token', bodies],
      ['update', 'PUT', `${MAPS}/one`, bodies],
      ['status', 'PUT', '/api/v1/namespaces/default/status', bodies],
      ['delete', 'DELETE', `${MAPS}/one`, bodies],
      ['deletecollection', 'DELETE', MAPS, bodies],
      ['patch', 'PATCH', `${MAPS}/one`, patches],
    ]

    describe('a body of a type that cannot be read', () => {
      for (const [name, method, path, accepted] of verbs) {
        for (const type of MALFORMED) {
          test(`${name}: ${JSON.stringify(type)}`, async () => {
            const before = (await client.get(`${MAPS}/one`)).body
            const { status, body } = await client.ask(method, path, {
              raw: '{"metadata":{"name":"one","labels":{"changed":"yes"}}}',
              headers: { 'content-type': type },
            })
            expect([status, body]).toEqual([415, refused(accepted)])
            expect((await client.get(`${MAPS}/one`)).body).toEqual(before)
          })
        }
      }

      test('over HTTP/2, all of them', async () => {
        const read = (name: string) =>
          Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)?.[1] ?? '', 'base64')
        const session = connect(server.url, {
          ca: server.ca,
          cert: read('client-certificate-data'),
          key: read('client-key-data'),
        })
        const statusOf = (method: string, path: string, type: string) =>
          new Promise<number>((resolve, reject) => {
            const stream = session.request(
              {
                ':method': method,
                ':path': path,
                'content-type': type,
              },
              { endStream: false },
            )
            stream.once('response', (headers) => resolve(headers[':status'] ?? 0))
            stream.once('error', reject)
            stream.resume()
            stream.end('{"metadata":{"name":"one"}}')
          })
        const odd: string[] = []
        for (const [name, method, path] of verbs) {
          for (const type of MALFORMED) {
            const status = await statusOf(method, path, type)
            if (status !== 415) odd.push(`${name} ${type}: ${status}`)
          }
        }
        session.close()
        expect(odd).toEqual([])
      })
    })

    test('what can be read is', async () => {
      for (const type of READABLE) {
        const { status } = await client.ask('PUT', `${MAPS}/one`, {
          raw: '{"metadata":{"name":"one"}}',
          headers: { 'content-type': type },
        })
        expect([type, status]).toEqual([type, 200])
      }
      // Nothing is read where nothing is sent.
      const deleted = await client.ask('DELETE', `${MAPS}/one?dryRun=All`, {
        headers: { 'content-type': 'nonsense' },
      })
      expect(deleted.status).toBe(200)
      // The parameters of a patch's type are not looked at.
      const patched = await client.ask('PATCH', `${MAPS}/one`, {
        raw: '{}',
        headers: { 'content-type': 'application/merge-patch+json; charset' },
      })
      expect(patched.status).toBe(200)
    })

    test('a document of schemas of a group version that is not served is not found', async () => {
      for (const path of [
        'apis/example.com/v1',
        'apis/apps/v2',
        'api/v2',
        'x',
        'apis/apps/v1/',
        'apis/apps/v1/deployments',
      ]) {
        for (const query of ['', '?hash=0123']) {
          const { status, headers, text } = await client.get(`/openapi/v3/${path}${query}`)
          expect([path, status, headers['content-type'], text]).toEqual([
            path,
            404,
            'text/plain; charset=utf-8',
            '404 page not found\n',
          ])
        }
      }
      expect((await client.get('/openapi/v3/apis/apps/v1')).status).toBe(200)
    })

    describe('a table of what is only posted', () => {
      const domain = DOMAINS[vocabulary]
      const TABLE = `application/json;as=Table;v=v1;g=meta.${domain}`
      const PARTIAL = `application/json;as=PartialObjectMetadata;v=v1;g=meta.${domain}`
      const text = `only the following media types are accepted: ${bodies}`
      const attributes = { verb: 'get', resource: 'pods' }
      const authorization = `/apis/authorization.${domain}/v1`
      const pod = {
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      }
      for (const { name, path, body } of [
        {
          name: 'token review',
          path: `/apis/authentication.${domain}/v1/tokenreviews`,
          body: { spec: { token: 'x' } },
        },
        {
          name: 'review',
          path: `${authorization}/subjectaccessreviews`,
          body: { spec: { user: 'u', resourceAttributes: attributes } },
        },
        {
          name: 'own review',
          path: `${authorization}/selfsubjectaccessreviews`,
          body: { spec: { resourceAttributes: attributes } },
        },
        {
          name: 'review in a namespace',
          path: `${authorization}/namespaces/default/localsubjectaccessreviews`,
          body: {
            spec: { user: 'u', resourceAttributes: { ...attributes, namespace: 'default' } },
          },
        },
        {
          name: 'own rules',
          path: `${authorization}/selfsubjectrulesreviews`,
          body: { spec: { namespace: 'default' } },
        },
        {
          name: 'token',
          path: '/api/v1/namespaces/default/serviceaccounts/sa/token',
          body: { spec: { audiences: ['x'] } },
        },
        {
          name: 'binding',
          path: '/api/v1/namespaces/default/bindings',
          body: { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
        },
        {
          name: 'binding of a pod',
          path: '/api/v1/namespaces/default/pods/p/binding',
          body: { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } },
        },
        {
          name: 'eviction',
          path: '/api/v1/namespaces/default/pods/p/eviction',
          body: { metadata: { name: 'p' } },
        },
      ]) {
        test(name, async () => {
          await client.delete('/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0')
          await client.post('/api/v1/namespaces/default/pods', pod)
          const before = (await client.get('/api/v1/namespaces/default/pods/p')).body
          for (const accept of [TABLE, TABLE.replace('json', 'yaml'), `${TABLE},text/plain`]) {
            const reply = await client.post(path, body, { headers: { accept } })
            expect([reply.status, reply.body]).toEqual([
              406,
              {
                kind: 'Status',
                apiVersion: 'v1',
                metadata: {},
                status: 'Failure',
                message: text,
                reason: 'NotAcceptable',
                code: 406,
              },
            ])
          }
          // Nothing was done.
          expect((await client.get('/api/v1/namespaces/default/pods/p')).body).toEqual(before)
          const { status, body: made } = await client.post(path, body, {
            headers: { accept: `${TABLE},application/json` },
          })
          expect([status, made.kind === 'Table']).toEqual([201, false])
        })
      }

      test('the metadata of a review can be had', async () => {
        const { status, body } = await client.post(
          `${authorization}/selfsubjectaccessreviews`,
          { spec: { resourceAttributes: attributes } },
          { headers: { accept: PARTIAL } },
        )
        expect([status, body.kind]).toEqual([201, 'PartialObjectMetadata'])
      })

      test('what is stored has one', async () => {
        const reply = await client.post(
          `${MAPS}?dryRun=All`,
          { metadata: { name: 'two' } },
          { headers: { accept: TABLE } },
        )
        expect([reply.status, reply.body.kind]).toEqual([201, 'Table'])
        await client.post('/api/v1/namespaces/default/pods', pod)
        const pods = '/api/v1/namespaces/default/pods/p/status'
        const status = await client.get(pods, { headers: { accept: TABLE } })
        expect([status.status, status.body.kind]).toEqual([200, 'Table'])
        const components = await client.get('/api/v1/componentstatuses', {
          headers: { accept: TABLE },
        })
        expect([components.status, components.body.kind]).toEqual([200, 'Table'])
      })
    })
  })
}
