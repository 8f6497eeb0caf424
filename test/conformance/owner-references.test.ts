/** Which owners the objects of each kind may name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../../src/index.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client } from '../client.ts'
import { collectionOf, manifests, objectOf, type Manifest } from '../manifests.fixture.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'
import { convertGizmos, startWithGizmos } from './kinds.fixture.ts'

const v = vocabularies.orch
const gizmo: Manifest = {
  apiVersion: 'example.com/v1',
  resource: 'gizmos',
  kind: 'Gizmo',
  namespaced: true,
  content: { spec: { mode: 'Fast' }, parts: [{ name: 'p' }] },
}
const all = [...manifests(v), gizmo]

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

const NO_VERSION = 'version must not be empty'
const owner = (apiVersion: string, kind = 'A') => ({ apiVersion, kind, name: 'n', uid: 'u' })
const cause = (field: string, shown: string, why: string) => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shown}: ${why}`,
  field: `metadata.ownerReferences${field}`,
})

const cases = [
  { names: owner('v1'), causes: [] },
  { names: owner('example.com/v1'), causes: [] },
  { names: owner('/v1'), causes: [] },
  { names: owner('events.k8s.io/v1', 'Event'), causes: [] },
  ...['', '/', 'example.com/', 'a/b/c', 'a/b/', '//v1'].map((version) => ({
    names: owner(version),
    causes: [cause('.apiVersion', JSON.stringify(version), NO_VERSION)],
  })),
  ...['v1', '/v1'].map((version) => ({
    names: owner(version, 'Event'),
    causes: [
      cause(
        '',
        JSON.stringify(owner(version, 'Event')),
        '/v1, Kind=Event is disallowed from being an owner',
      ),
    ],
  })),
]

/** The error of a cause, as the message of a refusal shows it. */
const shown = ({ field, message }: { field: string; message: string }) => `${field}: ${message}`

describe('all kinds', () => {
  for (const { names, causes } of cases) {
    const verb = causes.length === 0 ? 'take' : 'refuse'
    test(`${verb} an owner of ${JSON.stringify(names.apiVersion)} ${names.kind}`, async () => {
      for (const manifest of all) {
        const object = objectOf(manifest)
        Object.assign(object['metadata'] as object, { ownerReferences: [names] })
        const { status, body } = await client.post(`${collectionOf(manifest)}?dryRun=All`, object)
        if (causes.length === 0) {
          expect([status, body.metadata?.ownerReferences], manifest.kind).toEqual([201, [names]])
          continue
        }
        const { group = '', name } = body.details
        const whose = group === '' ? manifest.kind : `${manifest.kind}.${group}`
        expect([status, body], manifest.kind).toEqual([
          422,
          {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message: `${whose} "${name}" is invalid: ${causes.map(shown).join(', ')}`,
            reason: 'Invalid',
            details: { name, ...(group === '' ? {} : { group }), kind: manifest.kind, causes },
            code: 422,
          },
        ])
      }
    })
  }
})

describe('a change to an owner a/b/c is refused', () => {
  const [apply, merge] = ['application/apply-patch+yaml', 'application/merge-patch+json']
  const config = (manifest: Manifest) => {
    const object = objectOf(manifest)
    Object.assign(object['metadata'] as object, { name: 'changed' })
    return object
  }
  const kinds = all.filter(({ kind }) => kind === 'Gizmo' || kind === 'ConfigMap')
  test.each(kinds)('of $kind', async (manifest) => {
    const object = config(manifest)
    const metadata = { name: 'changed', ownerReferences: [owner('a/b/c')] }
    const path = `${collectionOf(manifest)}/changed`
    const made = await client.post(collectionOf(manifest), object)
    expect(made.status).toBe(201)
    const { resourceVersion } = made.body.metadata
    const update = { ...object, metadata: { ...metadata, resourceVersion } }
    const expected = [422, [cause('.apiVersion', '"a/b/c"', NO_VERSION)]]
    const changed = { ...object, metadata }
    for (const [method, type, body, query] of [
      ['PUT', 'application/json', update, ''],
      ['PATCH', merge, { metadata }, ''],
      ['PATCH', apply, changed, '?fieldManager=m&force=true'],
    ] as const) {
      const reply = await client.ask(method, `${path}${query}`, {
        body,
        headers: { 'content-type': type },
      })
      expect([type, reply.status, reply.body.details?.causes]).toEqual([type, ...expected])
    }
  })
})
