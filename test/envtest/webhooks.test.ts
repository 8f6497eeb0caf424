/**
 * What suites of the Go test environment install, on the built programs: webhooks of the suite's own server, definitions
 * with conversion, extension servers. Skipped where nothing is built.
 */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../ports.ts'
import { Environment, isBuilt, makeAssets } from './environment.ts'
import { certificates, HttpsServer, type Json } from './webhook-server.ts'

const GROUP = 'suite.example.com'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ADMISSION = '/apis/admissionregistration.k8s.io/v1'
const SOON = { timeout: 20_000 }

/** Sizes of the first version are numbers, those of the second have a unit. */
const inVersion = (object: Json, apiVersion: string) => ({
  ...object,
  apiVersion,
  spec: {
    ...object.spec,
    size: apiVersion.endsWith('/v1') ? parseInt(object.spec.size, 10) : `${object.spec.size}Mi`,
  },
})

const BLACK = { code: 403, reason: 'Forbidden', message: 'black is no color' }

/** Answers of the webhooks by path. */
function reviewed(path: string, { kind, apiVersion, request }: Json): Json {
  const { uid, object } = request
  const answer = (response: object) => ({ kind, apiVersion, response: { uid, ...response } })
  switch (path) {
    case '/convert':
      return answer({
        result: { status: 'Success' },
        convertedObjects: request.objects.map((one: Json) =>
          one.apiVersion === request.desiredAPIVersion
            ? one
            : inVersion(one, request.desiredAPIVersion),
        ),
      })
    case '/mutate-gizmo': {
      const patch = [{ op: 'add', path: '/spec/color', value: 'red' }]
      return answer({
        allowed: true,
        ...(object.spec.color === undefined
          ? {
              patchType: 'JSONPatch',
              patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
            }
          : {}),
      })
    }
    case '/validate-gizmo':
      return answer(
        object?.spec.color === 'black' ? { allowed: false, status: BLACK } : { allowed: true },
      )
  }
}

const schemaOf = (size: object) => ({
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size, color: { type: 'string' } } },
    },
  },
})

const definition = (webhooks: HttpsServer) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `gizmos.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: schemaOf({ type: 'integer' }) },
      { name: 'v2', served: true, storage: false, schema: schemaOf({ type: 'string' }) },
    ],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: webhooks.clientConfig('/convert'),
        conversionReviewVersions: ['v1', 'v1beta1'],
      },
    },
  },
})

const configuration = (kind: string, path: string, webhooks: HttpsServer) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind,
  metadata: { name: kind.toLowerCase() },
  webhooks: [
    {
      name: `gizmo.${GROUP}`,
      clientConfig: webhooks.clientConfig(path),
      rules: [
        {
          operations: ['CREATE', 'UPDATE'],
          apiGroups: [GROUP],
          apiVersions: ['v1'],
          resources: ['gizmos'],
        },
      ],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      failurePolicy: 'Fail',
    },
  ],
})

const gizmo = (version: string, name: string, spec: object, metadata: object = {}) => ({
  apiVersion: `${GROUP}/${version}`,
  kind: 'Gizmo',
  metadata: { name, namespace: 'default', ...metadata },
  spec,
})
const at = (version: string, name = '') =>
  `/apis/${GROUP}/${version}/namespaces/default/gizmos${name === '' ? '' : `/${name}`}`

for (const [name, certificate] of Object.entries(certificates)) {
  describe.skipIf(!isBuilt)(`a suite whose certificate is ${name}`, () => {
    let assets = ''
    let plane: Environment
    let webhooks: HttpsServer
    let extension: HttpsServer
    beforeAll(async () => {
      assets = await makeAssets()
      const ports = { port: await freePort(), etcdPort: await freePort() }
      plane = await new Environment(assets, ports).prepare()
      await plane.startEtcd()
      await plane.startApiserver()
      webhooks = await HttpsServer.start(certificate('127.0.0.1', 'localhost'), reviewed)
      extension = await HttpsServer.start(certificate('things.default.svc'), extended)
      const made = await plane.ask('POST', DEFINITIONS, definition(webhooks))
      expect(made).toMatchObject({ status: 201 })
      await vi.waitFor(async () => {
        for (const version of ['v1', 'v2']) {
          const found = await plane.ask('GET', `/apis/${GROUP}/${version}`)
          expect(found).toMatchObject({ status: 200, body: { resources: [{ name: 'gizmos' }] } })
        }
      }, SOON)
      for (const [kind, path] of [
        ['MutatingWebhookConfiguration', '/mutate-gizmo'],
        ['ValidatingWebhookConfiguration', '/validate-gizmo'],
      ] as const) {
        const object = configuration(kind, path, webhooks)
        const reply = await plane.ask('POST', `${ADMISSION}/${kind.toLowerCase()}s`, object)
        expect(reply).toMatchObject({ status: 201 })
      }
    }, 60_000)
    afterAll(async () => {
      const ended = await plane.close()
      await Promise.all([webhooks.close(), extension.close()])
      await rm(assets, { recursive: true, force: true })
      expect(ended.map(({ code }) => code)).toEqual([0, 0])
    })

    test('has its objects changed, refused and converted', async () => {
      const made = await vi.waitFor(async () => {
        const reply = await plane.ask('POST', at('v1'), gizmo('v1', 'a', { size: 1 }))
        const spec = { size: 1, color: 'red' }
        expect(reply).toMatchObject({ status: 201, body: { spec } })
        return reply.body as Json
      }, SOON)
      const refused = await plane.ask('POST', at('v1'), gizmo('v1', 'b', { color: 'black' }))
      expect(refused).toEqual({
        status: 403,
        body: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `admission webhook "gizmo.${GROUP}" denied the request: black is no color`,
          reason: 'Forbidden',
          code: 403,
        },
      })
      const second = await plane.ask('GET', at('v2', 'a'))
      expect(second).toMatchObject({
        status: 200,
        body: {
          apiVersion: `${GROUP}/v2`,
          metadata: { uid: made.metadata.uid },
          spec: { size: '1Mi', color: 'red' },
        },
      })
      const spec = { size: '2Mi', color: 'green' }
      const other = await plane.ask('POST', at('v2'), gizmo('v2', 'c', spec))
      expect(other).toMatchObject({ status: 201, body: { apiVersion: `${GROUP}/v2`, spec } })
      const list = await plane.ask('GET', at('v1'))
      expect((list.body as Json).items.map((one: Json) => one.spec)).toEqual([
        { size: 1, color: 'red' },
        { size: 2, color: 'green' },
      ])
      expect(new Set(webhooks.asked.map(({ path }) => path))).toEqual(
        new Set(['/convert', '/mutate-gizmo', '/validate-gizmo']),
      )
    })

    test('has finalizers without a domain on its objects', async () => {
      const finalizers = ['example-finalizer']
      const made = await plane.ask(
        'POST',
        at('v1'),
        gizmo('v1', 'held', { size: 1 }, { finalizers }),
      )
      expect(made).toMatchObject({ status: 201, body: { metadata: { finalizers } } })
      const held = await plane.ask('DELETE', at('v1', 'held'))
      expect(held).toMatchObject({
        status: 200,
        body: { kind: 'Gizmo', metadata: { finalizers, deletionTimestamp: expect.any(String) } },
      })
      const { metadata, spec } = held.body as Json
      const freed = gizmo('v1', 'held', spec, { ...metadata, finalizers: [] })
      expect(await plane.ask('PUT', at('v1', 'held'), freed)).toMatchObject({ status: 200 })
      expect(await plane.ask('GET', at('v1', 'held'))).toMatchObject({ status: 404 })
    })

    test('has an extension server of its own, by a service with an external name', async () => {
      const service = await plane.ask('POST', '/api/v1/namespaces/default/services', {
        metadata: { name: 'things' },
        spec: {
          type: 'ExternalName',
          externalName: 'localhost',
          ports: [{ port: extension.port }],
        },
      })
      expect(service).toMatchObject({ status: 201 })
      const registered = await plane.ask('POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
        metadata: { name: `v1.${THINGS}` },
        spec: {
          group: THINGS,
          version: 'v1',
          groupPriorityMinimum: 100,
          versionPriority: 10,
          service: { namespace: 'default', name: 'things', port: extension.port },
          caBundle: extension.caBundle,
        },
      })
      expect(registered).toMatchObject({ status: 201 })
      await vi.waitFor(async () => {
        const things = await plane.ask('GET', `/apis/${THINGS}/v1/things/one`)
        expect(things).toEqual({
          status: 200,
          body: { kind: 'Thing', apiVersion: `${THINGS}/v1`, metadata: { name: 'one' } },
        })
        const { body } = await plane.ask('GET', '/apis')
        expect((body as Json).groups.map((group: Json) => group.name)).toContain(THINGS)
      }, SOON)
      const { path } = extension.asked.find((one) => one.path.endsWith('/one'))!
      expect(path).toBe(`/apis/${THINGS}/v1/things/one`)
    })
  })
}

const THINGS = 'things.example.com'

/** Answers of the extension server by path. */
function extended(path: string): Json {
  const apiVersion = `${THINGS}/v1`
  if (path === `/apis/${THINGS}/v1`)
    return {
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: apiVersion,
      resources: [
        { name: 'things', singularName: '', kind: 'Thing', namespaced: false, verbs: ['get'] },
      ],
    }
  if (path === `/apis/${THINGS}/v1/things/one`)
    return { kind: 'Thing', apiVersion, metadata: { name: 'one' } }
}
