/**
 * The form of a body: the bytes that all bodies of it have, and places for the values in which they differ.
 *
 * Example: the form of `{"spec":{"renewTime":"…1Z"}}` and `{"spec":{"renewTime":"…2Z"}}` has one place, for the text at
 * `spec`, `renewTime`. A body is recognized by comparing bytes, without parsing it.
 */

/** Steps to a value: names of members, and places of items. */
export type Way = readonly (string | number)[]

/** A place for a text or an integer. */
export interface Place {
  readonly way: Way
  readonly isText: boolean
}

/** A text, number or word in a body, with its bytes. */
interface Scalar extends Place {
  /** Of a text: what is between the quotes. */
  readonly start: number
  readonly end: number
}

/** Most values of a body with a form. */
const MOST_SCALARS = 2_048
const MOST_PLACES = 32
/** Longest value in a place. */
const MOST_CHARACTERS = 512

/** See above. */
export class BodyForm {
  readonly places: readonly Place[]
  /** What is before each place, and behind the last. */
  readonly #fixed: readonly Buffer[]

  private constructor(places: readonly Place[], fixed: readonly Buffer[]) {
    this.places = places
    this.#fixed = fixed
  }

  /** The form of two bodies, with places where they differ; null where more than texts and integers differ, or nothing. */
  static of(one: Buffer, other: Buffer): BodyForm | null {
    const form = BodyForm.ofAll(one, other)
    return form && form.places.length > 0 ? form : null
  }

  /** The same for bodies that may be the same; with all places that a form has which the first one is of. */
  static ofAll(one: Buffer, other: Buffer, known: BodyForm | null = null): BodyForm | null {
    const from = scalarsOf(one)
    const to = from && scalarsOf(other)
    if (!to || from.length !== to.length) return null
    const places: Place[] = []
    const fixed: Buffer[] = []
    let at = 0
    for (const [i, scalar] of to.entries()) {
      const before = from[i]!
      if (before.isText !== scalar.isText || !isSameWay(before.way, scalar.way)) return null
      const isSame = one.compare(other, scalar.start, scalar.end, before.start, before.end) === 0
      if (isSame && known?.places.some(({ way }) => isSameWay(way, scalar.way)) !== true) continue
      if (places.length === MOST_PLACES || !isPlain(other, scalar)) return null
      places.push({ way: scalar.way, isText: scalar.isText })
      fixed.push(Buffer.from(other.subarray(at, scalar.start)))
      at = scalar.end
    }
    fixed.push(Buffer.from(other.subarray(at)))
    const form = new BodyForm(places, fixed)
    return form.read(one) && form.read(other) ? form : null
  }

  /** Bytes that it keeps. */
  get bytes(): number {
    return this.#fixed.reduce((sum, { length }) => sum + length, 0)
  }

  /** The values of a body of this form at its places, in their order; null for other bodies. */
  read(body: Buffer): (string | number)[] | null {
    const { places } = this
    const values: (string | number)[] = []
    let at = 0
    for (let i = 0; i < places.length; i++) {
      const fixed = this.#fixed[i]!
      if (!hasAt(body, fixed, at)) return null
      at += fixed.length
      const { isText } = places[i]!
      const end = isText ? endOfText(body, at) : endOfInteger(body, at)
      if (end === -1) return null
      const text = body.toString('latin1', at, end)
      values.push(isText ? text : Number(text))
      at = end
    }
    const last = this.#fixed[places.length]!
    return body.length === at + last.length && hasAt(body, last, at) ? values : null
  }
}

/** Bytes that are compared one by one: a call of the runtime costs more. */
const FEW_BYTES = 64

function hasAt(body: Buffer, bytes: Buffer, at: number): boolean {
  const { length } = bytes
  if (body.length < at + length) return false
  if (length > FEW_BYTES) return body.compare(bytes, 0, length, at, at + length) === 0
  for (let i = 0; i < length; i++) if (body[at + i] !== bytes[i]) return false
  return true
}

const isSameWay = (a: Way, b: Way): boolean =>
  a.length === b.length && a.every((step, i) => step === b[i])

const isPlain = (body: Buffer, { isText, start, end }: Scalar): boolean =>
  (isText ? endOfText(body, start) : endOfInteger(body, start)) === end

/** Where a text without anything that JSON escapes ends; -1: it has such, or is long. */
function endOfText(body: Buffer, start: number): number {
  const most = Math.min(body.length, start + MOST_CHARACTERS + 1)
  for (let at = start; at < most; at++) {
    const byte = body[at]!
    if (byte === QUOTE) return at
    if (byte < SPACE || byte > TILDE || byte === BACKSLASH) return -1
  }
  return -1
}

/** Where an integer ends that a number holds exactly; -1: there is another value. */
function endOfInteger(body: Buffer, start: number): number {
  let at = start
  const isNegative = body[at] === MINUS
  if (isNegative) at++
  const first = at
  while (at < body.length && body[at]! >= ZERO && body[at]! <= NINE) at++
  const digits = at - first
  if (digits === 0 || digits > 15) return -1
  if (body[first] === ZERO && (digits > 1 || isNegative)) return -1
  return at
}

const SPACE = 0x20
const TILDE = 0x7e
const QUOTE = 0x22
const BACKSLASH = 0x5c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** The values of a JSON text that are no lists and objects, in their order; null where it is unusual, or no JSON. */
function scalarsOf(bytes: Buffer): readonly Scalar[] | null {
  try {
    JSON.parse(bytes.toString())
    return new ScalarReader(bytes.toString('latin1')).all()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Unusual) return null
    throw error
  }
}

class Unusual extends Error {}

/** Deepest nesting that is followed. */
const DEEPEST = 64

/** Reads the values of a text that is known to be JSON. */
class ScalarReader {
  readonly #text: string
  #at = 0
  readonly #way: (string | number)[] = []
  readonly #found: Scalar[] = []

  constructor(text: string) {
    this.#text = text
  }

  all(): readonly Scalar[] {
    this.#value()
    return this.#found
  }

  #value(): void {
    const char = this.#next()
    if (char === '{') this.#members()
    else if (char === '[') this.#items()
    else this.#scalar(char === '"')
  }

  #members(): void {
    this.#enter()
    const names = new Set<string>()
    while (this.#next() !== '}') {
      if (this.#text[this.#at] === ',') this.#at++
      this.#next()
      const name = unescaped(this.#quoted())
      if (names.has(name) || name === '__proto__' || !PLAIN_NAME.test(name)) throw new Unusual()
      names.add(name)
      this.#next()
      this.#at++
      this.#under(name)
    }
    this.#at++
  }

  #items(): void {
    this.#enter()
    for (let i = 0; this.#next() !== ']'; i++) {
      if (this.#text[this.#at] === ',') this.#at++
      this.#under(i)
    }
    this.#at++
  }

  #enter(): void {
    if (this.#way.length > DEEPEST) throw new Unusual()
    this.#at++
  }

  #under(step: string | number): void {
    this.#way.push(step)
    this.#value()
    this.#way.pop()
  }

  #scalar(isText: boolean): void {
    let start = this.#at
    if (isText) {
      this.#quoted()
      start++
    } else while (!ENDS.includes(this.#text[this.#at] ?? ' ')) this.#at++
    const end = isText ? this.#at - 1 : this.#at
    if (this.#found.length === MOST_SCALARS) throw new Unusual()
    this.#found.push({ way: [...this.#way], isText, start, end })
  }

  /** Passes over a text, and returns it with its escapes. */
  #quoted(): string {
    const start = ++this.#at
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    return this.#text.slice(start, this.#at++)
  }

  /** The next character that is no white space. */
  #next(): string {
    while (WHITE.includes(this.#text[this.#at]!)) this.#at++
    return this.#text[this.#at]!
  }
}

const WHITE = ' \t\r\n'
const ENDS = `${WHITE},]}`
const PLAIN_NAME = /^[ -~]*$/

/** A name as it is meant: names of fields that have quotes are common in managedFields. */
const unescaped = (name: string): string =>
  name.includes('\\') ? (JSON.parse(`"${name}"`) as string) : name
