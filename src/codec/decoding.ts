/** What all decoders share: the state of one decoding, its errors, and small questions about JSON values. */
import { shortened } from '../base/short-text.ts'
import type { WrittenNumbers } from './written-numbers.ts'

export type JsonObject = Record<string, unknown>

/** A body that does not fit its declaration; the message names the field. */
export class DecodeError extends Error {
  constructor(path: readonly (string | number)[], what: string) {
    super(path.length === 0 ? what : `${pathText(path)}: ${what}`)
    this.name = 'DecodeError'
  }
}

/** Maximum characters of a number in a message. */
const MAX_NUMBER = 40

/** State of one decoding: the current path, and the unknown fields found. */
export class Decoding {
  readonly path: (string | number)[] = []
  /** Paths of unknown fields, at most 100; they are dropped from the result. */
  readonly unknown: string[] = []
  /** Whether absent fields get their declared defaults. */
  readonly fills: boolean
  /** Whether a client sent the value, which is refused where a stored one would lose what does not fit. */
  readonly isRequest: boolean
  /** Whether null stays where it is none of the values, for validation to report. */
  readonly keepsNull: boolean
  /** Values that the result may still get, in a decoding with a limit. */
  room: number
  readonly #written: WrittenNumbers | null

  constructor(
    options: {
      readonly fills?: boolean
      readonly written?: WrittenNumbers | undefined
      /** Maximum values of the result, where defaults are those of users. */
      readonly most?: number
      readonly isRequest?: boolean
      readonly keepsNull?: boolean
    } = {},
  ) {
    this.fills = options.fills ?? true
    this.isRequest = options.isRequest ?? false
    this.keepsNull = options.keepsNull ?? false
    const { written, most = Infinity } = options
    this.room = most
    this.#written = written !== undefined && written.size > 0 ? written : null
  }

  /** Whether there are literals of numbers to look at. */
  get hasWritten(): boolean {
    return this.#written !== null
  }

  /** The literal of the number at this path, if it has a fraction or an exponent. */
  writtenHere(): string | undefined {
    return this.#written?.at(this.path)
  }

  /** Integers must not be written with a fraction or exponent, even with an integral value. Throws DecodeError. */
  refuseFraction(): void {
    const written = this.#written === null ? undefined : this.writtenHere()
    if (written !== undefined)
      throw this.failure(`expected an integer, found the number ${shortened(written, MAX_NUMBER)}`)
  }

  /** The error to throw at this path. */
  failure(what: string): DecodeError {
    return new DecodeError(this.path, what)
  }
  unknownField(name: string): void {
    if (this.unknown.length < 100) this.unknown.push(pathText([...this.path, name]))
  }
}

/** Whether a value is the zero of its type. */
export function isEmpty(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === 0n) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.length === 0
  for (const key in value) if (Object.hasOwn(value, key)) return false
  return true
}

/** What kind of JSON value it is, for messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return 'a string'
    case 'number':
    case 'bigint':
      return Number.isInteger(Number(value)) ? 'a number' : `the number ${String(value)}`
    case 'boolean':
      return 'a boolean'
    default:
      return 'an object'
  }
}

/** Maximum UTF-16 units of a reported path: it contains names from the client. */
const MAX_PATH = 1024

function pathText(path: readonly (string | number)[]): string {
  let out = ''
  for (const p of path) {
    if (out.length > MAX_PATH) break
    out += typeof p === 'number' ? `[${p}]` : out === '' ? p : `.${p}`
  }
  return shortened(out, MAX_PATH)
}

/** The member names of an object in UTF-16 order; most are in order already. */
export function sortedKeys(object: object): string[] {
  const keys = Object.keys(object)
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort()
  return keys
}

/** Defines a member with a user-chosen name: an assignment to __proto__ would set the prototype. */
export function put(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, {
      ...{ value, enumerable: true, writable: true, configurable: true },
    })
  else object[key] = value
}
