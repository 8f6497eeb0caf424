import type { ValueRoom } from '../meta/value-count.ts'
import type { WrittenNumbers } from './written-numbers.ts'

/** Malformed JSON, or JSON beyond the limits of the server; the message is meant for the client. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
}

/** Maximum nesting of containers; later code recurses and relies on it. */
export const MAX_DEPTH = 512

/** Maximum number of duplicates reported for one text. */
const MAX_DUPLICATES = 100

/** Digits of the largest doubles; longer numbers are refused, which bounds the cost of parsing. */
const MAX_DIGITS = 309

export interface ScanOptions {
  /**
   * Called once for each path that occurs twice, in order of appearance, such as `spec.containers[0].name`. The last
   * value wins in any case.
   */
  readonly onDuplicate?: ((path: string) => void) | undefined
  /** Collects numbers that are written with a fraction or an exponent. */
  readonly written?: WrittenNumbers | undefined
  /** Where there is no room for another value, the text is refused; that of managedFields is separate. */
  readonly room?: DocumentRoom | undefined
}

/** Room for the values of one document. */
export interface DocumentRoom {
  readonly rest: ValueRoom
  readonly entries: ValueRoom
}

/** The text of a duplicate in warnings and strict errors. */
export const duplicateField = (path: string) => `duplicate field "${path}"`

/**
 * Reads JSON strictly and without recursion. Integers beyond 2^53 become `bigint`, keys such as
 * `__proto__` stay plain data, lone surrogates become U+FFFD. Throws JsonError.
 */
export function scanJson(text: string, options: ScanOptions = {}): unknown {
  return new Scanner(text, options).document()
}

interface ArrayFrame {
  readonly kind: 'array'
  readonly value: unknown[]
}

interface ObjectFrame {
  readonly kind: 'object'
  readonly value: Record<string, unknown>
  key: string
}

type Frame = ArrayFrame | ObjectFrame

/** Sets an own data property under any name, including names that a prototype defines. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  } else target[key] = value
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

// Pairs are one character under the u flag.
const LONE_SURROGATE = /\p{Surrogate}/gu

const QUOTE = 0x22
const BACKSLASH = 0x5c

class Scanner {
  readonly #text: string
  readonly #onDuplicate: ((path: string) => void) | undefined
  readonly #written: WrittenNumbers | undefined
  readonly #room: DocumentRoom | undefined
  readonly #reported = new Set<string>()
  readonly #frames: Frame[] = []
  #at = 0

  constructor(text: string, { onDuplicate, written, room }: ScanOptions) {
    this.#text = text
    this.#room = room
    this.#onDuplicate = onDuplicate
    this.#written = written
  }

  document(): unknown {
    const frames = this.#frames
    for (;;) {
      let value = this.#value()
      // A value is complete: add it to its container, and close containers while they end here.
      while (value !== OPENED) {
        const frame = frames.at(-1)
        if (frame === undefined) {
          this.#space()
          if (this.#at < this.#text.length) this.#fail('after top-level value')
          return value
        }
        if (!this.#addAndClose(frame, value)) break
        frames.pop()
        value = frame.value
      }
    }
  }

  /** One scalar, one empty container, or OPENED after the start of a non-empty one. */
  #value(): unknown {
    this.#space()
    switch (this.#text[this.#at]) {
      case '{': {
        const value: Record<string, unknown> = {}
        this.#enter()
        this.#space()
        if (this.#skip('}')) return value
        this.#frames.push({ kind: 'object', value, key: this.#key() })
        return OPENED
      }
      case '[': {
        const value: unknown[] = []
        this.#enter()
        this.#space()
        if (this.#skip(']')) return value
        this.#frames.push({ kind: 'array', value })
        return OPENED
      }
      case '"':
        return this.#string()
      case 't':
        return this.#literal('true', true)
      case 'f':
        return this.#literal('false', false)
      case 'n':
        return this.#literal('null', null)
      default:
        return this.#number()
    }
  }

  /** Adds to the container; true when the container ends after it. */
  #addAndClose(frame: Frame, value: unknown): boolean {
    if (this.#room) takeIn(this.#room, this.#frames)
    if (frame.kind === 'array') {
      frame.value.push(value)
      this.#space()
      if (this.#skip(',')) return false
      if (this.#skip(']')) return true
      return this.#fail('after array element')
    }
    if (Object.hasOwn(frame.value, frame.key)) this.#duplicate()
    setOwn(frame.value, frame.key, value)
    this.#space()
    if (this.#skip('}')) return true
    if (!this.#skip(',')) this.#fail('after object key:value pair')
    this.#space()
    frame.key = this.#key()
    // Number literals of an earlier value under this key do not apply to the one that wins.
    if (this.#written && this.#written.size > 0 && Object.hasOwn(frame.value, frame.key))
      this.#written.forget(this.#place())
    return false
  }

  #key(): string {
    if (this.#text.charCodeAt(this.#at) !== QUOTE) {
      this.#fail('looking for beginning of object key string')
    }
    const key = this.#string()
    this.#space()
    if (!this.#skip(':')) this.#fail('after object key')
    return key
  }

  #string(): string {
    const text = this.#text
    let from = ++this.#at
    let done = ''
    let escaped = false
    for (;;) {
      // Most of a document is inside strings: this loop touches nothing but the text.
      let at = this.#at
      let code = text.charCodeAt(at)
      while (code >= 0x20 && code !== QUOTE && code !== BACKSLASH) code = text.charCodeAt(++at)
      this.#at = at
      if (code === QUOTE) {
        done += text.slice(from, this.#at++)
        return escaped ? done.replaceAll(LONE_SURROGATE, '\ufffd') : done
      }
      if (code !== BACKSLASH) this.#fail('in string literal')
      done += text.slice(from, this.#at++)
      done += this.#escape()
      escaped = true
      from = this.#at
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at] ?? ''
    if (letter === 'u') {
      const start = ++this.#at
      while (this.#at < start + 4) {
        if (!isHex(this.#text.charCodeAt(this.#at))) {
          this.#fail('in \\u hexadecimal character escape')
        }
        this.#at++
      }
      return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#at), 16))
    }
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (character === undefined) this.#fail('in string escape code')
    this.#at++
    return character
  }

  #number(): number | bigint {
    const start = this.#at
    const negative = this.#skip('-')
    if (!isDigit(this.#text.charCodeAt(this.#at))) {
      this.#fail(negative ? 'in numeric literal' : 'looking for beginning of value')
    }
    if (!this.#skip('0')) this.#digits()
    let whole = true
    if (this.#skip('.')) {
      whole = false
      this.#someDigits('after decimal point in numeric literal')
    }
    if (this.#skip('e') || this.#skip('E')) {
      whole = false
      if (!this.#skip('+')) this.#skip('-')
      this.#someDigits('in exponent of numeric literal')
    }
    const literal = this.#text.slice(start, this.#at)
    if (whole && literal.length > 15 && literal.length <= MAX_DIGITS) {
      const exact = BigInt(literal)
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
    }
    if (!whole && this.#written?.hasRoom === true) this.#written.add(this.#place(), literal)
    const value = Number(literal)
    if (!Number.isFinite(value) || (whole && literal.length > MAX_DIGITS)) {
      throw new JsonError(`json: cannot unmarshal number ${shorten(literal)}: out of range`)
    }
    return value
  }

  #someDigits(where: string): void {
    if (!isDigit(this.#text.charCodeAt(this.#at))) this.#fail(where)
    this.#digits()
  }

  #digits(): void {
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #literal<T>(word: string, value: T): T {
    for (let i = 1; i < word.length; i++) {
      if (this.#text[++this.#at] !== word[i]) {
        this.#fail(`in literal ${word} (expecting ${quote(word[i]!)})`)
      }
    }
    this.#at++
    return value
  }

  #enter(): void {
    if (this.#frames.length >= MAX_DEPTH) throw tooDeep()
    this.#at++
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #duplicate(): void {
    if (this.#onDuplicate === undefined || this.#reported.size >= MAX_DUPLICATES) return
    const path = this.#path()
    if (this.#reported.has(path)) return
    this.#reported.add(path)
    this.#onDuplicate(path)
  }

  #place(): (string | number)[] {
    return this.#frames.map((frame) => (frame.kind === 'array' ? frame.value.length : frame.key))
  }

  /** The current path: the index of an array frame is that of the element being read. */
  #path(): string {
    let path = ''
    for (const frame of this.#frames) {
      if (frame.kind === 'array') path += `[${frame.value.length}]`
      else path += path === '' ? frame.key : `.${frame.key}`
    }
    return path
  }

  #fail(where: string): never {
    const code = this.#text.codePointAt(this.#at)
    if (code === undefined) throw new JsonError('unexpected end of JSON input')
    throw new JsonError(`invalid character ${quote(String.fromCodePoint(code))} ${where}`)
  }
}

function takeIn({ rest, entries }: DocumentRoom, frames: readonly Frame[]): void {
  const [first, second] = frames
  const isEntry =
    frames.length > 2 &&
    first!.kind === 'object' &&
    first!.key === 'metadata' &&
    second!.kind === 'object' &&
    second!.key === 'managedFields'
  ;(isEntry ? entries : rest).take()
}

const OPENED = Symbol('a container was opened')

/** The error for text nested deeper than MAX_DEPTH. */
export const tooDeep = () => new JsonError(`exceeded max depth: limit is ${MAX_DEPTH}`)

const isDigit = (code: number) => code >= 0x30 && code <= 0x39

const isHex = (code: number) =>
  isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)

const shorten = (literal: string) => (literal.length > 40 ? `${literal.slice(0, 40)}...` : literal)

const NAMED: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\x07': '\\a',
}

function quote(character: string): string {
  const named = NAMED[character]
  if (named !== undefined) return `'${named}'`
  const code = character.codePointAt(0)!
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`
  if (/[\p{C}\p{Z}]/u.test(character) && character !== ' ') {
    return `'\\u${code.toString(16).padStart(4, '0')}'`
  }
  return `'${character}'`
}
