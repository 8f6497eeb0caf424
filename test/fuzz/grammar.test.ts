/** The grammar of the published documents, and what is made of it. */
import { expect, test } from 'vitest'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { manifests, objectOf } from '../manifests.fixture.ts'
import { documentsIn } from '../openapi/document.ts'
import { protobufForm } from '../protobuf/form.ts'
import { Bodies } from './bodies.ts'
import { dice } from './dice.ts'
import { Generator } from './generator.ts'
import { mayWrite } from './identities.ts'
import { Live } from './live.ts'
import { grammarOfV2, grammarOfV3, type Operation } from './operations.ts'
import { readWritten, written } from './request.ts'
import { SchemaValues } from './schema-values.ts'
import { Literal, Members, sitesOf, textOf, treeOf } from './tree.ts'
import { mutateWire, readWire, writeWire } from './wire-tree.ts'
import { learnWorld, type World } from './world.ts'

const { v2, v3 } = documentsIn('kubernetes')
const first = grammarOfV2(v2)
const others = [...v3.values()].map(grammarOfV3)

const nameOf = ({ method, path }: Operation) => `${method} ${path}`

test('both versions of the documents tell the same operations', () => {
  const names = others.flatMap(({ operations }) => operations.map(nameOf))
  expect(first.operations.length).toBeGreaterThan(600)
  expect(names.sort()).toEqual(first.operations.map(nameOf).sort())
})

test('every operation that writes a resource has a body whose schema is found', () => {
  for (const { operations, schemas } of [first, ...others]) {
    for (const { method, path, action, body } of operations) {
      if (!['POST', 'PUT', 'PATCH'].includes(method) || action === 'connect') continue
      expect(body?.$ref ?? body?.allOf?.[0]?.$ref, `${method} ${path}`).toBeDefined()
      expect(schemas(body!.$ref ?? body!.allOf![0]!.$ref!), `${method} ${path}`).toBeDefined()
    }
  }
})

async function world(): Promise<World> {
  const documents: Record<string, unknown> = {
    '/openapi/v2': v2,
    '/openapi/v3': { paths: {} },
    '/apis': { groups: [] },
    '/api/v1': { resources: [] },
  }
  return learnWorld('kubernetes', (path) => Promise.resolve(documents[path]))
}

test('a seed makes the same request each time, and the written form is the request', async () => {
  const known = await world()
  const make = (seed: number) =>
    new Generator(known, { lane: 1, live: new Live(), breaksBytes: true }).make(seed).request
  for (let seed = 0; seed < 200; seed++) {
    const text = written(make(seed))
    expect(written(make(seed)) === text, String(seed)).toBe(true)
    expect(written(readWritten(text)) === text, String(seed)).toBe(true)
    expect(make(seed).target, String(seed)).not.toMatch(/[{}\r\n ]/)
  }
})

test('an object that nobody changes is what its schema allows', async () => {
  const { templates } = await world()
  const pods = first.operations.find(
    ({ path, method }) => method === 'POST' && path.endsWith('}/pods'),
  )!
  const values = new SchemaValues(first.schemas, dice(1), 0)
  const made = values.of(pods.body!)
  expect(made).toBeInstanceOf(Members)
  expect(values.at(pods.body!, ['spec', 'containers', 0, 'image'])?.type).toBe('string')
  expect(values.at(pods.body!, ['metadata', 'labels', 'a'])?.type).toBe('string')
  expect(values.at(pods.body!, ['spec', 'nothing'])).toBeUndefined()
  expect(templates.has('v1 Pod')).toBe(true)
})

test('no administrator deletes a whole collection that witnesses are in', async () => {
  const generator = new Generator(await world(), { lane: 1, live: new Live(), breaksBytes: true })
  const collections = new Set(
    first.operations
      .filter(({ method, path }) => method === 'DELETE' && !path.includes('{'))
      .map(({ path }) => path),
  )
  const deletions = Array.from({ length: 2000 }, (_, seed) => generator.make(seed).request)
    .filter(({ method, identity }) => method === 'DELETE' && mayWrite(identity))
    .map(({ target }) => target)
    .filter((target) => collections.has(target.split('?')[0]!))
  expect(deletions.length).toBeGreaterThan(5)
  for (const target of deletions) expect(target).toMatch(/\?labelSelector=fz%3Dyes$/)
})

test('bodies are made in every form', async () => {
  const bodies = new Bodies(await world(), dice(3))
  const pods = first.operations.find(
    ({ path, method }) => method === 'POST' && path.endsWith('}/pods'),
  )!
  const types = new Set<string | null | undefined>()
  for (let i = 0; i < 200; i++) {
    const purpose = { operation: pods, grammar: first, name: 'a', namespace: 'b', live: undefined }
    types.add(bodies.for(purpose)?.type)
  }
  for (const type of [
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
  ])
    expect(types).toContain(type)
})

test('messages of every kind read as trees, and changed ones are still in their envelope', () => {
  const v = vocabularies.kubernetes
  const form = protobufForm(v)
  let changed = 0
  for (const manifest of manifests(v)) {
    const bytes = form.write(objectOf(manifest))
    const tree = readWire(bytes.subarray(4))!
    expect(writeWire(tree), manifest.kind).toEqual(bytes.subarray(4))
    const other = mutateWire(bytes, dice(changed))!
    expect(other.subarray(0, 4)).toEqual(bytes.subarray(0, 4))
    if (!other.equals(bytes)) changed++
  }
  expect(changed).toBeGreaterThan(30)
})

test('a tree holds repeated members and numbers of any length', () => {
  const tree = treeOf({ a: 1, b: [true, null] }) as Members
  tree.list.push(['a', new Literal('12345678901234567890')])
  expect(textOf(tree)).toBe('{"a":1,"b":[true,null],"a":12345678901234567890}')
  expect(sitesOf(tree).map(({ path }) => path.join('.'))).toEqual(['a', 'b', 'b.0', 'b.1', 'a'])
})
