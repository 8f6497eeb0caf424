/** Which finalizers the objects of each kind may have. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { collectionOf, manifests, objectOf, type Manifest } from '../manifests.fixture.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { convertGizmos, startWithGizmos } from './kinds.fixture.ts'

/** Kinds whose finalizers need no domain; all others take only the standard ones without. */
const PLAIN: readonly string[] = [
  'admissionregistration{api}/v1 MutatingWebhookConfiguration',
  'admissionregistration{api}/v1 ValidatingWebhookConfiguration',
  'apiextensions{api}/v1 CustomResourceDefinition',
  'apiregistration{api}/v1 APIService',
  'coordination{api}/v1 Lease',
  'example.com/v1 Gizmo',
  'example.com/v2 Gizmo',
  'node{api}/v1 RuntimeClass',
  'policy/v1 PodDisruptionBudget',
  'v1 Event',
]

const v = vocabularies.orch
const gizmo = (version: string): Manifest => ({
  apiVersion: `example.com/${version}`,
  resource: 'gizmos',
  kind: 'Gizmo',
  namespaced: true,
  content: { spec: { mode: 'Fast' }, parts: [{ name: 'p' }] },
})
const all = [...manifests(v), gizmo('v1'), gizmo('v2')]
const takesPlain = ({ apiVersion, kind }: Manifest) =>
  PLAIN.map((one) => v.resolve(one)).includes(`${apiVersion} ${kind}`)

let server: RunningServer
let client: Client

beforeAll(async () => {
  const options = {
    controllers: false,
    runtimeConfig: { 'api/all': true },
    disableAdmissionPlugins: CHANGING_PLUGINS,
    priorityAndFairness: false,
  } as const
  server = await startWithGizmos(options, convertGizmos)
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const create = async (manifest: Manifest, finalizers: readonly string[]) => {
  const object = objectOf(manifest)
  Object.assign(object['metadata'] as object, { finalizers })
  const { status, body } = await client.post(`${collectionOf(manifest)}?dryRun=All`, object)
  return { status, body }
}

const NOT_STANDARD = 'name is neither a standard finalizer name nor is it fully qualified'
const refusal = (name: string) => [
  422,
  [
    {
      reason: 'FieldValueInvalid',
      message: `Invalid value: "${name}": ${NOT_STANDARD}`,
      field: 'metadata.finalizers[1]',
    },
  ],
]

describe('a finalizer without a domain', () => {
  for (const manifest of all) {
    const { apiVersion, kind } = manifest
    test(`is ${takesPlain(manifest) ? 'taken' : 'refused'} by ${apiVersion} ${kind}`, async () => {
      const { status, body } = await create(manifest, ['example.com/a', 'plain'])
      const seen = [status, status === 422 ? body.details.causes : body.metadata.finalizers]
      expect(seen).toEqual(
        takesPlain(manifest) ? [201, ['example.com/a', 'plain']] : refusal('plain'),
      )
    })
  }

  test('can be added later', async () => {
    for (const manifest of all.filter(({ kind }) =>
      ['Gizmo', 'Lease', 'ConfigMap'].includes(kind),
    )) {
      const object = objectOf(manifest)
      const collection = collectionOf(manifest)
      const { body: made } = await client.post(collection, object)
      const path = `${collection}/${made.metadata.name}`
      const { status, body } = await client.ask('PATCH', path, {
        body: { metadata: { finalizers: ['example.com/a', 'plain'] } },
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      expect([status, status === 422 ? body.details.causes : body.metadata.finalizers]).toEqual(
        takesPlain(manifest) ? [200, ['example.com/a', 'plain']] : refusal('plain'),
      )
      await client.ask('PATCH', path, {
        body: { metadata: { finalizers: null } },
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      await client.delete(path)
    }
  })
})

test('the standard ones are taken by every kind', async () => {
  const refused: unknown[] = []
  for (const manifest of all) {
    for (const name of ['orphan', 'foregroundDeletion', v.resolve('{brand}')]) {
      const { status, body } = await create(manifest, [name])
      if (status !== 201) refused.push([manifest.kind, name, body])
    }
  }
  expect(refused).toEqual([])
})

test('one that is no name is refused by every kind', async () => {
  const taken: unknown[] = []
  for (const manifest of all) {
    const { status, body } = await create(manifest, ['not a name'])
    const fields = body.details?.causes?.map(({ field }: { field: string }) => field) ?? []
    if (status !== 422 || fields[0] !== 'metadata.finalizers') taken.push([manifest.kind, body])
  }
  expect(taken).toEqual([])
})
