/** Every resource that discovery lists, with every verb it lists, through JSON and through protobuf. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client, type Ask, type Reply } from '../client.ts'
import { collectionOf, manifests, objectOf, type Manifest } from '../manifests.fixture.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { protobufForm } from '../protobuf/form.ts'
import { convertGizmos, startWithGizmos } from './kinds.fixture.ts'

interface Listed {
  readonly path: string
  readonly groupVersion: string
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

/** How bodies are written and read. */
interface Form {
  readonly name: string
  readonly type: string
  write(value: object): Buffer | string
  read(reply: Buffer): any
  /** Type of the first event in a chunk of a watch. */
  eventType(chunk: Buffer): string
}

const json: Form = {
  name: 'JSON',
  type: 'application/json',
  write: (value) => JSON.stringify(value),
  read: (bytes) => JSON.parse(bytes.toString('utf8')),
  eventType: (chunk) => JSON.parse(chunk.toString('utf8').split('\n')[0]!).type,
}

const EVERYTHING = { 'api/all': true }

for (const vocabulary of ['orch', 'kubernetes'] as const) {
  const v = vocabularies[vocabulary]
  const declared = manifests(v)
  // A kind with a schema is one like any other, but for the binary form.
  const gizmo = (version: string): Manifest => ({
    apiVersion: `example.com/${version}`,
    resource: 'gizmos',
    kind: 'Gizmo',
    namespaced: true,
    content: { spec: { mode: 'Fast' }, parts: [{ name: 'p' }] },
    status: { status: { phase: 'Up' } },
  })
  const all = [...declared, gizmo('v1'), gizmo('v2')]

  describe(`vocabulary ${vocabulary}`, () => {
    let server: RunningServer
    let client: Client
    const listed: Listed[] = []

    beforeAll(async () => {
      const options = {
        controllers: false,
        vocabulary,
        runtimeConfig: EVERYTHING,
        disableAdmissionPlugins: CHANGING_PLUGINS,
        // It writes the status of flow schemas.
        priorityAndFairness: false,
      }
      server = await startWithGizmos(options, convertGizmos)
      client = new Client(server)
      const groups = (await client.get('/apis')).body.groups as {
        versions: { groupVersion: string }[]
      }[]
      const paths = [
        '/api/v1',
        ...groups.flatMap((g) => g.versions.map((x) => `/apis/${x.groupVersion}`)),
      ]
      for (const path of paths) {
        const { body } = await client.get(path)
        for (const one of body.resources)
          listed.push({ path, groupVersion: body.groupVersion, ...one })
      }
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    test('every listed resource that is stored has a manifest here, and the other way round', () => {
      const stored = listed.filter((r) => !r.name.includes('/') && r.verbs.includes('watch'))
      expect(stored.map((r) => `${r.groupVersion} ${r.name}`).sort()).toEqual(
        all.map((m) => `${m.apiVersion} ${m.resource}`).sort(),
      )
    })

    for (const form of [json, protobufForm(v)]) {
      describe(form.name, () => {
        for (const manifest of form === json ? all : declared) {
          test(`${manifest.apiVersion} ${manifest.resource}`, () => everyVerb(manifest, form))
        }
      })
    }

    async function everyVerb(manifest: Manifest, form: Form): Promise<void> {
      const ask = async (
        method: string,
        path: string,
        body?: object,
        more: Ask = {},
      ): Promise<Reply> => {
        const answer = await client.open(method, path, {
          ...(body === undefined ? {} : { raw: form.write(body) }),
          ...more,
          headers: { accept: form.type, 'content-type': form.type, ...more.headers },
        })
        const chunks: Buffer[] = []
        for await (const chunk of answer) chunks.push(chunk as Buffer)
        const bytes = Buffer.concat(chunks)
        expect(answer.headers['content-type'], `${method} ${path}`).toBe(form.type)
        const read = form.read(bytes)
        return {
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: JSON.stringify(read),
          body: read,
        }
      }
      const ok = async (...args: Parameters<typeof ask>) => {
        const reply = await ask(...args)
        expect(reply.status, `${args[0]} ${args[1]}: ${reply.text}`).toBeLessThan(300)
        return reply.body
      }
      const collection = collectionOf(manifest)
      const entry = listed.find(
        (r) => r.groupVersion === manifest.apiVersion && r.name === manifest.resource,
      )!
      const object = objectOf(manifest)
      const path = `${collection}/${manifest.name ?? 'minimal'}`
      const identity = { kind: manifest.kind, apiVersion: manifest.apiVersion }

      const made = await ok('POST', collection, object)
      expect(made).toMatchObject(identity)
      const got = await ok('GET', path)
      expect(got).toEqual(made)
      const list = await ok('GET', collection)
      expect(list).toMatchObject({ kind: `${manifest.kind}List`, apiVersion: manifest.apiVersion })
      const { kind: _k, apiVersion: _a, ...bare } = got
      const item = list.items.find((i: any) => i.metadata.name === made.metadata.name)
      expect({ ...item, kind: undefined, apiVersion: undefined }).toEqual(bare)

      // A watch from before the change tells of it.
      const watched = await client.open(
        'GET',
        `${collection}?watch=true&resourceVersion=${list.metadata.resourceVersion}&fieldSelector=metadata.name%3D${made.metadata.name}`,
        { headers: { accept: form.type } },
      )
      expect(watched.statusCode).toBe(200)

      const changed = structuredClone(got)
      changed.metadata.labels = { ...changed.metadata.labels, changed: 'yes' }
      const updated = await ok('PUT', path, changed)
      expect(updated.metadata.labels.changed).toBe('yes')
      expect(updated.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion)
      const patched = await ok('PATCH', path, undefined, {
        raw: JSON.stringify({ metadata: { annotations: { patched: 'yes' } } }),
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      expect(patched.metadata.annotations.patched).toBe('yes')

      for (const sub of listed.filter(
        (r) => r.groupVersion === manifest.apiVersion && r.name.startsWith(`${manifest.resource}/`),
      )) {
        const name = sub.name.split('/')[1]!
        if (sub.verbs.join() !== 'get,patch,update') continue
        const part = await ok('GET', `${path}/${name}`)
        const again = await ok('PUT', `${path}/${name}`, part)
        expect(again.metadata.uid).toBe(made.metadata.uid)
        const merge = name === 'status' ? (manifest.status ?? {}) : {}
        await ok('PATCH', `${path}/${name}`, undefined, {
          raw: JSON.stringify(merge),
          headers: { 'content-type': 'application/merge-patch+json' },
        })
      }

      for await (const chunk of watched) {
        expect(form.eventType(chunk as Buffer)).toBe('MODIFIED')
        break
      }
      // Nobody is there who would clean up what belongs to a definition.
      const release = () =>
        ok('PATCH', path, undefined, {
          raw: '{"metadata":{"finalizers":null}}',
          headers: { 'content-type': 'application/merge-patch+json' },
        })
      const live = await ok('GET', path)
      const deleted = await ok(
        'DELETE',
        `${path}?gracePeriodSeconds=0&propagationPolicy=Background`,
      )
      expect([manifest.kind, 'Status']).toContain(deleted.kind)
      if (manifest.kind === 'Namespace') {
        expect(deleted.status.phase).toBe('Terminating')
        await ok('PUT', `${path}/finalize`, { ...deleted, spec: {} })
      }
      if (manifest.kind === 'CustomResourceDefinition') {
        expect(deleted.metadata.finalizers).toHaveLength(1)
        await release()
      }
      expect((await ask('GET', path)).status).toBe(404)
      expect(live.metadata.name).toBe(made.metadata.name)

      if (!entry.verbs.includes('deletecollection')) return
      await ok('POST', collection, {
        ...object,
        metadata: { ...(object.metadata as object), labels: { sweep: 'yes' } },
      })
      const swept = await ok(
        'DELETE',
        `${collection}?labelSelector=sweep%3Dyes&gracePeriodSeconds=0&propagationPolicy=Background`,
      )
      expect(swept.items.map((i: any) => i.metadata.name)).toEqual([made.metadata.name])
      const left = (await ok('GET', `${collection}?labelSelector=sweep%3Dyes`)).items ?? []
      if (manifest.kind !== 'CustomResourceDefinition') expect(left).toEqual([])
      else await release()
    }
  })
}
