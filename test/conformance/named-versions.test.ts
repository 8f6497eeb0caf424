/** The resourceVersion and uid that a body names: every way to write, every kind of place, every store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { failure, invalid, type Failure } from '../failure.ts'
import { hasEtcd, NO_ETCD, startEtcd, type Etcd } from '../store/etcd.ts'

const TYPES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
} as const
type Way = 'put' | keyof typeof TYPES
const WAYS: readonly Way[] = ['put', 'merge', 'strategic', 'json', 'apply']

interface Place {
  readonly path: string
  readonly apiVersion: string
  readonly kind: string
  readonly sub: string
  /** Kind of the body, where that is another. */
  readonly body?: { readonly apiVersion: string; readonly kind: string; readonly spec?: object }
  readonly content: object
  readonly group: string
  readonly resource: string
  readonly needsVersion?: boolean
}

const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'example.com/i:1' }] },
}
const NS = 'namespaces/default'
const deployment = {
  path: `/apis/apps/v1/${NS}/deployments`,
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  content: { spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template } },
  group: 'apps',
  resource: 'deployments',
}
const core = (resource: string, kind: string, content: object) => ({
  path: `/api/v1/${NS}/${resource}`,
  apiVersion: 'v1',
  kind,
  content,
  group: '',
  resource,
})

const places: readonly Place[] = [
  { ...core('configmaps', 'ConfigMap', { data: { a: '1' } }), sub: '' },
  { ...core('endpoints', 'Endpoints', {}), sub: '' },
  { ...deployment, sub: '' },
  { ...deployment, sub: 'status' },
  {
    ...deployment,
    sub: 'scale',
    body: { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 1 } },
  },
  { ...core('pods', 'Pod', { spec: template.spec }), sub: 'status' },
  {
    path: `/apis/coordination.k8s.io/v1/${NS}/leases`,
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    content: { spec: { holderIdentity: 'me' } },
    group: 'coordination.k8s.io',
    resource: 'leases',
    sub: '',
    needsVersion: true,
  },
]

/** Writes metadata through a place, beside its unchanged content. */
function write(client: Client, place: Place, way: Way, name: string, metadata: object) {
  const { apiVersion, kind, content, body, sub } = place
  const at = `${place.path}/${name}${sub === '' ? '' : `/${sub}`}`
  const whole = { apiVersion, kind, ...content, ...body, metadata: { name, ...metadata } }
  if (way === 'put') return client.put(at, whole)
  const sent =
    way === 'json'
      ? Object.entries(metadata).map(([key, value]) => ({
          op: 'add',
          path: `/metadata/${key}`,
          value: value as unknown,
        }))
      : way === 'apply'
        ? sub === 'status'
          ? { apiVersion, kind, metadata: { name, ...metadata } }
          : whole
        : { metadata }
  const query = way === 'apply' ? '?fieldManager=me&force=true' : ''
  return client.ask('PATCH', at + query, { body: sent, headers: { 'content-type': TYPES[way] } })
}

const qualified = ({ group, resource }: Place) => (group === '' ? resource : `${resource}.${group}`)
const conflict = (place: Place, name: string, why: string): Failure => ({
  code: 409,
  reason: 'Conflict',
  message: `Operation cannot be fulfilled on ${qualified(place)} "${name}": ${why}`,
  details: { name, ...(place.group === '' ? {} : { group: place.group }), kind: place.resource },
})
const modified =
  'the object has been modified; please apply your changes to the latest version and try again'
const otherUid = (place: Place, name: string, uid: string, found: string) =>
  conflict(
    place,
    name,
    `StorageError: invalid object, Code: 4, Key: /registry/${place.group === '' ? '' : `${place.group}/`}${place.resource}/default/${name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`,
  )
const answer = ({ status, body }: Reply) => [status, body]
const refused = (expected: Failure) => [expected.code, failure(expected)]

/** The answer without the key of the store, which is not the same everywhere. */
const withoutKey = ([status, body]: unknown[]) => [
  status,
  JSON.parse(JSON.stringify(body).replace(/Key: \S+,/, 'Key: …,')) as unknown,
]

for (const store of ['embedded', 'etcd'] as const) {
  describe.skipIf(store === 'etcd' && !hasEtcd)(`${store}${hasEtcd ? '' : ` (${NO_ETCD})`}`, () => {
    let etcd: Etcd | null = null
    let server: RunningServer
    let client: Client
    let serial = 0

    beforeAll(async () => {
      if (store === 'etcd') etcd = await startEtcd()
      server = await startServer({
        vocabulary: 'kubernetes',
        controllers: false,
        disableAdmissionPlugins: ['ServiceAccount'],
        ...(etcd ? { etcd: { servers: [etcd.url], prefix: '/registry' } } : {}),
      })
      client = new Client(server)
    })
    afterAll(async () => {
      client.close()
      await server.close()
      await etcd?.close()
    })

    const make = async (place: Place) => {
      const name = `n${serial++}`
      const { apiVersion, kind, content } = place
      const made = await client.post(place.path, {
        apiVersion,
        kind,
        ...content,
        metadata: { name },
      })
      expect(made.status).toBe(201)
      return { name, uid: made.body.metadata.uid as string }
    }

    for (const place of places) {
      const where = place.sub === '' ? place.resource : `${place.resource}/${place.sub}`
      for (const way of WAYS) {
        const by = `${way} of ${where}`
        test(`${by}: version 0 is none`, async () => {
          const { name } = await make(place)
          const reply = await write(client, place, way, name, { resourceVersion: '0' })
          if (place.needsVersion === true) {
            const message = 'Invalid value: 0x0: must be specified for an update'
            const of = { kind: place.resource, group: place.group, name }
            expect(answer(reply)).toEqual(
              refused(invalid(of, [['metadata.resourceVersion', 'Invalid', message]])),
            )
          } else expect([reply.status, reply.body.metadata.name]).toEqual([200, name])
        })
        test(`${by}: another version is a conflict`, async () => {
          const { name } = await make(place)
          const reply = await write(client, place, way, name, { resourceVersion: '1' })
          expect(answer(reply)).toEqual(refused(conflict(place, name, modified)))
        })
        test(`${by}: a version that is no number`, async () => {
          const { name } = await make(place)
          for (const [text, why] of [
            ['x', 'invalid syntax'],
            ['-1', 'invalid syntax'],
            ['99999999999999999999', 'value out of range'],
          ] as const) {
            const reply = await write(client, place, way, name, { resourceVersion: text })
            const message = `strconv.ParseUint: parsing "${text}": ${why}`
            expect(answer(reply)).toEqual(refused({ code: 500, message }))
          }
        })
        test(`${by}: the uid of another object`, async () => {
          const { name, uid } = await make(place)
          const reply = await write(client, place, way, name, { uid: 'u' })
          const of = { kind: place.kind, group: place.group, name }
          const expected =
            way === 'put'
              ? otherUid(place, name, 'u', uid)
              : place.sub === 'scale'
                ? conflict(
                    { ...place, resource: 'deployments/scale' },
                    name,
                    `Precondition failed: UID in precondition: u, UID in object meta: ${uid}`,
                  )
                : invalid(of, [
                    ['metadata.uid', 'Invalid', 'Invalid value: "u": field is immutable'],
                  ])
          expect(withoutKey(answer(reply))).toEqual(withoutKey(refused(expected)))
        })
        test(`${by}: its own uid`, async () => {
          const { name, uid } = await make(place)
          const found = await client.get(`${place.path}/${name}`)
          const { resourceVersion } = found.body.metadata
          const reply = await write(client, place, way, name, { uid, resourceVersion })
          expect([reply.status, reply.body.metadata.uid]).toEqual([200, uid])
        })
        test(`${by}: of an object that is gone`, async () => {
          const { name, uid } = await make(place)
          expect((await client.delete(`${place.path}/${name}?gracePeriodSeconds=0`)).status).toBe(
            200,
          )
          const reply = await write(client, place, way, name, { uid })
          const missing = {
            code: 404,
            reason: 'NotFound',
            message: `${qualified(place)} "${name}" not found`,
            details: conflict(place, name, '').details!,
          }
          const expected =
            way === 'put'
              ? otherUid(place, name, uid, '')
              : way === 'apply' && place.sub === ''
                ? conflict(
                    place,
                    name,
                    `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
                  )
                : missing
          expect(withoutKey(answer(reply))).toEqual(withoutKey(refused(expected)))
        })
      }
      if (place.sub !== '') continue
      test(`POST of ${where}: version 0 creates, another does not`, async () => {
        const { apiVersion, kind, content } = place
        const post = (name: string, resourceVersion: string, query = '') =>
          client.post(place.path + query, {
            apiVersion,
            kind,
            ...content,
            metadata: { name, resourceVersion },
          })
        for (const [text, code] of [
          ['0', 201],
          ['', 201],
          ['x', 201],
          ['00', 201],
        ] as const) {
          const name = `n${serial++}`
          const reply = await post(name, text)
          expect([reply.status, reply.body.metadata.name]).toEqual([code, name])
          expect(reply.body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/)
        }
        const message = 'resourceVersion should not be set on objects to be created'
        expect(answer(await post(`n${serial++}`, '7'))).toEqual(refused({ code: 500, message }))
        const dry = await post(`n${serial++}`, '7', '?dryRun=All')
        expect([dry.status, 'resourceVersion' in dry.body.metadata]).toEqual([201, false])
      })
      for (const way of ['put', 'apply'] as const) {
        const creates = way === 'apply' || ['endpoints', 'leases'].includes(place.resource)
        test(`${way} of ${where} that is not there, with a version`, async () => {
          for (const resourceVersion of ['0', '7', '99999999']) {
            const name = `n${serial++}`
            const reply = await write(client, place, way, name, { resourceVersion })
            expect(reply.status).toBe(creates ? 201 : 404)
            if (creates) expect(reply.body.metadata.resourceVersion).not.toBe(resourceVersion)
          }
          const name = `n${serial++}`
          const reply = await write(client, place, way, name, { resourceVersion: 'x' })
          const message = 'strconv.ParseUint: parsing "x": invalid syntax'
          if (creates) expect(answer(reply)).toEqual(refused({ code: 500, message }))
          else expect(reply.status).toBe(404)
        })
        test(`${way} of ${where} that is not there, with a uid`, async () => {
          const name = `n${serial++}`
          const reply = await write(client, place, way, name, { uid: 'u' })
          const why =
            'uid mismatch: the provided object specified uid u, and no existing object was found'
          expect(withoutKey(answer(reply))).toEqual(
            withoutKey(
              refused(way === 'put' ? otherUid(place, name, 'u', '') : conflict(place, name, why)),
            ),
          )
        })
      }
    }
  })
}
