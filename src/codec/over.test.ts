import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Thing } from '../patch/apply.fixture.ts'
import { applyMergePatch } from '../patch/merge-patch.ts'
import { orch } from '../vocabulary/orch.ts'
import { codecOf, Decoding, type JsonObject } from './codec.ts'
import { overCodecOf } from './over.ts'

const name = fc.constantFrom('a', 'b', '__proto__', 'toString')
const word = fc.constantFrom('', 'x', 'y')
const some = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { requiredKeys: [], noNullPrototype: true })
const orOdd = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 30, arbitrary: value }, fc.constantFrom(null, 7, 'odd', [], {}))
const map = <T>(value: fc.Arbitrary<T>) => fc.dictionary(name, value, { maxKeys: 3 })

const port = some({ port: fc.nat(3), protocol: word, name: word })
const container = some({
  name,
  image: word,
  args: fc.array(word, { maxLength: 2 }),
  ports: orOdd(fc.array(orOdd(port), { maxLength: 2 })),
  env: fc.array(some({ name, value: word }), { maxLength: 2 }),
  limits: map(fc.constantFrom('1', '1000m', 1, 'bad')),
})
const thing = some({
  kind: orOdd(fc.constant('Thing')),
  apiVersion: fc.constant('test/v1'),
  metadata: orOdd(some({ name, labels: map(word), finalizers: fc.array(name) })),
  spec: orOdd(
    some({
      replicas: orOdd(fc.nat(3)),
      paused: fc.boolean(),
      containers: orOdd(fc.array(container, { maxLength: 3 })),
      strategy: orOdd(some({ type: word, max: fc.oneof(word, fc.nat(2)) })),
      byName: map(orOdd(some({ label: word, tags: fc.array(word) }))),
      raw: fc.anything({ withNullPrototype: false, maxDepth: 1, withBigInt: false }),
      any: fc.json().map((text) => JSON.parse(text) as unknown),
      label: word,
      unknown: word,
    }),
  ),
  odd: word,
})

const { shape } = Thing
const codec = codecOf(shape, orch)
const over = overCodecOf(shape, orch)

/** A decoded value with what was unknown in it, or the error. */
function outcome(decode: (decoding: Decoding) => JsonObject) {
  const decoding = new Decoding()
  try {
    return { object: decode(decoding), unknown: decoding.unknown }
  } catch (error) {
    return String(error)
  }
}

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject

test('objects that share parts with others are read and written like any object', () => {
  let compared = 0
  fc.assert(
    fc.property(thing, thing, (first, change) => {
      const known = outcome((decoding) => codec.decode(json(first), decoding))
      if (typeof known === 'string') return
      const pair = { object: known.object, json: codec.plain(known.object) }
      // Shares with the document whatever the change does not name.
      const value = applyMergePatch(pair.json, json(change))
      const wanted = outcome((decoding) => codec.decode(value, decoding))
      const found = outcome((decoding) => over.decode(value, pair, decoding))
      expect(found).toEqual(wanted)
      if (typeof wanted === 'string' || typeof found === 'string') return
      compared++
      const plain = codec.plain(wanted.object)
      expect(JSON.stringify(over.plain(found.object, pair))).toBe(JSON.stringify(plain))
      expect(JSON.stringify(over.plain(wanted.object, pair))).toBe(JSON.stringify(plain))
    }),
    { numRuns: 1500 },
  )
  expect(compared).toBeGreaterThan(300)
})

test('parts that stay are shared', () => {
  const containers = [
    { name: 'a', ports: [{ port: 1 }, { port: 2 }] },
    { name: 'b', env: [{ name: 'x' }] },
  ]
  const object = codec.decode({ spec: { containers, raw: { a: 1 } } }, new Decoding())
  const pair = { object, json: codec.plain(object) }
  type Made = { spec: { containers: { ports: object[] }[]; raw: object } }
  const { spec: was } = object as never as Made
  const { spec: form } = pair.json as never as Made
  const changed = { spec: { ...form, containers: [{ name: 'c' }, form.containers[1]] } }
  const next = over.decode(changed, pair, new Decoding())
  const { spec } = next as never as Made
  expect(spec.containers[1]).toBe(was.containers[1])
  expect(spec.raw).toBe(was.raw)
  expect(spec.containers[0]).toMatchObject({ name: 'c' })
  const plain = over.plain(next, pair) as never as Made
  expect(plain.spec.containers[1]).toBe(form.containers[1])
})

/** The texts and numbers in a value, with the way to each. */
function* scalarsIn(value: unknown, way: readonly (string | number)[] = []): Generator<Scalar> {
  if (typeof value === 'string' || typeof value === 'number') yield { way, value }
  else if (Array.isArray(value))
    for (const [i, one] of value.entries()) yield* scalarsIn(one, [...way, i])
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) yield* scalarsIn(one, [...way, name])
}

interface Scalar {
  readonly way: readonly (string | number)[]
  readonly value: string | number
}

/** A copy of a value with another one at a place. */
function withAt(
  value: unknown,
  [step, ...others]: readonly (string | number)[],
  is: unknown,
): unknown {
  if (step === undefined) return is
  const copy = structuredClone(value) as JsonObject
  const part = withAt((value as JsonObject)[step], others, is)
  if (Array.isArray(copy)) copy[Number(step)] = part
  else
    Object.defineProperty(copy, step, {
      value: part,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  return copy
}

test('a text or number is set in an object as it would be in its JSON', () => {
  let located = 0
  const value = fc.constantFrom('', 'x', 'z', '1000m', '2', 0, 5, 2 ** 40)
  fc.assert(
    fc.property(thing, fc.nat(30), value, (first, nth, is) => {
      const known = outcome((decoding) => codec.decode(json(first), decoding))
      if (typeof known === 'string') return
      const document = codec.plain(known.object)
      const object = codec.decode(document, new Decoding())
      const places = [...scalarsIn(document)]
      const place = places[nth % places.length]
      const found = place && over.locate(place.way)
      if (!found || typeof place.value !== typeof is || !found.keeps(is)) return
      located++
      const wanted = outcome((decoding) => codec.decode(withAt(document, place.way, is), decoding))
      expect({ object: withAt(object, found.way, is), unknown: [] }).toEqual(wanted)
    }),
    { numRuns: 3000 },
  )
  expect(located).toBeGreaterThan(150)
})
