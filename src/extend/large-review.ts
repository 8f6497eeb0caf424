/**
 * Reads the response of a conversion webhook. The objects in it may have as many bytes as a large list: they are found
 * in steps and parsed one by one.
 */
import type { Steps } from '../base/steps.ts'
import type { JsonObject } from '../codec/codec.ts'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../codec/json-bytes.ts'
import { containerEnd } from '../codec/json-skip.ts'
import { JsonError, parseJson } from '../codec/json-text.ts'
import { isMap } from './schema-values.ts'

/** A smaller response is parsed at once. */
const SMALL_BYTES = 256 << 10
/** Maximum size of one object, and of all that is no object. */
const MOST_BYTES = 8 << 20
/** Bytes that are looked at in one step. */
const STEP_BYTES = 1 << 20

/** A response. */
export interface Review {
  /** All but the objects. */
  readonly document: unknown
  readonly count: number
  /** Parses an object. Throws JsonError. */
  object(i: number): unknown
}

/** Throws JsonError. */
export function* reviewIn(bytes: Buffer): Steps<Review> {
  if (bytes.length <= SMALL_BYTES) return wholeReview(parseJson(bytes))
  const scan = new Scan(bytes)
  yield* scan.members('response', () => scan.members('convertedObjects', () => scan.items()))
  scan.end()
  const { list } = scan
  const document = parseJson(list ? without(bytes, list) : bounded(bytes))
  const places = list?.places ?? []
  return {
    document,
    count: places.length / 2,
    object: (i) => parseJson(bytes.subarray(places[2 * i], places[2 * i + 1])),
  }
}

function wholeReview(document: unknown): Review {
  const response = isMap(document) ? document['response'] : null
  const given = isMap(response) ? response['convertedObjects'] : null
  const objects: readonly unknown[] = Array.isArray(given) ? given : []
  return { document, count: objects.length, object: (i) => objects[i] as JsonObject }
}

/** A list in the bytes, with where each of its items begins and ends. */
interface List {
  readonly from: number
  readonly to: number
  readonly places: readonly number[]
}

const without = (bytes: Buffer, { from, to }: List): Buffer =>
  bounded(bytes.subarray(0, from), Buffer.from('[]'), bytes.subarray(to))

function bounded(...parts: readonly Buffer[]): Buffer {
  if (parts.reduce((sum, { length }) => sum + length, 0) > MOST_BYTES) throw tooLarge()
  return Buffer.concat(parts)
}

const tooLarge = () => new JsonError(`a part of it is larger than ${MOST_BYTES} bytes`)

/** Finds members and items, without parsing what is in them: what is malformed inside fails when it is parsed. */
class Scan {
  /** The last list that was found: of members with the same name, the last one counts. */
  list: List | null = null
  readonly #bytes: Buffer
  #at = 0
  #stepAt = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Passes over a value, and over its members of a name with `inside`. */
  *members(name: string, inside: () => Steps<void>): Steps<void> {
    if (this.#next() !== OPEN_OBJECT) return this.#skip()
    // The last member of a name hides those before it.
    this.list = null
    const wanted = JSON.stringify(name)
    this.#at++
    if (this.#closes(CLOSE_OBJECT)) return
    for (;;) {
      if (this.#next() !== QUOTE) throw this.#malformed()
      const from = this.#at
      this.#skip()
      const isWanted =
        this.#bytes.toString('latin1', from, Math.min(this.#at, from + 64)) === wanted
      if (this.#next() !== COLON) throw this.#malformed()
      this.#at++
      if (isWanted) yield* inside()
      else this.#skip()
      if (this.#isLongStep()) yield
      if (this.#closes(CLOSE_OBJECT)) return
      if (this.#next() !== COMMA) throw this.#malformed()
      this.#at++
    }
  }

  /** Passes over a value, and keeps the places of its items. */
  *items(): Steps<void> {
    this.list = null
    if (this.#next() !== OPEN_LIST) return this.#skip()
    const from = this.#at++
    const places: number[] = []
    for (let closed = this.#closes(CLOSE_LIST); !closed; closed = this.#closes(CLOSE_LIST)) {
      if (places.length > 0) {
        if (this.#next() !== COMMA) throw this.#malformed()
        this.#at++
      }
      this.#next()
      places.push(this.#at)
      this.#skip()
      places.push(this.#at)
      if (this.#isLongStep()) yield
    }
    this.list = { from, to: this.#at, places }
  }

  /** Throws when there is more. */
  end(): void {
    if (this.#next() !== undefined) throw this.#malformed()
  }

  #isLongStep(): boolean {
    if (this.#at - this.#stepAt < STEP_BYTES) return false
    this.#stepAt = this.#at
    return true
  }

  #closes(bracket: number): boolean {
    if (this.#next() !== bracket) return false
    this.#at++
    return true
  }

  /** The next byte that is no white space. */
  #next(): number | undefined {
    const bytes = this.#bytes
    for (; ; this.#at++) {
      const byte = bytes[this.#at]
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    }
  }

  /** Passes over a value. */
  #skip(): void {
    const first = this.#next()
    const from = this.#at
    const part = this.#bytes.subarray(0, from + MOST_BYTES)
    if (first === OPEN_OBJECT || first === OPEN_LIST) this.#at = containerAfter(part, from)
    else if (first === QUOTE) this.#at = textAfter(part, from)
    else {
      while (this.#at < part.length && isPlain(part[this.#at]!)) this.#at++
      if (this.#at === from) throw this.#malformed()
    }
  }

  #malformed(): JsonError {
    return this.#at < this.#bytes.length
      ? new JsonError(`it is malformed at byte ${this.#at}`)
      : new JsonError('it ends early')
  }
}

function containerAfter(bytes: Buffer, from: number): number {
  try {
    return containerEnd(bytes, from)
  } catch {
    throw endsEarly(bytes, from)
  }
}

function textAfter(bytes: Buffer, from: number): number {
  for (let at = from + 1; ; at++) {
    at = bytes.indexOf(QUOTE, at)
    if (at < 0) throw endsEarly(bytes, from)
    let slashes = 0
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

/** A value without an end within what may be looked at. */
const endsEarly = (bytes: Buffer, from: number): JsonError =>
  bytes.length - from < MOST_BYTES ? new JsonError('it ends early') : tooLarge()

/** Bytes of numbers and literals. */
const isPlain = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x2b ||
  byte === 0x2e ||
  byte === 0x45
