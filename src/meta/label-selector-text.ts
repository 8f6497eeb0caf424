import { renderValue } from './field-errors.ts'
import { isQualifiedName } from './names.ts'
import { SelectorError } from './selector-error.ts'

/** The operator of a condition on a label. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

/** `word` is a key or value; an operator word (`in`, `notin`) can be one as well. */
type TokenKind =
  | 'word'
  | 'in'
  | 'notin'
  | '='
  | '=='
  | '!='
  | '!'
  | '('
  | ')'
  | ','
  | '>'
  | '<'
  | 'end'

interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const END: Token = { kind: 'end', text: '' }
const SPACE = /[ \t\r\n]*/y
const SIGN = /==|!=|[=!(),<>]/y
const WORD = /[^ \t\r\n=!(),<>]+/y

/** Splits a selector into tokens, with one token of lookahead. */
class Tokens {
  readonly #text: string
  #at = 0
  #ahead: Token | null = null

  constructor(text: string) {
    this.#text = text
  }

  /** The next token as key or value, not consumed. */
  peek(): TokenKind {
    this.#ahead ??= this.#scan()
    return asWord(this.#ahead).kind
  }
  /** The text of the next token, not consumed. */
  peekText(): string {
    this.#ahead ??= this.#scan()
    return this.#ahead.text
  }
  /** Consumes the next token as key or value. */
  take(): Token {
    return asWord(this.takeOperator())
  }
  /** Consumes the next token, in which `in` and `notin` are operators. */
  takeOperator(): Token {
    const token = this.#ahead ?? this.#scan()
    this.#ahead = null
    return token
  }

  #scan(): Token {
    this.#match(SPACE)
    const sign = this.#match(SIGN)
    if (sign !== '') return { kind: sign as TokenKind, text: sign }
    const word = this.#match(WORD)
    if (word === '') return END
    return { kind: word === 'in' || word === 'notin' ? word : 'word', text: word }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }
}

const asWord = (token: Token): Token =>
  token.kind === 'in' || token.kind === 'notin' ? { kind: 'word', text: token.text } : token

/** Checks a condition and converts it to its final form. */
type Make<T> = (key: string, operator: LabelOperator, values: readonly string[]) => T

const unexpected = (text: string, expected: string) =>
  new SelectorError(`found '${text}', expected: ${expected}`)

/** Parses the conditions of a selector text in their order; throws SelectorError. */
export function parseRequirements<T>(text: string, make: Make<T>): T[] {
  const tokens = new Tokens(text)
  const requirements: T[] = []
  for (;;) {
    const kind = tokens.peek()
    if (kind === 'end') return requirements
    if (kind !== 'word' && kind !== '!') {
      throw unexpected(tokens.peekText(), "!, identifier, or 'end of string'")
    }
    requirements.push(readRequirement(tokens, make))
    const after = tokens.take()
    if (after.kind === 'end') return requirements
    if (after.kind !== ',') throw unexpected(after.text, "',' or 'end of string'")
    const next = tokens.peek()
    if (next !== 'word' && next !== '!') {
      throw unexpected(tokens.peekText(), "identifier after ','")
    }
  }
}

function readRequirement<T>(tokens: Tokens, make: Make<T>): T {
  try {
    return readCondition(tokens, make)
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    throw new SelectorError(`unable to parse requirement: ${error.message}`)
  }
}

function readCondition<T>(tokens: Tokens, make: Make<T>): T {
  let token = tokens.take()
  const negated = token.kind === '!'
  if (negated) token = tokens.take()
  if (token.kind !== 'word') throw unexpected(token.text, 'identifier')
  const key = token.text
  const problems = isQualifiedName(key)
  if (problems.length > 0) {
    throw new SelectorError(`<nil>: Invalid value: ${renderValue(key)}: ${problems.join('; ')}`)
  }
  if (negated) return make(key, '!', [])
  const next = tokens.peek()
  if (next === 'end' || next === ',') return make(key, 'exists', [])

  const operator = tokens.takeOperator()
  switch (operator.kind) {
    case 'in':
    case 'notin':
      return make(key, operator.kind, readValues(tokens))
    case '=':
    case '==':
    case '!=':
      return make(key, operator.kind, [readValue(tokens)])
    case '>':
      return make(key, 'gt', [readValue(tokens)])
    case '<':
      return make(key, 'lt', [readValue(tokens)])
    default:
      throw unexpected(operator.text, 'in, notin, =, ==, !=, gt, lt')
  }
}

function readValue(tokens: Tokens): string {
  const next = tokens.peek()
  if (next === 'end' || next === ',') return ''
  const token = tokens.take()
  if (token.kind !== 'word') throw unexpected(token.text, 'identifier')
  return token.text
}

/** `(a,b)`: a missing word is the empty value, as in `()`, `(,a)`, `(a,)`, `(a,,b)`. */
function readValues(tokens: Tokens): string[] {
  const open = tokens.take()
  // The message of the reference has no comma either.
  if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`)
  const first = tokens.peek()
  if (first === ')') {
    tokens.take()
    return ['']
  }
  if (first !== 'word' && first !== ',') {
    throw unexpected(tokens.peekText(), "',', ')' or identifier")
  }
  const values: string[] = []
  for (;;) {
    const token = tokens.take()
    if (token.kind === 'word') {
      values.push(token.text)
      const next = tokens.peek()
      if (next !== ',' && next !== ')') throw unexpected(tokens.peekText(), "',' or ')'")
      if (next === ')') break
    } else if (token.kind === ',') {
      if (values.length === 0) values.push('')
      const next = tokens.peek()
      if (next === ')') {
        values.push('')
        break
      }
      if (next === ',') {
        tokens.take()
        values.push('')
      }
    } else {
      throw unexpected(token.text, "',', or identifier")
    }
  }
  tokens.take()
  return values
}
