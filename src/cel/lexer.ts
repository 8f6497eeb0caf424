/** Divides the source of an expression into tokens. */
import type { SourceErrors } from './source-errors.ts'

/** Kinds of tokens. Operators, punctuation and reserved words are kinds of their own. */
export type TokenKind =
  | 'IDENTIFIER'
  | 'NUM_INT'
  | 'NUM_UINT'
  | 'NUM_FLOAT'
  | 'STRING'
  | 'BYTES'
  | '<EOF>'
  | (string & {})

/** A token, from `at` to `end` of the source. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly at: number
}

const SPACE = /(?:[\t\n\f\r ]+|\/\/[^\n]*)+/y
const NUMBER =
  /(?<float>\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(?<int>0x[0-9a-fA-F]+|\d+)(?<unsigned>[uU]?)/y
const QUOTED = /(?<bytes>[bB]?)(?<raw>[rR]?)(?<quote>"""|'''|"|')/y
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const ESCAPED_NAME = /`[A-Za-z0-9_.\-/ ]+`/y
const SIGN = /==|!=|<=|>=|&&|\|\||[<>()[\]{}.,\-!?:+*/%]/y

const KEYWORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null'])

/** Takes the next token each time; faults are reported and skipped. */
export class Lexer {
  readonly #source: string
  readonly #errors: SourceErrors
  readonly #takesEscapedNames: boolean
  #at = 0

  /** Names in back quotes are taken where fields may have them. */
  constructor(source: string, errors: SourceErrors, takesEscapedNames: boolean) {
    this.#source = source
    this.#errors = errors
    this.#takesEscapedNames = takesEscapedNames
  }

  /** The next token. */
  next(): Token {
    for (;;) {
      this.#match(SPACE)
      if (this.#at >= this.#source.length) return { kind: '<EOF>', text: '<EOF>', at: this.#at }
      const token = this.#quoted() ?? this.#number() ?? this.#word() ?? this.#sign()
      if (token) return token
      this.#skip()
    }
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #quoted(): Token | null {
    const at = this.#at
    const found = this.#match(QUOTED)
    if (!found) return null
    const { bytes, raw, quote = '' } = found.groups!
    const end = this.#endOf(quote, raw !== '')
    if (end < 0) {
      this.#at = at
      return null
    }
    this.#at = end
    return { kind: bytes === '' ? 'STRING' : 'BYTES', text: this.#source.slice(at, end), at }
  }

  /** Index behind the closing quote; -1 without one. */
  #endOf(quote: string, isRaw: boolean): number {
    const source = this.#source
    const isShort = quote.length === 1
    for (let i = this.#at; i < source.length; i++) {
      if (source.startsWith(quote, i)) return i + quote.length
      const char = source[i]
      if (isShort && (char === '\n' || char === '\r')) return -1
      if (char === '\\' && !isRaw) i++
    }
    return -1
  }

  #number(): Token | null {
    const at = this.#at
    const found = this.#match(NUMBER)
    if (!found) return null
    const { float, unsigned } = found.groups!
    const kind = float !== undefined ? 'NUM_FLOAT' : unsigned === '' ? 'NUM_INT' : 'NUM_UINT'
    return { kind, text: found[0], at }
  }

  #word(): Token | null {
    const at = this.#at
    const found = this.#match(WORD) ?? (this.#takesEscapedNames ? this.#match(ESCAPED_NAME) : null)
    if (!found) return null
    const [text] = found
    if (text.startsWith('`')) return { kind: 'ESC_IDENTIFIER', text, at }
    return { kind: KEYWORDS.has(text) ? text : 'IDENTIFIER', text, at }
  }

  #sign(): Token | null {
    const at = this.#at
    const found = this.#match(SIGN)
    return found && { kind: found[0], text: found[0], at }
  }

  /** Skips what is no token. */
  #skip(): void {
    const at = this.#at
    const rest = this.#source.slice(at, at + 2)
    const char = String.fromCodePoint(rest.codePointAt(0) ?? 0)
    this.#at += char.length
    // A sign that is half of another one takes the next character with it.
    const isHalf = char === '|' || char === '&' || char === '='
    const isOpen = char === '"' || char === "'"
    const shown = isOpen ? this.#restOfLine(at) : isHalf ? rest : char
    this.#at = at + shown.length
    this.#errors.report(at, `Syntax error: token recognition error at: '${shown}'`)
  }

  #restOfLine(at: number): string {
    const end = this.#source.indexOf('\n', at)
    return this.#source.slice(at, end < 0 ? undefined : end)
  }
}
