/** Definitions in the shapes that today's projects write, each with objects that it takes and refuses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client, type Reply } from '../client.ts'
import { definition, DEFINITIONS, define, type Json } from './definitions.fixture.ts'
import { deliveryShapes } from './shapes/delivery.ts'
import { expressionShapes } from './shapes/expressions.ts'
import { networkShapes } from './shapes/networks.ts'
import { platformShapes } from './shapes/platforms.ts'
import type { Shape } from './shapes/schema-words.ts'
import { storageShapes } from './shapes/storage.ts'
import { observingShapes } from './shapes/observing.ts'

const SHAPES: readonly Shape[] = [
  ...networkShapes,
  ...deliveryShapes,
  ...platformShapes,
  ...storageShapes,
  ...observingShapes,
  ...expressionShapes,
]
const GROUP = 'shapes.example.com'

let server: RunningServer
let client: Client
beforeAll(async () => {
  server = await startServer({ disableAdmissionPlugins: ['ServiceAccount'] })
  client = new Client(server)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const definitionOf = ({ plural, kind, properties, root, version, versions = [], spec }: Shape) =>
  definition(
    plural,
    kind,
    {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties, ...root } },
          ...version,
        },
        ...versions,
      ],
      ...spec,
    },
    GROUP,
  )

const causesOf = ({ status, body }: Reply): unknown =>
  status === 422
    ? body.details.causes.map(
        ({ field, reason, message }: Json) =>
          `${String(field)} ${String(reason).replace('FieldValue', '')} ${String(message)}`,
      )
    : [status, body]

/** What an object says beside its type and metadata. */
function contentOf({ status, body }: Reply): unknown {
  if (status >= 300) return [status, body]
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...content } = body
  return content
}

test('there are forty and more', () => {
  expect(new Set(SHAPES.map(({ plural }) => plural)).size).toBe(SHAPES.length)
  expect(SHAPES.length).toBeGreaterThanOrEqual(40)
})

for (const shape of SHAPES)
  describe(shape.kind, () => {
    const path = `/apis/${GROUP}/v1/namespaces/default/${shape.plural}`
    const object = (name: string, content: object) => ({
      apiVersion: `${GROUP}/v1`,
      kind: shape.kind,
      metadata: { name },
      ...content,
    })

    if (shape.refused) {
      test('is refused', async () => {
        expect(causesOf(await client.post(DEFINITIONS, definitionOf(shape)))).toEqual(shape.refused)
      })
      return
    }

    beforeAll(() => define(client, definitionOf(shape)))

    for (const [i, one] of shape.valid.entries()) {
      const [content, kept] = (Array.isArray(one) ? one : [one, one]) as [Json, Json]
      test(`takes ${i + 1}`, async () => {
        const made = await client.post(path, object(`valid-${i}`, content))
        expect(contentOf(made)).toEqual(kept)
        expect((await client.get(`${path}/valid-${i}`)).body).toEqual(made.body)
      })
    }
    for (const [i, [content, ...causes]] of shape.invalid.entries())
      test(`refuses ${i + 1}`, async () => {
        const reply = await client.post(`${path}?dryRun=All`, object(`invalid-${i}`, content))
        expect(causesOf(reply)).toEqual(causes)
      })
    for (const [i, [from, change, ...causes]] of (shape.changes ?? []).entries())
      test(`${causes.length > 0 ? 'refuses' : 'takes'} change ${i + 1}`, async () => {
        const name = `changed-${i}`
        const made = await client.post(path, object(name, from))
        expect([made.status, made.body.details]).toEqual([201, undefined])
        const reply = await client.merge(`${path}/${name}`, change)
        if (causes.length > 0) expect(causesOf(reply)).toEqual(causes)
        else expect([reply.status, reply.body.details]).toEqual([200, undefined])
      })
  })
