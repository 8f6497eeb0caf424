/** Fields of objects and entries of maps, items of lists. */
import { failure, noOverload } from './failure.ts'
import type { Code } from './frame.ts'
import { amountOf } from './numbers.ts'
import { type FieldForm, MapValue, type ObjectForm, ObjectValue, OptionalValue } from './values.ts'

const noKey = (key: unknown) => failure(`no such key: ${keyText(key)}`)

/** A key as it is written in errors. */
function keyText(key: unknown): string {
  const amount = amountOf(key)
  return String(amount ?? key)
}

type Read = (value: unknown) => unknown

/** Reads a field of a value; undefined where it is absent. */
function reader(name: string): Read {
  // Most fields are read of objects of one type.
  let form: ObjectForm | null = null
  let field: FieldForm | undefined
  return (value) => {
    if (value instanceof ObjectValue) {
      if (value.form !== form) {
        form = value.form
        field = form.fields.get(name)
      }
      return field && value.read(field)
    }
    if (value instanceof MapValue) return value.get(name)
    throw noOverload()
  }
}

/** The field of a value, which has to have it. That of an optional value is optional. */
export function fieldOf(operand: Code, name: string): Code {
  const read = reader(name)
  return (frame) => {
    frame.budget.spend(1)
    const value = operand(frame)
    if (value instanceof OptionalValue) return inside(value, read)
    const found = read(value)
    if (found === undefined) throw noKey(name)
    return found
  }
}

function inside(optional: OptionalValue, read: Read): OptionalValue {
  if (optional.value === undefined) return optional
  const found = read(optional.value)
  return found === undefined ? OptionalValue.NONE : new OptionalValue(found)
}

/** Whether a value has a field. */
export function hasField(operand: Code, name: string): Code {
  const read = reader(name)
  return (frame) => {
    const value = operand(frame)
    if (!(value instanceof OptionalValue)) return read(value) !== undefined
    return value.value !== undefined && read(value.value) !== undefined
  }
}

/** The optional field of a value. */
export function optionalField(operand: Code, field: Code): Code {
  return (frame) => {
    frame.budget.spend(1)
    const value = operand(frame)
    const name = field(frame) as string
    const optional = value instanceof OptionalValue ? value : new OptionalValue(value)
    const found = inside(optional, reader(name))
    return found.value instanceof OptionalValue ? found.value : found
  }
}

/** The item or entry of a value; undefined where it is absent. */
function item(value: unknown, index: unknown): unknown {
  if (Array.isArray(value)) {
    const at = amountOf(index)
    if (typeof at === 'number' && !Number.isInteger(at)) {
      throw failure(`unsupported index value: ${at}`)
    }
    if (at === undefined) throw noOverload()
    return at >= 0 && at < value.length ? value[Number(at)] : undefined
  }
  if (value instanceof MapValue) return value.get(index)
  throw noOverload()
}

/** The item of a list or the entry of a map, which has to have it. That of an optional value is optional. */
export function indexed(operand: Code, index: Code): Code {
  return (frame) => {
    frame.budget.spend(1)
    const value = operand(frame)
    const at = index(frame)
    if (value instanceof OptionalValue) return inside(value, (of) => item(of, at))
    const found = item(value, at)
    if (found !== undefined) return found
    if (Array.isArray(value)) throw failure(`index out of bounds: ${keyText(at)}`)
    throw noKey(at)
  }
}

/** The optional item of a list or entry of a map. */
export function optionalIndex(operand: Code, index: Code): Code {
  return (frame) => {
    frame.budget.spend(1)
    const value = operand(frame)
    const at = index(frame)
    const optional = value instanceof OptionalValue ? value : new OptionalValue(value)
    const found = inside(optional, (of) => item(of, at))
    return found.value instanceof OptionalValue ? found.value : found
  }
}
