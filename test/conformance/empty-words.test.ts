/** An empty text in every field that has a closed set of words, on every way into the server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { resources } from '../../src/kinds/index.ts'
import { applyMergePatch as mergePatch } from '../../src/patch/merge-patch.ts'
import type { Holds, Shape } from '../../src/notation/shape.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { Client, type Reply } from '../client.ts'
import { emptyWords, type EmptyWord, type Outcome } from '../empty-words.fixture.ts'
import { collectionOf, manifests, objectOf } from '../manifests.fixture.ts'
import { protobufForm } from '../protobuf/form.ts'
import { CHANGING_PLUGINS } from '../plain-objects.ts'

const v = vocabularies.orch
const all = manifests(v)
const form = protobufForm(v)

/** `Type.field` of each field that tells an empty text apart and has a closed set. */
function toldApart(): Set<string> {
  const found = new Set<string>()
  const seen = new Set<Shape>()
  const walk = (shape: Shape): void => {
    if (seen.has(shape)) return
    seen.add(shape)
    for (const [name, facts] of shape.fields) {
      if (facts.oneOf && facts.presence === 'explicit') found.add(`${shape.name}.${name}`)
      let holds: Holds = facts.holds
      while (holds.is === 'list' || holds.is === 'map') holds = holds.of
      if (holds.is === 'object') walk(holds.to())
    }
  }
  for (const { storage } of resources) walk(storage.shape)
  return found
}

test('every such field has a row', () => {
  const rows = new Set(emptyWords.map(({ field }) => field))
  expect([...toldApart()].filter((field) => !rows.has(field))).toEqual([])
})

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({
    controllers: false,
    disableAdmissionPlugins: CHANGING_PLUGINS,
    // It writes the status of flow schemas.
    priorityAndFairness: false,
  })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const manifestOf = (resource: string) => all.find((one) => one.resource === resource)!

/** What is told, each thing once. */
const told = (reply: Reply): string[] => {
  const causes: { reason: string; field: string }[] = reply.body.details?.causes ?? []
  return [...new Set(causes.map(({ reason, field }) => `${reason} ${field}`))]
}

const wanted = (outcome: Outcome): string[] =>
  'refused' in outcome
    ? [outcome.refused, ...(outcome.also ? [outcome.also] : [])].map(
        (reason) => `FieldValue${reason} ${outcome.at}`,
      )
    : []

let serial = 0
/** A name that the kind takes: those of definitions say what they are of. */
const nameFor = ({ resource }: EmptyWord) => manifestOf(resource).name ?? `empty-${serial++}`

describe('a create', () => {
  for (const word of emptyWords) {
    const { field, resource, change, outcome } = word
    const ways: [name: string, send: (path: string, object: object) => Promise<Reply>][] = [
      ['JSON', (path, object) => client.post(path, object)],
      [
        'YAML',
        (path, object) =>
          client.ask('POST', path, {
            raw: JSON.stringify(object),
            headers: { 'content-type': 'application/yaml' },
          }),
      ],
      [
        'protobuf',
        (path, object) =>
          client.ask('POST', path, {
            raw: form.write(object),
            headers: { 'content-type': form.type, accept: 'application/json' },
          }),
      ],
      [
        'apply',
        (path, object) =>
          client.ask(
            'PATCH',
            `${path.split('?')[0]}/${(object as { metadata: { name: string } }).metadata.name}?dryRun=All&fieldManager=m`,
            { body: object, headers: { 'content-type': 'application/apply-patch+yaml' } },
          ),
      ],
    ]
    test(`${field} of ${resource}`, async () => {
      const manifest = manifestOf(resource)
      const object = mergePatch(objectOf(manifest, nameFor(word)), change) as object
      for (const [way, send] of ways) {
        const reply = await send(`${collectionOf(manifest)}?dryRun=All`, object)
        if ('refused' in outcome) {
          expect([way, reply.status, told(reply)]).toEqual([way, 422, wanted(outcome)])
        } else {
          expect([way, reply.status, reply.body]).toEqual([
            way,
            201,
            expect.objectContaining({ kind: manifest.kind }),
          ])
          expect(reply.body).toMatchObject(outcome.becomes as object)
        }
      }
    })
  }
})

describe('an update', () => {
  for (const word of emptyWords.filter(({ outcome }) => 'refused' in outcome)) {
    const { field, resource, change, outcome, update = outcome } = word
    test(`${field} of ${resource}`, async () => {
      const manifest = manifestOf(resource)
      const name = nameFor(word)
      const path = collectionOf(manifest)
      const made = await client.post(path, objectOf(manifest, name))
      expect(made.status).toBe(201)
      const at = `${path}/${name}?dryRun=All`
      const replaced = await client.put(at, mergePatch(made.body, change))
      const patched = await client.merge(at, change)
      for (const reply of [replaced, patched]) {
        expect(reply.status).toBe('refused' in update ? 422 : 200)
        // Most of a pod cannot change at all, and its containers none of them: that alone is told then.
        if (resource !== 'pods') expect(told(reply)).toEqual(expect.arrayContaining(wanted(update)))
      }
      await client.delete(`${path}/${name}?gracePeriodSeconds=0`)
    })
  }
})
