/**
 * Reads and writes objects by their declaration: JSON values in, objects with only known fields in
 * declared order out, and back to JSON text. One codec for each shape, made on first use: it interprets the declaration,
 * and from then on that the shape is used often, runs code generated from it (see generated-code.ts).
 */
import { canonicalQuantity } from '../base/quantity.ts'
import { canonicalMicroTime, canonicalTime } from '../base/time.ts'
import {
  DecodeError,
  Decoding,
  isEmpty,
  put,
  sortedKeys,
  typeName,
  type JsonObject,
} from './decoding.ts'
import { useCounter, type Words } from './generated-code.ts'
import { generatedDecode, generatedPlain, type Parts } from './generated-codec.ts'
import { copyJson } from './json-clone.ts'
import type { FieldFacts, Holds, Shape, Special } from '../notation/shape.ts'

export { DecodeError, Decoding, isEmpty, sortedKeys, type JsonObject } from './decoding.ts'

export interface Codec {
  /**
   * Decodes an object: known fields only, in declared order, zero values absent where absence means zero, declared
   * defaults set. The value is not changed. Throws DecodeError.
   */
  decode(value: unknown, decoding: Decoding): JsonObject
  /** The JSON form: declared order, including fields that are always written. */
  plain(object: JsonObject): JsonObject
}

/** For shapes without templates in their field names. */
export const UNRESOLVED: Words = { resolve: (template) => template }

const codecs = new WeakMap<Words, WeakMap<Shape, Codec>>()

/**
 * The codec of a shape. Field names may be templates: they are resolved in JSON, and not in decoded objects.
 */
export function codecOf(shape: Shape, v: Words = UNRESOLVED): Codec {
  let ofWords = codecs.get(v)
  if (!ofWords) codecs.set(v, (ofWords = new WeakMap()))
  let codec = ofWords.get(shape)
  if (!codec) ofWords.set(shape, (codec = new ShapeCodec(shape, v)))
  return codec
}

type Read = (value: unknown, decoding: Decoding) => unknown

/** How to read and write one field. */
export interface Plan {
  /** The name in JSON. */
  readonly name: string
  /** The name in decoded objects. */
  readonly key: string
  readonly facts: FieldFacts
  readonly read: Read
  readonly write: (value: unknown) => unknown
  /** The codec of the objects in it, where it holds an object or a list of them. */
  readonly nested: (() => Codec) | null
  /** Makes the value of an absent field; null when it stays absent. */
  readonly absent: ((decoding: Decoding) => unknown) | null
  /** Makes the JSON form of an absent field; null: omitted. */
  readonly absentPlain: (() => unknown) | null
  /** Whether an empty value is read as absent; maps tell by themselves, since counting their keys takes long. */
  readonly dropsEmpty: boolean
  /** Whether an empty value is omitted from JSON. */
  readonly hidesEmpty: boolean
  /** The name is also a member of `Object.prototype`. */
  readonly inherited: boolean
}

/** The codec of one shape. Its functions are replaced by generated ones, so they must be looked up at each call. */
class ShapeCodec implements Codec {
  decode: Codec['decode']
  plain: Codec['plain']

  constructor(shape: Shape, v: Words) {
    let parts: Parts | null = null
    const getParts = () => (parts ??= partsOf(shape, v))
    const isDecodedOften = useCounter(v)
    const isWrittenOften = useCounter(v)
    this.decode = (value, decoding) => {
      if (!isDecodedOften()) return interpretedDecode(getParts(), value, decoding)
      this.decode = generatedDecode(getParts())
      return this.decode(value, decoding)
    }
    this.plain = (object) => {
      if (!isWrittenOften()) return interpretedPlain(getParts(), object)
      this.plain = generatedPlain(getParts())
      return this.plain(object)
    }
  }
}

function partsOf(shape: Shape, v: Words): Parts {
  const plans = plansOf(shape, v)
  return {
    typed: shape.typed,
    plans,
    reportUnknown: (given, decoding) => reportUnknown(shape, plans, given, decoding),
  }
}

function interpretedDecode(
  { typed, plans, reportUnknown }: Parts,
  value: unknown,
  decoding: Decoding,
): JsonObject {
  if (value === null || value === undefined) value = {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw decoding.failure(`expected an object, found ${typeName(value)}`)
  const given = value as JsonObject
  const object: JsonObject = {}
  let known = 0
  if (typed) {
    for (const name of ['kind', 'apiVersion'] as const) {
      const word = given[name]
      if (word === undefined) continue
      known++
      if (word === null || word === '') continue
      if (typeof word !== 'string')
        throw new DecodeError(
          [...decoding.path, name],
          `expected a string, found ${typeName(word)}`,
        )
      object[name] = word
    }
  }
  for (const plan of plans) {
    const raw = plan.inherited && !Object.hasOwn(given, plan.name) ? undefined : given[plan.name]
    if (raw !== undefined) known++
    let result: unknown
    if (raw !== undefined && raw !== null) {
      decoding.path.push(plan.name)
      result = plan.read(raw, decoding)
      decoding.path.pop()
      if (plan.dropsEmpty && isEmpty(result)) result = undefined
    }
    if (result === undefined && plan.absent) result = plan.absent(decoding)
    if (result !== undefined) object[plan.key] = result
  }
  if (known < Object.keys(given).length) reportUnknown(given, decoding)
  return object
}

function interpretedPlain({ typed, plans }: Parts, object: JsonObject): JsonObject {
  const out: JsonObject = {}
  if (typed) {
    if (object.kind !== undefined) out.kind = object.kind
    if (object.apiVersion !== undefined) out.apiVersion = object.apiVersion
  }
  for (const plan of plans) {
    const value = plan.inherited && !Object.hasOwn(object, plan.key) ? undefined : object[plan.key]
    if (value !== undefined && value !== null && !(plan.hidesEmpty && isEmpty(value))) {
      out[plan.name] = plan.write(value)
    } else if (plan.absentPlain) {
      out[plan.name] = plan.absentPlain()
    }
  }
  return out
}

function reportUnknown(
  shape: Shape,
  plans: readonly Plan[],
  given: JsonObject,
  decoding: Decoding,
): void {
  const known = new Set(plans.map((p) => p.name))
  if (shape.typed) known.add('kind').add('apiVersion')
  for (const name of Object.keys(given)) {
    if (!known.has(name)) decoding.unknownField(name)
  }
}

/** The fields of a shape, including those of inline ones. */
export function plansOf(shape: Shape, v: Words): Plan[] {
  const plans: Plan[] = []
  for (const [name, facts] of shape.fields) {
    if (facts.inline) {
      if (facts.holds.is !== 'object') throw new Error(`inline field ${name} must hold an object`)
      plans.push(...plansOf(facts.holds.to(), v))
      continue
    }
    // Free-form objects are never empty: `{}` is a value.
    const hidesEmpty =
      facts.presence === 'zero' && facts.holds.is !== 'object' && facts.holds.is !== 'raw'
    const dropsEmpty = hidesEmpty && facts.seenEmpty !== true
    plans.push({
      name: v.resolve(name),
      key: name,
      facts,
      read:
        dropsEmpty && facts.holds.is === 'map'
          ? mapReader(facts.holds.of, v, true)
          : reader(facts.holds, v),
      write: plainWriter(facts.holds, v),
      nested: nestedCodec(facts.holds, v),
      absent: absentValue(facts, v),
      absentPlain: absentPlain(facts, v),
      dropsEmpty: dropsEmpty && facts.holds.is !== 'map',
      hidesEmpty,
      inherited: name in Object.prototype,
    })
  }
  return plans
}

function nestedCodec(holds: Holds, v: Words): Plan['nested'] {
  if (holds.is === 'list') return nestedCodec(holds.of, v)
  return holds.is === 'object' ? () => codecOf(holds.to(), v) : null
}

function absentValue(facts: FieldFacts, v: Words): Plan['absent'] {
  const { holds } = facts
  const standard = facts.default
  if (standard !== undefined) {
    const { default: _, ...bare } = facts
    const without = absentValue(bare, v)
    return (decoding) => {
      if (!decoding.fills) return without?.(decoding)
      return copyJson(standard)
    }
  }
  if (holds.is === 'object' && facts.presence !== 'explicit') {
    const codec = codecOf(holds.to(), v)
    return (decoding) => codec.decode({}, decoding)
  }
  if (facts.presence !== 'always') return null
  switch (holds.is) {
    case 'list':
      return () => []
    case 'map':
    case 'raw':
      return () => ({})
    case 'bool':
      return () => false
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return () => 0
    case 'quantity':
      return () => '0'
    case 'time':
    case 'microTime':
    case 'any':
    case 'object':
      return null
    default:
      return () => ''
  }
}

function absentPlain(facts: FieldFacts, v: Words): Plan['absentPlain'] {
  const { holds } = facts
  if (facts.presence === 'explicit') return null
  if (holds.is === 'object') {
    const codec = codecOf(holds.to(), v)
    return () => codec.plain({})
  }
  if (holds.is === 'time' || holds.is === 'microTime') return () => null
  if (facts.presence !== 'always') return null
  if (holds.is === 'any') return () => null
  const make = absentValue({ ...facts, default: undefined }, v)
  return make ? () => make(new Decoding()) : null
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Reads a map; an empty one as absent where `dropsEmpty`. */
function mapReader(of: Holds, v: Words, dropsEmpty: boolean): Read {
  const item = reader(of, v)
  const zero = zeroOf(of, v)
  return (value, decoding) => {
    if (typeof value !== 'object' || Array.isArray(value) || value === null) {
      throw decoding.failure(`expected an object, found ${typeName(value)}`)
    }
    const keys = sortedKeys(value)
    if (dropsEmpty && keys.length === 0) return undefined
    const map: JsonObject = {}
    for (const key of keys) {
      const one = (value as JsonObject)[key]
      decoding.path.push(key)
      put(map, key, one === null ? zero(decoding) : item(one, decoding))
      decoding.path.pop()
    }
    return map
  }
}

function reader(holds: Holds, v: Words): Read {
  switch (holds.is) {
    case 'object': {
      // Resolved lazily: a shape may be recursive.
      let codec: Codec | null = null
      return (value, decoding) => (codec ??= codecOf(holds.to(), v)).decode(value, decoding)
    }
    case 'list':
      return listReader(reader(holds.of, v), zeroOf(holds.of, v))
    case 'map':
      return mapReader(holds.of, v, false)
    case 'string':
      return (value, decoding) => {
        if (typeof value !== 'string')
          throw decoding.failure(`expected a string, found ${typeName(value)}`)
        return value
      }
    case 'bool':
      return (value, decoding) => {
        if (typeof value !== 'boolean')
          throw decoding.failure(`expected true or false, found ${typeName(value)}`)
        return value
      }
    case 'int32':
      return (value, decoding) => {
        decoding.refuseFraction()
        if (typeof value !== 'number' || !Number.isInteger(value))
          throw decoding.failure(`expected an integer, found ${typeName(value)}`)
        if (value > 0x7fffffff || value < -0x80000000)
          throw decoding.failure(`${value} is out of the range of a 32-bit integer`)
        return value
      }
    case 'int64':
      if (holds.exact === true) return exactInteger
      return (value, decoding) => {
        decoding.refuseFraction()
        if (typeof value === 'bigint')
          throw decoding.failure(`${value} is beyond the integers that are represented exactly`)
        if (typeof value !== 'number' || !Number.isInteger(value))
          throw decoding.failure(`expected an integer, found ${typeName(value)}`)
        if (!Number.isSafeInteger(value))
          throw decoding.failure(`${value} is beyond the integers that are represented exactly`)
        return value
      }
    case 'double':
      return (value, decoding) => {
        if (typeof value === 'bigint') return Number(value)
        if (typeof value !== 'number')
          throw decoding.failure(`expected a number, found ${typeName(value)}`)
        return value
      }
    case 'bytes':
      return (value, decoding) => {
        if (typeof value !== 'string')
          throw decoding.failure(`expected a base64 string, found ${typeName(value)}`)
        const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value
        if (text.length % 4 !== 0 || !BASE64.test(text))
          throw decoding.failure('illegal base64 data')
        return text
      }
    case 'time':
      return text(canonicalTime)
    case 'microTime':
      return text(canonicalMicroTime)
    case 'quantity': {
      const read = text(canonicalQuantity)
      return (value, decoding) =>
        read(
          typeof value === 'number' || typeof value === 'bigint'
            ? (decoding.writtenHere() ?? String(value))
            : value,
          decoding,
        )
    }
    case 'intOrString':
      return (value, decoding) => {
        if (typeof value === 'string') return value
        decoding.refuseFraction()
        if (typeof value !== 'number' || !Number.isInteger(value))
          throw decoding.failure(`expected an integer or a string, found ${typeName(value)}`)
        if (value > 0x7fffffff || value < -0x80000000)
          throw decoding.failure(`${value} is out of the range of a 32-bit integer`)
        return value
      }
    case 'raw':
      return (value) => value
    case 'any':
      return holds.special ? specialReader(holds.special, v) : exact
    case 'strings': {
      const list = reader({ is: 'list', of: { is: 'string' } }, v)
      return list
    }
    default: {
      const never: never = holds
      throw new Error(`no reader for ${JSON.stringify(never)}`)
    }
  }
}

function exactInteger(value: unknown, decoding: Decoding): number | bigint {
  decoding.refuseFraction()
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) === value) return value
    throw decoding.failure(`${value} is out of the range of a 64-bit integer`)
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value))
    throw decoding.failure(`expected an integer, found ${typeName(value)}`)
  return value
}

function listReader(item: Read, zero: (decoding: Decoding) => unknown): Read {
  return (value, decoding) => {
    if (!Array.isArray(value)) throw decoding.failure(`expected a list, found ${typeName(value)}`)
    return value.map((one: unknown, i) => {
      decoding.path.push(i)
      const read = one === null ? zero(decoding) : item(one, decoding)
      decoding.path.pop()
      return read
    })
  }
}

const isOther: Readonly<Record<Special['form'], (value: unknown) => boolean>> = {
  schemaOrBool: (value) => typeof value === 'boolean',
  schemaOrArray: () => false,
  schemaOrStrings: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
}

function specialReader({ form, of }: Special, v: Words): Read {
  let codec: Codec | null = null
  const read: Read = (value, decoding) => (codec ??= codecOf(of(), v)).decode(value, decoding)
  const list = form === 'schemaOrArray' ? listReader(read, (decoding) => read({}, decoding)) : null
  return (value, decoding) => {
    if (isOther[form](value)) return value
    return list && Array.isArray(value) ? list(value, decoding) : read(value, decoding)
  }
}

function specialWriter({ form, of }: Special, v: Words): (value: unknown) => unknown {
  let codec: Codec | null = null
  const write = (value: unknown) => (codec ??= codecOf(of(), v)).plain(value as JsonObject)
  return (value) => {
    // Null: neither form, as a value of a map may be.
    if (value === null || isOther[form](value)) return value
    return Array.isArray(value) ? value.map(write) : write(value)
  }
}

/** Free-form values are passed through unchanged; an integer that JSON text cannot represent is refused. */
function exact(value: unknown, decoding: Decoding): unknown {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one === 'bigint')
      throw decoding.failure(`${one} is beyond the integers that are represented exactly`)
    if (typeof one !== 'object' || one === null) continue
    if (Array.isArray(one)) for (const item of one as unknown[]) open.push(item)
    else for (const key in one) open.push((one as JsonObject)[key])
  }
  return value
}

function text(canonical: (text: string) => string): Read {
  return (value, decoding) => {
    if (typeof value !== 'string')
      throw decoding.failure(`expected a string, found ${typeName(value)}`)
    try {
      return canonical(value)
    } catch (error) {
      throw decoding.failure(error instanceof Error ? error.message : String(error))
    }
  }
}

function zeroOf(holds: Holds, v: Words): (decoding: Decoding) => unknown {
  const make = absentValue({ number: 0, holds, presence: 'always' }, v)
  return make ?? (() => null)
}

/** Returns a function that makes the JSON form of values. */
export function plainWriter(holds: Holds, v: Words): (value: unknown) => unknown {
  switch (holds.is) {
    case 'object': {
      let codec: Codec | null = null
      return (value) => (codec ??= codecOf(holds.to(), v)).plain(value as JsonObject)
    }
    case 'list': {
      const item = plainWriter(holds.of, v)
      return isPassed(holds.of) ? (value) => value : (value) => (value as unknown[]).map(item)
    }
    case 'map': {
      const item = plainWriter(holds.of, v)
      return (value) => {
        const given = value as JsonObject
        const map: JsonObject = {}
        for (const key of sortedKeys(given)) put(map, key, item(given[key]))
        return map
      }
    }
    default: {
      const special = specialOf(holds)
      return special ? specialWriter(special, v) : (value) => value
    }
  }
}

const specialOf = (holds: Holds) => ('special' in holds ? holds.special : undefined)

const isPassed = (holds: Holds) =>
  holds.is !== 'object' && holds.is !== 'list' && holds.is !== 'map' && !specialOf(holds)
