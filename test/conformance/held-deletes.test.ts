/** What a delete answers with when finalizers hold the object, for every kind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { collectionOf, manifests, objectOf, type Manifest } from '../manifests.fixture.ts'

/** Kinds whose deletes answer with a Status in any case, as the definition of the system has it. */
const answersStatus = ({ kind }: Manifest) =>
  ['ConfigMap', 'CSIStorageCapacity', 'Endpoints', 'Secret'].includes(kind)

for (const vocabulary of ['orch', 'kubernetes'] as const) {
  describe(`vocabulary ${vocabulary}`, () => {
    let server: RunningServer
    let client: Client
    beforeAll(async () => {
      server = await startServer({
        vocabulary,
        controllers: false,
        disableAdmissionPlugins: CHANGING_PLUGINS,
        runtimeConfig: { 'api/all': true },
      })
      client = new Client(server)
    })
    afterAll(async () => {
      client.close()
      await server.close()
    })

    const removeHeld = async ({ kind }: Manifest, path: string) => {
      await client.merge(path, { metadata: { finalizers: null } })
      if (kind === 'Namespace') {
        const name = path.slice(path.lastIndexOf('/') + 1)
        await client.put(`${path}/finalize`, { metadata: { name }, spec: {} })
      }
      expect((await client.get(path)).status).toBe(404)
    }

    for (const manifest of manifests(vocabularies[vocabulary])) {
      test(`${manifest.apiVersion} ${manifest.kind}`, async () => {
        const made = objectOf(manifest)
        const { name } = made.metadata as { name: string }
        const path = `${collectionOf(manifest)}/${name}`
        const held = 'example.com/hold'
        const { status } = await client.post(collectionOf(manifest), {
          ...made,
          metadata: { ...(made.metadata as object), finalizers: [held] },
        })
        expect(status).toBe(201)
        const ways = ['?dryRun=All', '', '', '?orphanDependents=false']
        for (const [i, query] of ways.entries()) {
          const and = query === '' ? '?' : '&'
          const reply = await client.delete(`${path}${query}${and}gracePeriodSeconds=0`)
          expect(reply.status).toBe(query.startsWith('?orphan') ? 202 : 200)
          const live = (await client.get(path)).body
          if (i === 0) expect(live.metadata.deletionTimestamp).toBeUndefined()
          if (answersStatus(manifest)) {
            expect([reply.body.kind, reply.body.status]).toEqual(['Status', 'Success'])
            continue
          }
          expect([reply.body.kind, reply.body.apiVersion]).toEqual([
            manifest.kind,
            manifest.apiVersion,
          ])
          expect(reply.body.metadata.finalizers).toContain(held)
          expect(reply.body.metadata.deletionTimestamp).toEqual(expect.any(String))
          if (i > 0) expect(reply.body).toEqual(live)
        }
        await removeHeld(manifest, path)
      })
    }

    // Events are left out: the garbage collector does not know them.
    const collected = manifests(vocabularies[vocabulary]).filter(({ kind }) => kind !== 'Event')
    test.each(collected)('$apiVersion $kind, by a policy', async (manifest) => {
      const made = objectOf(manifest)
      const path = `${collectionOf(manifest)}/${(made.metadata as { name: string }).name}`
      for (const { policy, finalizer, ask } of [
        {
          policy: 'Foreground',
          finalizer: 'foregroundDeletion',
          ask: () => client.delete(`${path}?propagationPolicy=Foreground&gracePeriodSeconds=0`),
        },
        {
          policy: 'Orphan',
          finalizer: 'orphan',
          ask: () =>
            client.delete(path, { body: { propagationPolicy: 'Orphan', gracePeriodSeconds: 0 } }),
        },
      ]) {
        expect((await client.post(collectionOf(manifest), made)).status).toBe(201)
        const reply = await ask()
        const { body: live } = await client.get(path)
        const answer = answersStatus(manifest) ? expect.objectContaining({ kind: 'Status' }) : live
        expect([policy, reply.status, reply.body]).toEqual([policy, 200, answer])
        const isDefinition = manifest.kind === 'CustomResourceDefinition'
        expect(live.metadata).toMatchObject({
          finalizers: [finalizer, ...(isDefinition ? [expect.stringContaining('cleanup')] : [])],
          deletionTimestamp: expect.any(String),
        })
        // Kinds that set the mark themselves count no grace period.
        const hasNone = isDefinition || manifest.kind === 'Namespace'
        expect(live.metadata.deletionGracePeriodSeconds).toBe(hasNone ? undefined : 0)
        await removeHeld(manifest, path)
      }
    })

    test('a pod that goes at once is answered with its marks', async () => {
      const pod = manifests(vocabularies[vocabulary]).find(({ kind }) => kind === 'Pod')!
      const path = `${collectionOf(pod)}/pod`
      const object = (node?: string) => {
        const { spec, ...rest } = objectOf(pod) as { spec: object }
        const more = node === undefined ? {} : { nodeName: node }
        return { ...rest, metadata: { name: 'pod' }, spec: { ...spec, ...more } }
      }
      for (const { name, node, queries } of [
        { name: 'grace period 0', node: 'n', queries: ['gracePeriodSeconds=0'] },
        { name: 'no node', node: undefined, queries: ['gracePeriodSeconds=30'] },
        { name: 'no longer', node: 'n', queries: ['', 'gracePeriodSeconds=0'] },
      ]) {
        const { status, body: made } = await client.post(collectionOf(pod), object(node))
        expect([name, status]).toEqual([name, 201])
        for (const query of queries.slice(0, -1)) await client.delete(`${path}?${query}`)
        const { body: before } = await client.get(path)
        const marked = {
          ...made.metadata,
          resourceVersion: before.metadata.resourceVersion,
          deletionTimestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          deletionGracePeriodSeconds: 0,
        }
        for (const dry of ['&dryRun=All', '']) {
          const reply = await client.delete(`${path}?${queries.at(-1)!}${dry}`)
          expect([name, reply.status, reply.body]).toEqual([
            name,
            200,
            { ...made, metadata: marked },
          ])
        }
        expect((await client.get(path)).status).toBe(404)
      }
    })
  })
}
