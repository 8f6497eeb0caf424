/** The verbs on objects of several kinds, from creation to their end (seed 1, States and transitions), over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'
import { detailsOf, KINDS, qualified, typeOf } from './kinds.fixture.ts'

for (const kind of KINDS) {
  describe(kind.title, () => {
    const NS = kind.in('default')
    let server: RunningServer
    let client: Client

    beforeAll(async () => {
      server = await kind.start({ controllers: false })
      client = new Client(server)
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    describe('create', () => {
      test('the server fills name, uid, time and version, and keeps what is the client’s', async () => {
        const { status, body } = await client.post(NS, {
          ...typeOf(kind),
          metadata: {
            name: 'full',
            uid: 'mine',
            creationTimestamp: '2001-01-01T00:00:00Z',
            deletionTimestamp: '2001-01-01T00:00:00Z',
            labels: { b: '2', a: '1' },
          },
          data: { k: 'v' },
        })
        expect(status).toBe(201)
        const { uid, resourceVersion, creationTimestamp, managedFields: _, ...rest } = body.metadata
        expect(uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(resourceVersion).toMatch(/^\d+$/)
        expect(Math.abs(Date.parse(creationTimestamp) - Date.now())).toBeLessThan(60_000)
        expect({ ...body, metadata: rest }).toEqual({
          kind: kind.kind,
          apiVersion: kind.apiVersion,
          metadata: {
            name: 'full',
            namespace: 'default',
            labels: { a: '1', b: '2' },
            ...kind.made,
          },
          data: { k: 'v' },
        })
      })

      test('a generated name has the base and five characters', async () => {
        const { body } = await client.post(NS, {
          ...typeOf(kind),
          metadata: { generateName: 'gen-' },
        })
        expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
        const long = await client.post(NS, {
          ...typeOf(kind),
          metadata: { generateName: 'x'.repeat(80) },
        })
        expect(long.body.metadata.name.length).toBe(63)
      })

      test('twice is a conflict', async () => {
        await client.post(NS, { ...typeOf(kind), metadata: { name: 'twice' } })
        const { status, body } = await client.post(NS, {
          ...typeOf(kind),
          metadata: { name: 'twice' },
        })
        expect(status).toBe(409)
        expect(body).toEqual({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `${qualified(kind)} "twice" already exists`,
          reason: 'AlreadyExists',
          details: detailsOf(kind, 'twice'),
          code: 409,
        })
      })

      test('a resourceVersion does not belong there', async () => {
        const { status, body } = await client.post(NS, {
          ...typeOf(kind),
          metadata: { name: 'rv', resourceVersion: '1' },
        })
        expect([status, body.message]).toEqual([
          500,
          'resourceVersion should not be set on objects to be created',
        ])
      })

      test('a dry run does everything but store', async () => {
        const { status, body } = await client.post(`${NS}?dryRun=All`, {
          ...typeOf(kind),
          metadata: { name: 'dry' },
        })
        expect([status, body.metadata.name, body.metadata.resourceVersion ?? '']).toEqual([
          201,
          'dry',
          '',
        ])
        expect((await client.get(`${NS}/dry`)).status).toBe(404)
        expect(
          (await client.post(`${NS}?dryRun=All`, { ...typeOf(kind), metadata: { name: 'Bad' } }))
            .status,
        ).toBe(422)
      })

      test('keys that mean something to JavaScript are ordinary', async () => {
        const type = JSON.stringify(typeOf(kind)).slice(1, -1)
        const raw = `{${type},"metadata":{"name":"proto"},"data":{"__proto__":"1","constructor":"2","toString":"3"}}`
        const { status, text } = await client.ask('POST', NS, { raw })
        expect(status).toBe(201)
        expect(text).toContain('"data":{"__proto__":"1","constructor":"2","toString":"3"}')
        expect(({} as Record<string, unknown>)['1']).toBeUndefined()
      })
    })

    describe('update', () => {
      test('without a version it overwrites, or is refused; with an old one it is refused', async () => {
        const first = (
          await client.post(NS, { ...typeOf(kind), metadata: { name: 'up' }, data: { n: '1' } })
        ).body
        const versionless = { ...typeOf(kind), metadata: { name: 'up' }, data: { n: '2' } }
        const refused = kind.needsVersion ? await client.put(`${NS}/up`, versionless) : null
        if (refused) {
          expect([refused.status, refused.body.message]).toEqual([
            422,
            `${qualified(kind)} "up" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update`,
          ])
        }
        const { resourceVersion } = first.metadata
        const second = await client.put(
          `${NS}/up`,
          refused ? { ...versionless, metadata: { name: 'up', resourceVersion } } : versionless,
        )
        expect([second.status, second.body.data]).toEqual([200, { n: '2' }])
        expect(second.body.metadata.uid).toBe(first.metadata.uid)
        const stale = await client.put(`${NS}/up`, { ...first, data: { n: '3' } })
        expect(stale.status).toBe(409)
        expect(stale.body).toEqual({
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `Operation cannot be fulfilled on ${qualified(kind)} "up": the object has been modified; please apply your changes to the latest version and try again`,
          reason: 'Conflict',
          details: detailsOf(kind, 'up'),
          code: 409,
        })
      })

      test('what changes nothing is not written', async () => {
        const { body } = await client.post(NS, {
          ...typeOf(kind),
          metadata: { name: 'same' },
          data: { n: '1' },
        })
        const again = await client.put(`${NS}/same`, body)
        expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
        const patched = await client.merge(`${NS}/same`, { data: { n: '1' } })
        expect(patched.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion)
      })

      test('another uid is another object', async () => {
        await client.post(NS, { ...typeOf(kind), metadata: { name: 'uid' } })
        const { status, body } = await client.put(`${NS}/uid`, {
          ...typeOf(kind),
          metadata: { name: 'uid', uid: 'other' },
        })
        expect([status, body.reason]).toEqual([409, 'Conflict'])
      })

      test('many patches of one object at a time all take effect', async () => {
        await client.post(NS, { ...typeOf(kind), metadata: { name: 'race' } })
        const replies = await Promise.all(
          Array.from({ length: 40 }, (_, i) =>
            client.merge(`${NS}/race`, { data: { [`k${i}`]: 'v' } }),
          ),
        )
        expect(replies.map((r) => r.status)).toEqual(Array.from({ length: 40 }, () => 200))
        expect(Object.keys((await client.get(`${NS}/race`)).body.data).length).toBe(40)
      })

      test('a JSON patch that fails its test changes nothing and says little', async () => {
        await client.post(NS, { ...typeOf(kind), metadata: { name: 'tested' }, data: { a: '1' } })
        const { status, body } = await client.json(`${NS}/tested`, [
          { op: 'replace', path: '/data/a', value: '2' },
          { op: 'test', path: '/data/a', value: '9' },
        ])
        expect([status, body]).toEqual([
          422,
          {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message: 'the server rejected our request due to an error in our request',
            reason: 'Invalid',
            details: {},
            code: 422,
          },
        ])
        expect((await client.get(`${NS}/tested`)).body.data).toEqual({ a: '1' })
      })
    })

    describe('delete', () => {
      test('an object without finalizers is gone', async () => {
        const { body: made } = await client.post(NS, {
          ...typeOf(kind),
          metadata: { name: 'gone' },
        })
        const { status, body } = await client.delete(`${NS}/gone`)
        expect([status, body]).toEqual([
          200,
          {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Success',
            details: { ...detailsOf(kind, 'gone'), uid: made.metadata.uid },
          },
        ])
        expect((await client.delete(`${NS}/gone`)).status).toBe(404)
      })

      test('preconditions must hold', async () => {
        const { body } = await client.post(NS, { ...typeOf(kind), metadata: { name: 'pre' } })
        const { uid, resourceVersion } = body.metadata
        const del = (preconditions: object) =>
          client.ask('DELETE', `${NS}/pre`, { body: { preconditions } })
        const wrongUid = await del({ uid: 'x' })
        expect([wrongUid.status, wrongUid.body.message]).toEqual([
          409,
          `Operation cannot be fulfilled on ${qualified(kind, kind.kind)} "pre": the UID in the precondition (x) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
        ])
        expect((await del({ resourceVersion: '1' })).status).toBe(409)
        expect((await del({ uid, resourceVersion })).status).toBe(200)
      })

      test('a dry run leaves it', async () => {
        await client.post(NS, { ...typeOf(kind), metadata: { name: 'stays' } })
        expect((await client.delete(`${NS}/stays?dryRun=All`)).status).toBe(200)
        expect((await client.get(`${NS}/stays`)).status).toBe(200)
      })

      test('a collection goes by selector, and answers with what it was', async () => {
        for (const name of ['c1', 'c2', 'c3']) {
          await client.post(NS, {
            ...typeOf(kind),
            metadata: { name, labels: { set: name === 'c3' ? 'no' : 'yes' } },
          })
        }
        const { status, body } = await client.delete(`${NS}?labelSelector=set%3Dyes`)
        expect([
          status,
          body.kind,
          body.items.map((i: { metadata: { name: string } }) => i.metadata.name),
        ]).toEqual([200, `${kind.kind}List`, ['c1', 'c2']])
        const left = await client.get(`${NS}?labelSelector=set`)
        expect(left.body.items.map((i: { metadata: { name: string } }) => i.metadata.name)).toEqual(
          ['c3'],
        )
      })
    })

    describe('watch', () => {
      test('selectors turn leaving and entering into DELETED and ADDED, with the old content', async () => {
        const watch = await client.watch(`${NS}?watch=1&labelSelector=w%3D1`)
        const { body: a } = await client.post(NS, {
          ...typeOf(kind),
          metadata: { name: 'w', labels: { w: '1' } },
          data: { n: '1' },
        })
        const { body: b } = await client.merge(`${NS}/w`, {
          metadata: { labels: { w: '2' } },
          data: { n: '2' },
        })
        await client.merge(`${NS}/w`, { data: { n: '3' } })
        const { body: d } = await client.merge(`${NS}/w`, { metadata: { labels: { w: '1' } } })
        await client.delete(`${NS}/w`)
        const events = [
          await watch.next(),
          await watch.next(),
          await watch.next(),
          await watch.next(),
        ]
        expect(events[0]).toEqual({ type: 'ADDED', object: a })
        expect(events[1]).toEqual({
          type: 'DELETED',
          object: {
            ...a,
            metadata: { ...a.metadata, resourceVersion: b.metadata.resourceVersion },
          },
        })
        expect(events[2]).toEqual({ type: 'ADDED', object: d })
        expect([events[3]?.type, events[3]?.object.data]).toEqual(['DELETED', { n: '3' }])
        expect(Number(events[3]?.object.metadata.resourceVersion)).toBeGreaterThan(
          Number(d.metadata.resourceVersion),
        )
        watch.close()
      })

      test('one object by name, one namespace, all namespaces', async () => {
        const byName = await client.watch(`${NS}?watch=1&fieldSelector=metadata.name%3Dn1`)
        const deprecated = await client.watch(`${kind.watchPath}/n1`)
        const all = await client.watch(`${kind.everywhere}?watch=1&labelSelector=many`)
        for (const name of ['n2', 'n1'])
          await client.post(NS, { ...typeOf(kind), metadata: { name, labels: { many: '' } } })
        await client.post(kind.in('orch-public'), {
          ...typeOf(kind),
          metadata: { name: 'n3', labels: { many: '' } },
        })
        expect([await byName.names(1), await deprecated.names(1), await all.names(3)]).toEqual([
          ['ADDED n1'],
          ['ADDED n1'],
          ['ADDED n2', 'ADDED n1', 'ADDED n3'],
        ])
        for (const watch of [byName, deprecated, all]) watch.close()
      })

      test('timeoutSeconds ends the stream', async () => {
        const watch = await client.watch(`${NS}?watch=1&timeoutSeconds=1&labelSelector=nothing`)
        expect(await watch.next()).toBeNull()
      })
    })
  })
}
