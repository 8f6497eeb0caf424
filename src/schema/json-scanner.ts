/**
 * A strict JSON reader without recursion, for what JSON.parse does not tell: repeated keys with their paths,
 * integers beyond 2^53, and errors in stable words.
 */
export interface ScanOptions {
  /** Called with the path of each repeated key, such as `spec.a[0].b`. The last value wins. */
  readonly onDuplicate?: (path: string) => void
}

const MAX_DEPTH = 512

interface Open {
  readonly value: Record<string, unknown> | unknown[]
  /** Key that the next value belongs to; null in lists. */
  key: string | null
}

/** Reads JSON text (RFC 8259). Throws an Error named JsonError. */
export function scanJson(text: string, options: ScanOptions = {}): unknown {
  return new Scanner(text, options).run()
}

class Scanner {
  readonly #text: string
  readonly #options: ScanOptions
  #at = 0
  readonly #open: Open[] = []

  constructor(text: string, options: ScanOptions) {
    this.#text = text
    this.#options = options
  }

  run(): unknown {
    let value = this.#begin()
    for (;;) {
      // A value was read, or a container opened: give it to the innermost open one, or end.
      while (value !== OPENED) {
        const inner = this.#open.at(-1)
        if (!inner) {
          this.#space()
          if (this.#at < this.#text.length) throw this.#unexpected('after top-level value')
          return value
        }
        this.#put(inner, value)
        value = this.#afterItem(inner)
        if (value === NEXT) break
      }
      value = this.#begin()
    }
  }

  /** Reads one value; a container that is not empty is opened and its content comes next. */
  #begin(): unknown {
    this.#space()
    const char = this.#text[this.#at]
    if (char === '{' || char === '[') {
      this.#at++
      if (this.#open.length >= MAX_DEPTH) throw jsonError('exceeded max depth')
      const list = char === '['
      this.#space()
      if (this.#text[this.#at] === (list ? ']' : '}')) {
        this.#at++
        return list ? [] : {}
      }
      const open: Open = { value: list ? [] : {}, key: null }
      this.#open.push(open)
      if (!list) this.#key(open)
      return OPENED
    }
    if (char === '"') return this.#string()
    if (char === '-' || (char !== undefined && char >= '0' && char <= '9')) return this.#number()
    for (const [word, value] of WORDS) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length
        return value
      }
    }
    throw this.#unexpected('looking for beginning of value')
  }

  /** What follows an item: NEXT when another comes, the container itself when it ends. */
  #afterItem(inner: Open): unknown {
    this.#space()
    const char = this.#text[this.#at]
    const list = Array.isArray(inner.value)
    if (char === ',') {
      this.#at++
      if (!list) this.#key(inner)
      return NEXT
    }
    if (char === (list ? ']' : '}')) {
      this.#at++
      this.#open.pop()
      return inner.value
    }
    throw this.#unexpected(list ? 'after array element' : 'after object key:value pair')
  }

  #key(open: Open): void {
    this.#space()
    if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string')
    const key = this.#string()
    this.#space()
    if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key')
    this.#at++
    open.key = key
    if (this.#options.onDuplicate && Object.hasOwn(open.value, key)) this.#options.onDuplicate(this.#path())
  }

  #put(inner: Open, value: unknown): void {
    if (Array.isArray(inner.value)) inner.value.push(value)
    else if (inner.key === '__proto__') {
      Object.defineProperty(inner.value, '__proto__', { value, writable: true, enumerable: true, configurable: true })
    } else inner.value[inner.key!] = value
  }

  #path(): string {
    let path = ''
    for (const { value, key } of this.#open) {
      if (Array.isArray(value)) path += `[${value.length}]`
      else path += path === '' ? key! : `.${key!}`
    }
    return path
  }

  #string(): string {
    const start = this.#at
    let i = start + 1
    for (;;) {
      const code = this.#text.charCodeAt(i)
      if (Number.isNaN(code)) throw jsonError('unexpected end of JSON input')
      if (code === 0x22) break
      if (code < 0x20) {
        this.#at = i
        throw this.#unexpected('in string literal')
      }
      i += code === 0x5c ? 2 : 1
    }
    this.#at = i + 1
    const literal = this.#text.slice(start, this.#at)
    if (!literal.includes('\\')) return literal.slice(1, -1)
    try {
      return JSON.parse(literal) as string
    } catch {
      throw jsonError('invalid character in string escape code')
    }
  }

  #number(): number | bigint {
    NUMBER.lastIndex = this.#at
    const match = NUMBER.exec(this.#text)
    if (!match) {
      this.#at++
      throw this.#unexpected('in numeric literal')
    }
    this.#at = NUMBER.lastIndex
    const value = Number(match[0])
    if (match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(value)) return BigInt(match[0])
    return value
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #unexpected(where: string): Error {
    const point = this.#text.codePointAt(this.#at)
    if (point === undefined) return jsonError('unexpected end of JSON input')
    const char = String.fromCodePoint(point)
    const shown = char === "'" ? String.raw`'\''` : char === '"' ? `'"'` : `'${JSON.stringify(char).slice(1, -1)}'`
    return jsonError(`invalid character ${shown} ${where}`)
  }
}

const OPENED = Symbol('opened')
const NEXT = Symbol('next')
const WORDS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y

function jsonError(message: string): Error {
  const error = new Error(message)
  error.name = 'JsonError'
  return error
}
