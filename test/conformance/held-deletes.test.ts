/** What a delete answers with when finalizers hold the object, for every kind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { collectionOf, manifests, objectOf, type Manifest } from '../manifests.fixture.ts'

/** Kinds that answer with a Status all the same. */
const STATUS = ['Endpoints', 'ConfigMap', 'Secret', 'CSIStorageCapacity']

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

    const groupOf = ({ apiVersion }: Manifest) =>
      apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''

    for (const manifest of manifests(vocabularies[vocabulary])) {
      test(`${manifest.apiVersion} ${manifest.kind}`, async () => {
        const made = objectOf(manifest)
        const { name } = made.metadata as { name: string }
        const path = `${collectionOf(manifest)}/${name}`
        const held = 'example.com/hold'
        const { status, body: created } = await client.post(collectionOf(manifest), {
          ...made,
          metadata: { ...(made.metadata as object), finalizers: [held] },
        })
        expect(status).toBe(201)
        const group = groupOf(manifest)
        const shown = {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Success',
          details: {
            name,
            ...(group === '' ? {} : { group }),
            kind: manifest.resource,
            uid: created.metadata.uid,
          },
        }
        const ways = ['?dryRun=All', '', '', '?orphanDependents=false']
        for (const [i, query] of ways.entries()) {
          const and = query === '' ? '?' : '&'
          const reply = await client.delete(`${path}${query}${and}gracePeriodSeconds=0`)
          expect(reply.status).toBe(query.startsWith('?orphan') ? 202 : 200)
          const live = (await client.get(path)).body
          if (i === 0) expect(live.metadata.deletionTimestamp).toBeUndefined()
          if (STATUS.includes(manifest.kind)) expect(reply.body).toEqual(shown)
          else {
            expect([reply.body.kind, reply.body.apiVersion]).toEqual([
              manifest.kind,
              manifest.apiVersion,
            ])
            expect(reply.body.metadata.finalizers).toContain(held)
            expect(reply.body.metadata.deletionTimestamp).toEqual(expect.any(String))
            if (i > 0) expect(reply.body).toEqual(live)
          }
        }
        await client.merge(path, { metadata: { finalizers: null } })
        if (manifest.kind === 'Namespace')
          await client.put(`${path}/finalize`, { metadata: { name }, spec: {} })
        expect((await client.get(path)).status).toBe(404)
      })
    }
  })
}
