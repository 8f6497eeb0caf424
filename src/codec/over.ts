/**
 * Decoding and writing of objects that differ little from another one: parts that are the very same values as before
 * are taken over, so that the cost is that of what changed. `codecOf` is the plain way.
 */
import { codecOf, Decoding, isEmpty, plansOf, type JsonObject, type Plan } from './codec.ts'
import { putInOrder } from '../base/in-order.ts'
import type { Shape } from '../notation/shape.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** A decoded object and its JSON form: each is what the codec makes of the other. Neither may be changed. */
export interface Pair {
  readonly object: JsonObject
  readonly json: JsonObject
}

/** Works like a codec, with a known pair at hand. Results share parts with it. */
export interface OverCodec {
  /** As `Codec.decode`. */
  decode(value: unknown, before: Pair | null, decoding: Decoding): JsonObject
  /** As `Codec.plain`. */
  plain(object: JsonObject, before: Pair | null): JsonObject
  /** Where objects have the text or number at a place of their JSON; null where that is not told from the place alone. */
  locate(way: readonly Step[]): Located | null
}

/** A name of a member, or the place of an item. */
type Step = string | number

/** Where objects have what is at a place of their JSON. */
export interface Located {
  readonly way: readonly Step[]
  /** Whether a value there is decoded as itself. */
  keeps(value: string | number): boolean
}

type Words = Pick<Vocabulary, 'resolve'>

const known = new WeakMap<Words, WeakMap<Shape, OverCodec>>()

/** The codec of a shape for objects that differ little from another. */
export function overCodecOf(shape: Shape, v: Words): OverCodec {
  let ofWords = known.get(v)
  if (!ofWords) known.set(v, (ofWords = new WeakMap()))
  let codec = ofWords.get(shape)
  if (!codec) ofWords.set(shape, (codec = new ShapeOver(shape, v)))
  return codec
}

/** A field; `object` and `items` are there where it holds an object, or a list of them. */
interface Field {
  readonly plan: Plan
  /** Its place in the declaration. */
  readonly at: number
  readonly object: (() => OverCodec) | null
  readonly items: (() => OverCodec) | null
}

const byDeclaration = (a: Field, b: Field) => a.at - b.at

const NO_FIELDS: readonly Field[] = []

class ShapeOver implements OverCodec {
  readonly #shape: Shape
  readonly #v: Words
  #made: readonly Field[] | null = null
  readonly #byName = new Map<string, Field>()
  readonly #byKey = new Map<string, Field>()
  /** Fields that get a value where they are absent. */
  readonly #filled: Field[] = []

  constructor(shape: Shape, v: Words) {
    this.#shape = shape
    this.#v = v
  }

  decode(value: unknown, before: Pair | null, decoding: Decoding): JsonObject {
    const plain = () => codecOf(this.#shape, this.#v).decode(value, decoding)
    if (!before || !isObject(value)) return plain()
    if (value === before.json) return before.object
    const similar = this.#similar(value, before, decoding)
    if (similar) return similar
    const object: JsonObject = {}
    let count = 0
    const found = decoding.unknown.length
    if (this.#shape.typed) {
      for (const name of ['kind', 'apiVersion'] as const) {
        const word = value[name]
        if (word === undefined) continue
        count++
        if (word === null || word === '') continue
        if (typeof word !== 'string') return plain()
        object[name] = word
      }
    }
    for (const field of this.#fields()) {
      const { plan } = field
      const raw = ownMember(value, plan.name, plan)
      if (raw !== undefined) count++
      let result = decoded(field, raw, before, decoding)
      if (result === undefined && plan.absent) result = plan.absent(decoding)
      if (result !== undefined) object[plan.key] = result
    }
    if (count === Object.keys(value).length) return object
    // Unknown fields are for the plain way to report, in its order.
    decoding.unknown.length = found
    return plain()
  }

  plain(object: JsonObject, before: Pair | null): JsonObject {
    if (!before) return codecOf(this.#shape, this.#v).plain(object)
    if (object === before.object) return before.json
    const similar = this.#similarPlain(object, before)
    if (similar) return similar
    const out: JsonObject = {}
    if (this.#shape.typed) {
      if (object['kind'] !== undefined) out['kind'] = object['kind']
      if (object['apiVersion'] !== undefined) out['apiVersion'] = object['apiVersion']
    }
    for (const field of this.#fields()) {
      const { plan } = field
      const value = ownMember(object, plan.key, plan)
      if (value !== undefined && value !== null && !(plan.hidesEmpty && isEmpty(value)))
        out[plan.name] = written(field, value, before)
      else if (plan.absentPlain) out[plan.name] = plan.absentPlain()
    }
    return out
  }

  locate([name, ...others]: readonly Step[]): Located | null {
    this.#fields()
    const field = this.#byName.get(String(name))
    if (!field) return null
    const { plan, object, items } = field
    if (others.length === 0) return { way: [plan.key], keeps: (value) => isKept(plan, value) }
    if (object) return behind([plan.key], object().locate(others))
    const [next, ...rest] = others
    if (items && typeof next === 'number' && rest.length > 0)
      return behind([plan.key, next], items().locate(rest))
    const { holds } = plan.facts
    const isText = holds.is === 'map' && holds.of.is === 'string' && rest.length === 0
    return isText
      ? { way: [plan.key, ...others], keeps: (value) => typeof value === 'string' }
      : null
  }

  /**
   * Decodes a document with the members of the known one as a copy of the known object in which members that differ are
   * replaced; null where that is not the same as decoding all of it.
   */
  #similar(value: JsonObject, before: Pair, decoding: Decoding): JsonObject | null {
    const changed = this.#changed(value, before.json, 'name')
    if (!changed) return null
    for (const { plan } of this.#filled) if (before.object[plan.key] === undefined) return null
    let copy: JsonObject | null = null
    for (const field of changed) {
      const { name, key, absent } = field.plan
      const was = before.object[key]
      const result = decoded(field, value[name], before, decoding) ?? absent?.(decoding)
      if (result === was) continue
      copy ??= { ...before.object }
      if (result === undefined) delete copy[key]
      else copy[key] = result
    }
    return copy ?? before.object
  }

  /** The same for the JSON of an object. */
  #similarPlain(object: JsonObject, before: Pair): JsonObject | null {
    const changed = this.#changed(object, before.object, 'key')
    if (!changed) return null
    for (const { plan } of changed) {
      const value = object[plan.key]
      if (value === undefined || value === null || (plan.hidesEmpty && isEmpty(value))) return null
      if (!Object.hasOwn(before.json, plan.name)) return null
    }
    if (changed.length === 0) return before.json
    const copy = { ...before.json }
    for (const field of changed) {
      copy[field.plan.name] = written(field, object[field.plan.key], before)
    }
    return copy
  }

  /** Fields in which two objects with the same members differ, in their order; null: the members are others. */
  #changed(value: JsonObject, before: JsonObject, by: 'name' | 'key'): readonly Field[] | null {
    this.#fields()
    const fields = by === 'name' ? this.#byName : this.#byKey
    let one: Field | null = null
    let changed: Field[] | null = null
    let count = 0
    for (const name in value) {
      if (!Object.hasOwn(before, name)) return null
      count++
      if (value[name] === before[name]) continue
      const field = fields.get(name)
      if (!field) return null
      if (changed) changed.push(field)
      else if (one) changed = [one, field]
      else one = field
    }
    for (const _ in before) count--
    if (count !== 0) return null
    if (!changed) return one ? [one] : NO_FIELDS
    return putInOrder(changed, byDeclaration)
  }

  #fields(): readonly Field[] {
    if (!this.#made) {
      this.#made = this.#makeFields()
      for (const field of this.#made) {
        this.#byName.set(field.plan.name, field)
        this.#byKey.set(field.plan.key, field)
        if (field.plan.absent) this.#filled.push(field)
      }
    }
    return this.#made
  }

  #makeFields(): readonly Field[] {
    return plansOf(this.#shape, this.#v).map((plan, at) => {
      const { holds } = plan.facts
      const of = (one: typeof holds) =>
        one.is === 'object' ? () => overCodecOf(one.to(), this.#v) : null
      return { plan, at, object: of(holds), items: holds.is === 'list' ? of(holds.of) : null }
    })
  }
}

const behind = (way: readonly Step[], located: Located | null): Located | null =>
  located && { ...located, way: [...way, ...located.way] }

function isKept(plan: Plan, value: string | number): boolean {
  if (isEmpty(value)) return false
  try {
    return plan.read(value, new Decoding()) === value
  } catch {
    return false
  }
}

function decoded(
  { plan, object, items }: Field,
  raw: unknown,
  before: Pair,
  decoding: Decoding,
): unknown {
  const json = ownMember(before.json, plan.name, plan)
  const was = ownMember(before.object, plan.key, plan)
  if (raw === json) return was
  if (raw === undefined || raw === null) return undefined
  decoding.path.push(plan.name)
  let result: unknown
  if (object && isObject(raw) && isObject(json) && isObject(was))
    result = object().decode(raw, { object: was, json }, decoding)
  else if (items && isObjects(raw) && isObjects(was) && isObjects(json))
    result = raw.map((item, i) => {
      if (item === json[i] && was[i]) return was[i]
      decoding.path.push(i)
      const one = items().decode(item, pairAt(was, json, i), decoding)
      decoding.path.pop()
      return one
    })
  else result = plan.read(raw, decoding)
  decoding.path.pop()
  return plan.dropsEmpty && isEmpty(result) ? undefined : result
}

function written({ plan, object, items }: Field, value: unknown, before: Pair): unknown {
  const json = ownMember(before.json, plan.name, plan)
  const was = ownMember(before.object, plan.key, plan)
  if (value === was && json !== undefined) return json
  if (object && isObject(value) && isObject(was) && isObject(json))
    return object().plain(value, { object: was, json })
  if (items && isObjects(value) && isObjects(was) && isObjects(json))
    return value.map((item, i) => items().plain(item, pairAt(was, json, i)))
  return plan.write(value)
}

/** The items at one place of a list in both forms; null: there were none. */
function pairAt(was: readonly JsonObject[], json: readonly JsonObject[], i: number): Pair | null {
  const object = was[i]
  const form = json[i]
  return object && form ? { object, json: form } : null
}

const ownMember = (of: JsonObject, name: string, { inherited }: Plan): unknown =>
  inherited && !Object.hasOwn(of, name) ? undefined : of[name]

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isObjects = (value: unknown): value is readonly JsonObject[] =>
  Array.isArray(value) && value.every(isObject)
