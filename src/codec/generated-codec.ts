/** The functions of a codec as code; `codec.ts` interprets the same plans, and is their oracle in tests. */
import { Decoding, isEmpty, put, sortedKeys, typeName, type JsonObject } from './decoding.ts'
import type { Codec, Plan } from './codec.ts'
import { GeneratedCode, isSimple, literal } from './generated-code.ts'

/** What a function is made of. */
export interface Parts {
  /** A kind, whose JSON starts with kind and apiVersion. */
  readonly typed: boolean
  readonly plans: readonly Plan[]
  /** Reports the members that are not declared. */
  readonly reportUnknown: (given: JsonObject, decoding: Decoding) => void
}

const NOTHING: JsonObject = Object.freeze({})
const TYPE = ['kind', 'apiVersion']

/**
 * Returns `Codec.decode` of a shape. A field of it looks like this:
 *
 *     x = given["replicas"]
 *     if (x !== undefined) {
 *       known++
 *       if (x === null) x = undefined
 *       else { if (decoding.hasWritten || typeof x !== 'number' || (x | 0) !== x) x = readAt(decoding, "replicas", readInt32, x) }
 *     }
 *     if (x === undefined) x = decoding.fills ? 1 : undefined
 *     if (x !== undefined) object["replicas"] = x
 */
export function generatedDecode({ typed, plans, reportUnknown }: Parts): Codec['decode'] {
  const code = new GeneratedCode()
  code.line(`if (given === null || given === undefined) given = ${code.refer(NOTHING)}
if (typeof given !== 'object' || Array.isArray(given)) ${code.refer(notAnObject)}(decoding, given)`)
  code.line('const object = {}')
  code.line('let known = 0, x')
  if (typed) {
    for (const name of TYPE) {
      code.line(`x = given.${name}
if (x !== undefined) {
  known++
  if (x !== null && x !== '') {
    if (typeof x !== 'string') ${code.refer(notAString)}(decoding, '${name}', x)
    object.${name} = x
  }
}`)
    }
  }
  for (const plan of plans) {
    code.line(`x = ${ownMember('given', plan.name, plan.inherited)}
if (x !== undefined) {
  known++
  if (x === null) x = undefined
  else { ${readSource(code, plan)}${dropSource(code, plan)} }
}`)
    const absent = absentSource(code, plan)
    if (absent !== null) code.line(`if (x === undefined) x = ${absent}`)
    code.line(`if (x !== undefined) object[${literal(plan.key)}] = x`)
  }
  code.line(`if (known < ${code.refer(countMembers)}(given)) ${code.refer(reportUnknown)}(given, decoding)
return object`)
  return code.finish(['given', 'decoding'])
}

const ownMember = (object: string, name: string, inherited: boolean): string =>
  inherited
    ? `Object.hasOwn(${object}, ${literal(name)}) ? ${object}[${literal(name)}] : undefined`
    : `${object}[${literal(name)}]`

/** Reads `x`. What is not at once as it should be goes to the interpreter, which converts it or throws. */
function readSource(code: GeneratedCode, { name, facts, read, nested, hidesEmpty }: Plan): string {
  const otherwise = `x = ${code.refer(readAt)}(decoding, ${literal(name)}, ${code.refer(read)}, x)`
  const { holds } = facts
  switch (holds.is) {
    case 'string':
      return `if (typeof x !== 'string') ${otherwise}`
    case 'bool':
      return `if (typeof x !== 'boolean') ${otherwise}`
    case 'int32':
      return `if (decoding.hasWritten || typeof x !== 'number' || (x | 0) !== x) ${otherwise}`
    case 'int64':
      return `if (decoding.hasWritten || !Number.isSafeInteger(x)) ${otherwise}`
    case 'double':
      return `if (typeof x !== 'number') ${otherwise}`
    case 'intOrString':
      return `if (typeof x !== 'string' && (decoding.hasWritten || typeof x !== 'number' || (x | 0) !== x)) ${otherwise}`
    case 'object':
      return `decoding.path.push(${literal(name)}); x = ${code.refer(nested!())}.decode(x, decoding); decoding.path.pop()`
    case 'list':
      if (holds.of.is === 'string')
        return `x = ${code.refer(readStrings)}(decoding, ${literal(name)}, x)`
      if (holds.of.is === 'object')
        return `x = ${code.refer(readObjects)}(decoding, ${literal(name)}, ${code.refer(nested!())}, x)`
      return otherwise
    case 'map':
      if (holds.of.is !== 'string') return otherwise
      // Where an empty one counts as absent, the interpreter's function for the field checks that as well.
      return `x = ${code.refer(hidesEmpty && facts.seenEmpty !== true ? readSomeTexts : readTexts)}(decoding, ${literal(name)}, x)`
    default:
      return otherwise
  }
}

/** Makes `x` absent where it is empty, and empty counts as absent. */
function dropSource(code: GeneratedCode, { facts, dropsEmpty }: Plan): string {
  if (!dropsEmpty) return ''
  return `; if (${emptySource(code, facts.holds.is)}) x = undefined`
}

/** Whether `x`, of the declared type, is empty. */
export function emptySource(code: GeneratedCode, is: Plan['facts']['holds']['is']): string {
  switch (is) {
    case 'string':
    case 'bytes':
    case 'time':
    case 'microTime':
    case 'quantity':
      return `x === ''`
    case 'bool':
      return 'x === false'
    case 'int32':
    case 'double':
      return 'x === 0'
    case 'list':
    case 'strings':
      return 'x.length === 0'
    default:
      return `${code.refer(isEmpty)}(x)`
  }
}

/** The value of an absent field; null when it stays absent. */
function absentSource(code: GeneratedCode, { absent, facts, nested }: Plan): string | null {
  if (absent === null) return null
  if (facts.default === undefined && facts.holds.is === 'object')
    return `${code.refer(nested!())}.decode(${code.refer(NOTHING)}, decoding)`
  const filled = absent(new Decoding())
  const bare = absent(new Decoding({ fills: false }))
  if (!isSimple(filled) || !isSimple(bare)) return `${code.refer(absent)}(decoding)`
  if (literal(filled) === literal(bare)) return literal(filled)
  return `decoding.fills ? ${literal(filled)} : ${literal(bare)}`
}

/** Returns `Codec.plain` of a shape. */
export function generatedPlain({ typed, plans }: Parts): Codec['plain'] {
  const code = new GeneratedCode()
  code.line('const out = {}\nlet x')
  if (typed)
    for (const name of TYPE)
      code.line(`if (object.${name} !== undefined) out.${name} = object.${name}`)
  for (const plan of plans) {
    const to = `out[${literal(plan.name)}]`
    const isThere = plan.hidesEmpty ? ` && !(${emptySource(code, plan.facts.holds.is)})` : ''
    code.line(`x = ${ownMember('object', plan.key, plan.inherited)}
if (x !== undefined && x !== null${isThere}) ${to} = ${plainSource(code, plan)}`)
    const absent = absentPlainSource(code, plan)
    if (absent !== null) code.line(`else ${to} = ${absent}`)
  }
  code.line('return out')
  return code.finish(['object'])
}

function plainSource(code: GeneratedCode, { facts, write, nested }: Plan): string {
  const { holds } = facts
  switch (holds.is) {
    case 'object':
      return `${code.refer(nested!())}.plain(x)`
    case 'list':
      if (holds.of.is === 'object')
        return `${code.refer(plainObjects)}(${code.refer(nested!())}, x)`
      return holds.of.is === 'string' ? 'x' : `${code.refer(write)}(x)`
    case 'map':
    case 'any':
      return `${code.refer(write)}(x)`
    default:
      return 'x'
  }
}

function absentPlainSource(
  code: GeneratedCode,
  { absentPlain, facts, nested }: Plan,
): string | null {
  if (absentPlain === null) return null
  if (facts.holds.is === 'object') return `${code.refer(nested!())}.plain(${code.refer(NOTHING)})`
  const value = absentPlain()
  return isSimple(value) ? literal(value) : `${code.refer(absentPlain)}()`
}

function notAnObject(decoding: Decoding, value: unknown): never {
  throw decoding.failure(`expected an object, found ${typeName(value)}`)
}

function notAString(decoding: Decoding, name: string, value: unknown): never {
  decoding.path.push(name)
  throw decoding.failure(`expected a string, found ${typeName(value)}`)
}

/** Reads a member with the function of the interpreter. */
function readAt(decoding: Decoding, name: string, read: Plan['read'], value: unknown): unknown {
  decoding.path.push(name)
  const result = read(value, decoding)
  decoding.path.pop()
  return result
}

function readStrings(decoding: Decoding, name: string, value: unknown): string[] {
  const { path } = decoding
  path.push(name)
  if (!Array.isArray(value)) throw decoding.failure(`expected a list, found ${typeName(value)}`)
  const list: string[] = []
  for (let i = 0; i < value.length; i++) {
    const item: unknown = value[i]
    if (typeof item === 'string') list.push(item)
    else if (item === null) list.push('')
    else {
      path.push(i)
      throw decoding.failure(`expected a string, found ${typeName(item)}`)
    }
  }
  path.pop()
  return list
}

function readObjects(decoding: Decoding, name: string, codec: Codec, value: unknown): JsonObject[] {
  const { path } = decoding
  path.push(name)
  if (!Array.isArray(value)) throw decoding.failure(`expected a list, found ${typeName(value)}`)
  const list: JsonObject[] = []
  for (let i = 0; i < value.length; i++) {
    path.push(i)
    list.push(codec.decode(value[i], decoding))
    path.pop()
  }
  path.pop()
  return list
}

function readTexts(decoding: Decoding, name: string, value: unknown): JsonObject {
  const { path } = decoding
  path.push(name)
  if (typeof value !== 'object' || Array.isArray(value) || value === null)
    throw decoding.failure(`expected an object, found ${typeName(value)}`)
  const map: JsonObject = {}
  for (const key of sortedKeys(value)) {
    const one = (value as JsonObject)[key]
    if (typeof one === 'string') put(map, key, one)
    else if (one === null) put(map, key, '')
    else {
      path.push(key)
      throw decoding.failure(`expected a string, found ${typeName(one)}`)
    }
  }
  path.pop()
  return map
}

/** The same, with an empty map as absent. */
function readSomeTexts(decoding: Decoding, name: string, value: unknown): JsonObject | undefined {
  const map = readTexts(decoding, name, value)
  for (const _ in map) return map
  return undefined
}

function plainObjects(codec: Codec, list: readonly JsonObject[]): JsonObject[] {
  const out: JsonObject[] = []
  for (let i = 0; i < list.length; i++) out.push(codec.plain(list[i]!))
  return out
}

/** Members of an object, without an array of them; inherited ones count too, but JSON values have none. */
function countMembers(object: object): number {
  let count = 0
  for (const _ in object) count++
  return count
}
