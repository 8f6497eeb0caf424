import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { codecOf, plansOf, type JsonObject } from '../codec/codec.ts'
import type { Words } from '../codec/generated-code.ts'
import { membersWriter, type JsonOut, type WriteMembers } from '../codec/json-writer.ts'
import { RecordWriter } from '../engine/record.ts'
import type { Holds, Shape } from '../notation/shape.ts'
import { orch } from '../vocabulary/orch.ts'
import { resources } from './index.ts'

const v = orch

class Text implements JsonOut {
  json = ''
  byte(code: number): void {
    this.json += String.fromCharCode(code)
  }
  bytes(bytes: Uint8Array): void {
    this.json += Buffer.from(bytes).toString('utf8')
  }
  string(value: string): void {
    this.json += JSON.stringify(value)
  }
  text(json: string): void {
    this.json += json
  }
}

const DEPTH = 5

// Names like numbers are left out: objects of JavaScript put them first, whatever the order they were made in.
const name = fc.oneof(
  fc.constantFrom('a', 'z', 'A/b.c', '__proto__', 'constructor', 'toString', 'é', '"quoted"'),
  fc.string({ minLength: 1 }).filter((text) => !/^\d+$/.test(text)),
)

/** Decoded values of what a field holds; nothing too deep. */
function valueOf(holds: Holds, depth: number): fc.Arbitrary<unknown> {
  switch (holds.is) {
    case 'object':
      return objectOf(holds.to(), depth - 1)
    case 'list':
      return fc.array(valueOf(holds.of, depth), { maxLength: 2 })
    case 'map':
      return fc
        .array(fc.tuple(name, valueOf(holds.of, depth)), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries))
    case 'bool':
      return fc.boolean()
    case 'int32':
    case 'int64':
      return fc.oneof(fc.constant(0), fc.integer())
    case 'double':
      return fc.oneof(fc.constant(0), fc.double({ noNaN: true, noDefaultInfinity: true }))
    case 'any':
      return 'special' in holds && holds.special ? fc.constant({}) : fc.jsonValue()
    case 'raw':
      return fc.dictionary(name, fc.jsonValue(), { maxKeys: 2 })
    case 'strings':
      return fc.array(fc.string(), { maxLength: 2 })
    case 'intOrString':
      return fc.oneof(fc.integer(), fc.string())
    default:
      return fc.oneof(fc.constant(''), fc.string(), fc.string({ unit: 'binary' }))
  }
}

function objectOf(shape: Shape, depth: number): fc.Arbitrary<JsonObject> {
  if (depth <= 0) return fc.constant({})
  const plans = plansOf(shape, v)
  // Few at a time: some shapes have forty fields, each with shapes of its own.
  return fc
    .subarray(plans, { maxLength: Math.min(4, plans.length) })
    .chain((some) =>
      fc.tuple(
        ...some.map(({ key, facts }) => fc.tuple(fc.constant(key), valueOf(facts.holds, depth))),
      ),
    )
    .map((entries) => Object.fromEntries(entries))
}

test.each(
  resources.map((resource) => [resource.storage.shape.name, resource.storage.shape] as const),
)('what is written of a %s is the text of its JSON form', (_name, shape) => {
  const write = membersWriter(shape, v)
  const codec = codecOf(shape, v)
  fc.assert(
    fc.property(objectOf(shape, DEPTH), (object) => {
      const out = new Text()
      out.text('{')
      write({ kind: 'K', apiVersion: 'g/v1', ...object }, out, true)
      out.text('}')
      expect(out.json).toBe(
        JSON.stringify(codec.plain({ kind: 'K', apiVersion: 'g/v1', ...object })),
      )
    }),
    { numRuns: 60 },
  )
})

const AT_ONCE: Words = { resolve: (template) => v.resolve(template), generates: 'at once' }

/** An object made of parts of two others, which are the very same values. */
function mixed(a: unknown, b: unknown, choose: () => number): unknown {
  const choice = choose()
  if (choice < 2 || !isMixable(a) || !isMixable(b)) return choice % 2 === 0 ? a : b
  if (Array.isArray(a) !== Array.isArray(b)) return a
  if (Array.isArray(a))
    return a.map((item: unknown, i) => mixed(item, (b as unknown as unknown[])[i] ?? item, choose))
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  const members = names.flatMap((name) => {
    const [one, other] = [a, b].map((of) => Object.getOwnPropertyDescriptor(of, name)?.value)
    const member: unknown = one === undefined ? other : mixed(one, other ?? one, choose)
    return choose() === 0 ? [] : [[name, member] as const]
  })
  return Object.fromEntries(members)
}

const isMixable = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

function frozen<T>(value: T): T {
  if (isMixable(value) && !Object.isFrozen(value))
    Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

function recordOf(write: WriteMembers, object: JsonObject, before: JsonObject | null): string {
  const out = new RecordWriter('')
  out.byte(0x7b)
  write(object, out, true, before)
  out.byte(0x7d)
  return out.record(0, 0).toString()
}

test.each(
  resources.map((resource) => [resource.storage.shape.name, resource.storage.shape] as const),
)('what is written of a %s does not depend on what was written before', (_name, shape) => {
  const plain = membersWriter(shape, v)
  const write = membersWriter(shape, AT_ONCE)
  const objects = fc.tuple(objectOf(shape, DEPTH), objectOf(shape, DEPTH), objectOf(shape, DEPTH))
  const choices = fc.infiniteStream(fc.integer({ min: 0, max: 5 }))
  fc.assert(
    fc.property(objects, choices, (some, stream) => {
      let before: JsonObject | null = null
      // Parts that stay are written, then kept, then copied.
      for (const other of [...some, ...some]) {
        const next: JsonObject = frozen(
          mixed(before ?? other, other, () => stream.next().value!) as JsonObject,
        )
        const wanted = recordOf(plain, next, null)
        expect(recordOf(write, next, before)).toBe(wanted)
        expect(recordOf(write, { ...next }, next)).toBe(wanted)
        expect(recordOf(write, { ...next }, next)).toBe(wanted)
        before = next
      }
    }),
    { numRuns: 30 },
  )
})
