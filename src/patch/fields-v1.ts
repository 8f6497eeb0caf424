/**
 * The JSON form of field sets in `metadata.managedFields[].fieldsV1`: one member for each step, `.` for a path that ends
 * where others lead on, `{}` for one from which none does.
 */
import { JsonError, parseJson } from '../codec/json-text.ts'
import {
  fieldElement,
  indexElement,
  keyElement,
  type PathElement,
  valueElement,
} from './field-path.ts'
import { type FieldNode, FieldSet } from './field-set.ts'
import { isObject, type JsonObject } from './json-value.ts'

/** A set in its JSON form that cannot be read. */
export class FieldsV1Error extends Error {
  override readonly name = 'FieldsV1Error'
}

/** The JSON form of a set; members are in the order that clients expect. */
export function toFieldsV1(set: FieldSet): JsonObject {
  return writtenInto({}, set)
}

function writtenInto(out: JsonObject, set: FieldSet): JsonObject {
  for (const { element, member, below } of set.sorted()) {
    // A text starts with a letter and a colon, so it is no name that objects inherit.
    out[element.text] = below.isEmpty ? {} : writtenInto(member ? { '.': {} } : {}, below)
  }
  return out
}

/** Reads the JSON form; steps of unknown kinds are left out. Throws FieldsV1Error. */
export function fromFieldsV1(value: unknown): FieldSet {
  return read(value).below
}

type Part = Pick<FieldNode, 'member' | 'below'>

const WHOLE: Part = { member: true, below: FieldSet.empty }

function read(value: unknown): Part {
  if (value === null) return WHOLE
  if (!isObject(value)) throw new FieldsV1Error('a set of fields must be an object')
  let member = false
  let empty = true
  const nodes: FieldNode[] = []
  for (const text of Object.keys(value)) {
    if (text === '.') {
      member = true
      continue
    }
    const element = elementOf(text)
    if (!element) continue
    empty = false
    const inner = read(value[text])
    nodes.push({ element, member: inner.member, below: inner.below })
  }
  return empty ? WHOLE : { member, below: FieldSet.of(nodes) }
}

const INDEX = /^-?[0-9]{1,15}$/

/** Cache of steps by their texts: objects of one kind have similar ones, and those with keys are slow to parse. */
const known = new Map<string, PathElement>()
const MAX_KNOWN = 4096
const MAX_KNOWN_LENGTH = 128

/** The step that a text encodes; null: one of an unknown kind. Throws FieldsV1Error. */
export function elementOf(text: string): PathElement | null {
  const found = known.get(text)
  if (found) return found
  const element = parsed(text)
  if (element && text.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(text, element)
  }
  return element
}

function parsed(text: string): PathElement | null {
  if (text[1] !== ':') throw new FieldsV1Error(`no colon after the kind of step: ${text}`)
  const rest = text.slice(2)
  switch (text[0]) {
    case 'f':
      return fieldElement(rest)
    case 'k': {
      const fields = json(rest)
      if (!isObject(fields)) throw new FieldsV1Error(`keys must be an object: ${text}`)
      return keyElement(Object.entries(fields))
    }
    case 'v':
      return valueElement(json(rest))
    case 'i':
      if (!INDEX.test(rest)) throw new FieldsV1Error(`not a place in a list: ${text}`)
      return indexElement(Number(rest))
    default:
      return null
  }
}

function json(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new FieldsV1Error(`not JSON: ${text}`, { cause: error })
  }
}
