/**
 * Objects that parse their JSON lazily: a field is located on first access, and other fields are skipped without being
 * parsed. Tables show a few fields of thousands of objects.
 */
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts'
import { textEnd } from './json-skip.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Holds, Shape } from '../notation/shape.ts'

type Words = Pick<Vocabulary, 'resolve'>

/** An object inside a document whose start and end in bytes are known. */
export interface KnownObject {
  readonly from: number
  readonly to: number
  /** The last field of the object. */
  readonly last: string
}

/**
 * A view of the JSON object in `bytes`, with the declared fields of its shape, as JSON.parse would return them; keys,
 * spreading and JSON.stringify may not show them. Lists and maps are real ones. The JSON must have the format of
 * JSON.stringify. The known object in it is skipped at once.
 */
export function viewJson(shape: Shape, v: Words, bytes: Buffer, known?: KnownObject): object {
  if (bytes.length < WORTH_IT) return JSON.parse(bytes.toString('utf8')) as object
  return new (viewClass(shape, v))(new Source(bytes, known), 0)
}

/** Number of members of the map or list in a field; 0 when it is absent. */
export function sizeOf<T extends object>(object: T, field: keyof T & string): number {
  if (object instanceof JsonView) return object.sizeOf(field)
  const value: unknown = object[field]
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0
}

/** Shorter documents are parsed faster as a whole. */
const WORTH_IT = 1024

/** Of longer documents parts are decoded to text one by one. */
const MAX_TEXT = 16_384

/** One document. */
class Source {
  readonly bytes: Buffer
  readonly known: KnownObject | undefined
  /** The whole text, when each byte is one character; empty: parts are decoded one by one. */
  #text: string | null = null

  constructor(bytes: Buffer, known?: KnownObject) {
    this.bytes = bytes
    this.known = known
  }

  slice(from: number, to: number): string {
    let text = this.#text
    if (text === null) {
      const { bytes } = this
      text = bytes.length > MAX_TEXT ? '' : bytes.toString('utf8')
      if (text.length !== bytes.length) text = ''
      this.#text = text
    }
    return text === '' ? this.bytes.toString('utf8', from, to) : text.slice(from, to)
  }
}

/** How to make the values of a field. */
interface Member {
  readonly make: (source: Source, from: number, to: number) => unknown
  /** Whether making the value requires its end. */
  readonly needsEnd: boolean
}

/** A field found in the text. */
interface Found {
  readonly nameFrom: number
  readonly nameTo: number
  readonly from: number
  /** Negative until needed. */
  to: number
  value: unknown
}

/** Placeholder for a value that is not made yet. */
const UNMADE = Symbol('unmade')

class JsonView {
  readonly #source: Source
  /** Fields in the order of the text, up to the current position. */
  readonly #found: Found[] = []
  /** Offset of the first key. */
  readonly #start: number
  #isWhole = false

  constructor(source: Source, from: number) {
    this.#source = source
    this.#start = from + 1
  }

  valueNamed(name: Uint8Array, { make, needsEnd }: Member): unknown {
    const field = this.#field(name)
    if (field === null) return undefined
    if (field.value === UNMADE) {
      field.value = make(this.#source, field.from, needsEnd ? this.#end(field) : -1)
    }
    return field.value
  }

  sizeOf(name: string): number {
    const field = this.#field(nameBytes(name))
    if (field === null) return 0
    const { bytes } = this.#source
    const first = bytes[field.from]
    if (first !== OPEN_OBJECT && first !== OPEN_LIST) return 0
    const { members, to } = measured(bytes, field.from)
    field.to = to
    return members
  }

  #field(name: Uint8Array): Found | null {
    const { bytes } = this.#source
    for (const field of this.#found) {
      if (isNamed(bytes, field, name)) return field
    }
    while (!this.#isWhole) {
      const field = this.#next(bytes)
      if (field !== null && isNamed(bytes, field, name)) return field
    }
    return null
  }

  /** Advances to the next field; null at the end. */
  #next(bytes: Buffer): Found | null {
    const found = this.#found
    let at = found.length === 0 ? this.#start : this.#end(found[found.length - 1]!)
    if (bytes[at] === CLOSE_OBJECT) {
      this.#isWhole = true
      return null
    }
    if (found.length > 0 && bytes[at++] !== COMMA) throw damaged()
    if (bytes[at] !== QUOTE) throw damaged()
    const nameTo = textEnd(bytes, at) - 1
    if (bytes[nameTo + 1] !== COLON) throw damaged()
    const from = nameTo + 2
    const field: Found = { nameFrom: at + 1, nameTo, from, to: -1, value: UNMADE }
    const { known } = this.#source
    if (known !== undefined) {
      if (known.from === from) field.to = known.to
      else if (known.from === this.#start - 1 && isNamed(bytes, field, nameBytes(known.last))) {
        field.to = known.to - 1
      }
    }
    found.push(field)
    return field
  }

  #end(field: Found): number {
    if (field.to < 0) {
      const { value } = field
      const { bytes } = this.#source
      field.to = value instanceof JsonView ? value.#finish(bytes) : valueEnd(bytes, field.from)
    }
    return field.to
  }

  /** Advances to the end and returns its offset; text that was read already is not read again. */
  #finish(bytes: Buffer): number {
    while (!this.#isWhole) this.#next(bytes)
    const last = this.#found.at(-1)
    return (last ? last.to : this.#start) + 1
  }
}

function isNamed(bytes: Uint8Array, { nameFrom, nameTo }: Found, name: Uint8Array): boolean {
  if (nameTo - nameFrom !== name.length) return false
  for (let i = 0; i < name.length; i++) if (bytes[nameFrom + i] !== name[i]) return false
  return true
}

const names = new Map<string, Uint8Array>()

/** A name as bytes of a document; for declared fields only, so that there are not many. */
function nameBytes(name: string): Uint8Array {
  let bytes = names.get(name)
  if (!bytes) names.set(name, (bytes = Uint8Array.from(Buffer.from(name))))
  return bytes
}

type ViewClass = new (source: Source, from: number) => JsonView

const classes = new WeakMap<Words, WeakMap<Shape, ViewClass>>()

function viewClass(shape: Shape, v: Words): ViewClass {
  let ofWords = classes.get(v)
  if (!ofWords) classes.set(v, (ofWords = new WeakMap()))
  let found = ofWords.get(shape)
  if (!found) ofWords.set(shape, (found = makeClass(shape, v)))
  return found
}

function makeClass(shape: Shape, v: Words): ViewClass {
  const View = class extends JsonView {}
  const add = (name: string, member: Member) => {
    const bytes = nameBytes(name)
    Object.defineProperty(View.prototype, name, {
      get(this: JsonView) {
        return this.valueNamed(bytes, member)
      },
    })
  }
  if (shape.typed) for (const name of ['kind', 'apiVersion']) add(name, STRING)
  const collect = ({ fields }: Shape) => {
    for (const [name, { holds, inline }] of fields) {
      if (inline && holds.is === 'object') collect(holds.to())
      else add(v.resolve(name), memberOf(holds, v))
    }
  }
  collect(shape)
  return View
}

function memberOf(holds: Holds, v: Words): Member {
  if (holds.is === 'object') return { make: objectMaker(holds.to, v), needsEnd: false }
  if (holds.is === 'list' && holds.of.is === 'object') {
    return { make: listMaker(objectMaker(holds.of.to, v)), needsEnd: false }
  }
  return holds.is === 'string' ? STRING : PLAIN
}

function objectMaker(shape: () => Shape, v: Words): Member['make'] {
  // Resolved lazily: a shape may be recursive.
  let View: ViewClass | null = null
  // A value that is not an object can only be null.
  return (source, from) =>
    source.bytes[from] === OPEN_OBJECT ? new (View ??= viewClass(shape(), v))(source, from) : null
}

const listMaker =
  (item: Member['make']): Member['make'] =>
  (source, from) => {
    const { bytes } = source
    if (bytes[from] !== OPEN_LIST) return null
    const list: unknown[] = []
    let at = from + 1
    while (bytes[at] !== CLOSE_LIST) {
      list.push(item(source, at, -1))
      at = valueEnd(bytes, at)
      if (bytes[at] === COMMA) at++
    }
    return list
  }

const PLAIN: Member = {
  make: (source, from, to) => JSON.parse(source.slice(from, to)) as unknown,
  needsEnd: true,
}

/** Longer strings are parsed by JSON.parse. */
const SHORT = 24

const STRING: Member = {
  make(source, from, to) {
    const { bytes } = source
    if (bytes[from] !== QUOTE || to - from > SHORT) return PLAIN.make(source, from, to)
    for (let at = from + 1; at < to - 1; at++) {
      if (bytes[at] === BACKSLASH) return PLAIN.make(source, from, to)
    }
    return source.slice(from + 1, to - 1)
  },
  needsEnd: true,
}

/** Number of members of the object or list at an offset, and its end. */
function measured(bytes: Buffer, from: number): { readonly members: number; readonly to: number } {
  const isObject = bytes[from] === OPEN_OBJECT
  const close = isObject ? CLOSE_OBJECT : CLOSE_LIST
  let at = from + 1
  if (bytes[at] === close) return { members: 0, to: at + 1 }
  for (let members = 1; ; members++) {
    if (isObject) at = textEnd(bytes, at) + 1
    at = valueEnd(bytes, at)
    if (bytes[at++] === close) return { members, to: at }
  }
}

/** End of the value at an offset. */
function valueEnd(bytes: Buffer, from: number): number {
  if (bytes[from] === QUOTE) return textEnd(bytes, from)
  const { length } = bytes
  let depth = 0
  for (let at = from; at < length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = textEnd(bytes, at) - 1
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      // A number or a word ends with its container.
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (byte === COMMA && depth === 0) return at
  }
  throw damaged()
}

const damaged = () => new Error('a stored object is not the JSON that was written')
