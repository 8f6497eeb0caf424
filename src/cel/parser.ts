/** Reads the source of an expression into a tree, with a limit for its size and for its depth. */
import type { EntryNode, LiteralNode, Node } from './ast.ts'
import { Lexer, type Token, type TokenKind } from './lexer.ts'
import { type Macro, MacroError, type MacroName } from './macros.ts'
import { NodeMaker } from './node-maker.ts'
import { literalOf } from './read-literal.ts'
import { CompileError, SourceErrors } from './source-errors.ts'

/** Characters that a source may have. */
const MAX_CHARACTERS = 100_000

/** How deep expressions may be nested. */
const MAX_DEPTH = 250

const OPERAND =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

const RELATIONS: ReadonlySet<TokenKind> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in'])
const BEGINS: ReadonlySet<TokenKind> = new Set(
  [
    '[',
    '{',
    '(',
    '.',
    '-',
    '!',
    'true',
    'false',
    'null',
    'NUM_FLOAT',
    'NUM_INT',
    'NUM_UINT',
  ].concat(['STRING', 'BYTES', 'IDENTIFIER']),
)
/** What may follow the end of an operand. */
const FOLLOWS: ReadonlySet<TokenKind> = new Set(
  [...RELATIONS, '<EOF>', '&&', '||', '[', '.', '?', ':', '+', '-', '*', '/', '%'].concat([
    ')',
    ']',
    '}',
    ',',
  ]),
)

const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** What of the language a release has. */
export interface Syntax {
  readonly macros: ReadonlyMap<MacroName, Macro>
  /** Whether fields and items may be asked for with a question mark. */
  readonly hasOptionals: boolean
  /** Whether names of fields may be written in back quotes. */
  readonly hasEscapedNames: boolean
}

/** Parses a source; throws CompileError. */
export function parse(source: string, syntax: Syntax): Node {
  const errors = new SourceErrors(source)
  const length = source.length > MAX_CHARACTERS ? charactersIn(source) : 0
  if (length > MAX_CHARACTERS) {
    errors.report(
      null,
      `expression code point size exceeds limit: size: ${length}, limit ${MAX_CHARACTERS}`,
    )
    throw new CompileError(errors.format())
  }
  try {
    const node = new Parser(source, syntax, errors).whole()
    if (errors.isEmpty) return node
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
  }
  throw new CompileError(errors.format())
}

function charactersIn(source: string): number {
  let count = 0
  for (const _ of source) count++
  return count
}

/** Ends the parsing after a report. */
class SyntaxFault extends Error {}

/** An operator between two operands, and its place. */
interface Chain {
  readonly operands: Node[]
  readonly places: number[]
}

class Parser {
  readonly #lexer: Lexer
  readonly #syntax: Syntax
  readonly #errors: SourceErrors
  readonly #make: NodeMaker
  #token: Token
  #following: Token | null = null
  #depth = 0

  constructor(source: string, syntax: Syntax, errors: SourceErrors) {
    this.#lexer = new Lexer(source, errors, syntax.hasEscapedNames)
    this.#syntax = syntax
    this.#errors = errors
    this.#make = new NodeMaker(MAX_DEPTH, () => this.#tooDeep())
    this.#token = this.#lexer.next()
  }

  whole(): Node {
    const node = this.#expression()
    if (this.#token.kind !== '<EOF>') this.#unexpected('<EOF>')
    return node
  }

  #expression(): Node {
    if (++this.#depth > MAX_DEPTH) this.#tooDeep()
    const condition = this.#or()
    let node = condition
    if (this.#token.kind === '?') {
      const { at } = this.#take()
      const left = this.#or()
      this.#expect(':')
      const right = this.#expression()
      node = this.#make.call(at, '_?_:_', [condition, left, right])
    }
    this.#depth--
    return node
  }

  #or(): Node {
    return this.#balanced('||', () => this.#balanced('&&', () => this.#relation()))
  }

  /** Operators whose operands may be grouped at will are grouped evenly. */
  #balanced(sign: '||' | '&&', operand: () => Node): Node {
    const chain: Chain = { operands: [operand()], places: [] }
    while (this.#token.kind === sign) {
      chain.places.push(this.#take().at)
      chain.operands.push(operand())
    }
    return this.#group(`_${sign}_`, chain, 0, chain.operands.length - 1)
  }

  #group(name: string, chain: Chain, from: number, to: number): Node {
    if (from === to) return chain.operands[from]!
    const middle = (from + to) >> 1
    const left = this.#group(name, chain, from, middle)
    return this.#make.call(chain.places[middle]!, name, [
      left,
      this.#group(name, chain, middle + 1, to),
    ])
  }

  #relation(): Node {
    let node = this.#sum()
    while (RELATIONS.has(this.#token.kind)) {
      const { kind, at } = this.#take()
      node = this.#make.call(at, kind === 'in' ? '@in' : `_${kind}_`, [node, this.#sum()])
    }
    return node
  }

  #sum(): Node {
    let node = this.#product()
    while (this.#token.kind === '+' || this.#token.kind === '-') {
      const { kind, at } = this.#take()
      node = this.#make.call(at, `_${kind}_`, [node, this.#product()])
    }
    return node
  }

  #product(): Node {
    let node = this.#unary()
    while (this.#token.kind === '*' || this.#token.kind === '/' || this.#token.kind === '%') {
      const { kind, at } = this.#take()
      node = this.#make.call(at, `_${kind}_`, [node, this.#unary()])
    }
    return node
  }

  #unary(): Node {
    const { kind, at } = this.#token
    if (kind === '!') return this.#negated(at, '!')
    if (kind !== '-' || this.#peek().kind.startsWith('NUM_')) return this.#member(this.#primary())
    return this.#negated(at, '-')
  }

  #negated(at: number, sign: '!' | '-'): Node {
    let count = 0
    while (this.#token.kind === sign && !(sign === '-' && this.#peek().kind.startsWith('NUM_'))) {
      this.#take()
      count++
    }
    const node = this.#member(this.#primary())
    return count % 2 === 0 ? node : this.#make.call(at, `${sign}_`, [node])
  }

  #member(start: Node): Node {
    let node = start
    for (;;) {
      const { kind, at } = this.#token
      if (kind === '.') node = this.#selected(node)
      else if (kind === '[') {
        this.#take()
        const isOptional = this.#takesQuestion()
        const index = this.#expression()
        this.#expect(']')
        node = this.#make.call(at, isOptional ? '_[?_]' : '_[_]', [node, index])
      } else if (kind === '{') {
        const name = messageName(node)
        if (name === null) return node
        node = this.#message(name)
      } else return node
    }
  }

  #selected(operand: Node): Node {
    const { at } = this.#take()
    const isOptional = this.#takesQuestion()
    const field = this.#field()
    if (isOptional) {
      const literal = this.#make.literal(at, 'string', field)
      return this.#make.call(at, '_?._', [operand, literal])
    }
    if (this.#token.kind !== '(') return this.#make.select(at, operand, field)
    const open = this.#take().at
    return this.#call(open, { name: field, receiver: operand, args: this.#arguments(')') })
  }

  /** The name of a field; reserved words may be some. */
  #field(): string {
    const { kind, text } = this.#token
    if (kind === 'ESC_IDENTIFIER') {
      this.#take()
      return text.slice(1, -1)
    }
    return this.#expect('IDENTIFIER').text
  }

  #primary(): Node {
    const { kind, at } = this.#token
    switch (kind) {
      case '(': {
        this.#take()
        const node = this.#expression()
        this.#expect(')')
        return node
      }
      case '[':
        return this.#list()
      case '{':
        return this.#make.map(at, this.#entries('key'))
      case '.':
      case 'IDENTIFIER':
        return this.#named()
      default:
        return this.#literal()
    }
  }

  #named(): Node {
    const { at } = this.#token
    const isRooted = this.#token.kind === '.'
    if (isRooted) this.#take()
    const word = this.#expect('IDENTIFIER')
    if (RESERVED.has(word.text)) {
      this.#errors.report(word.at, `reserved identifier: ${word.text}`)
    }
    const name = `${isRooted ? '.' : ''}${word.text}`
    if (this.#token.kind !== '(') return this.#make.name(at, name)
    const open = this.#take().at
    return this.#call(open, { name, receiver: null, args: this.#arguments(')') })
  }

  #call(
    at: number,
    { name, receiver, args }: { name: string; receiver: Node | null; args: readonly Node[] },
  ): Node {
    const key: MacroName = `${receiver ? 'value.' : ''}${name}/${args.length}`
    const macro = this.#syntax.macros.get(key)
    if (macro) {
      try {
        const expanded = macro({ at, receiver, args, make: this.#make })
        if (expanded) return expanded
      } catch (error) {
        if (!(error instanceof MacroError)) throw error
        this.#errors.report(error.at, error.message)
        return this.#make.literal(at, 'null', null)
      }
    }
    return this.#make.call(at, name, args, receiver)
  }

  #arguments(end: ')'): Node[] {
    const args: Node[] = []
    if (this.#token.kind !== end) {
      do args.push(this.#expression())
      while (this.#takes(','))
    }
    this.#expect(end)
    return args
  }

  #list(): Node {
    const { at } = this.#take()
    const items: Node[] = []
    const optional: number[] = []
    while (this.#token.kind !== ']') {
      if (this.#takesQuestion()) optional.push(items.length)
      items.push(this.#expression())
      if (!this.#takes(',')) break
    }
    this.#expect(']')
    return this.#make.list(at, items, optional)
  }

  #entries(kind: 'key' | 'field'): EntryNode[] {
    this.#take()
    const entries: EntryNode[] = []
    while (this.#token.kind !== '}') {
      const isOptional = this.#takesQuestion()
      const start = this.#token.at
      const key =
        kind === 'key' ? this.#expression() : this.#make.literal(start, 'string', this.#field())
      const { at } = this.#expect(':')
      entries.push({ key, value: this.#expression(), isOptional, at })
      if (!this.#takes(',')) break
    }
    this.#expect('}')
    return entries
  }

  #message(name: string): Node {
    const { at } = this.#token
    return this.#make.message(at, name, this.#entries('field'))
  }

  #literal(): Node {
    const { at } = this.#token
    const isNegative = this.#token.kind === '-'
    if (isNegative) this.#take()
    const token = this.#token
    if (!BEGINS.has(token.kind) || token.kind === '!' || token.kind === '-')
      this.#unexpected(OPERAND)
    this.#take()
    const read = literalOf(token, isNegative)
    if ('problem' in read) {
      this.#errors.report(at, read.problem)
      return this.#make.literal(at, 'null', null)
    }
    return this.#make.literal(at, read.is as LiteralNode['is'], read.value)
  }

  #takesQuestion(): boolean {
    if (this.#token.kind !== '?' || !this.#syntax.hasOptionals) return false
    this.#take()
    return true
  }

  #takes(sign: string): boolean {
    if (this.#token.kind !== sign) return false
    this.#take()
    return true
  }

  #take(): Token {
    const token = this.#token
    this.#token = this.#following ?? this.#lexer.next()
    this.#following = null
    return token
  }

  #peek(): Token {
    return (this.#following ??= this.#lexer.next())
  }

  #expect(kind: TokenKind): Token {
    if (this.#token.kind === kind) return this.#take()
    return this.#unexpected(kind)
  }

  #unexpected(expected: string): never {
    const { kind, text, at } = this.#token
    const what = /^[A-Z{<]/.test(expected) && expected !== '{' ? expected : `'${expected}'`
    const next = kind === '<EOF>' ? kind : this.#peek().kind
    const isMore = expected === OPERAND ? BEGINS.has(next) : next === expected
    const isMissing = expected !== OPERAND && expected !== '<EOF>' && FOLLOWS.has(kind)
    const fault =
      isMore && kind !== '<EOF>'
        ? `extraneous input '${text}' expecting ${what}`
        : isMissing
          ? `missing ${what} at '${text}'`
          : `mismatched input '${text}' expecting ${what}`
    this.#errors.report(at, `Syntax error: ${fault}`)
    throw new SyntaxFault()
  }

  #tooDeep(): never {
    this.#errors.report(null, `expression recursion limit exceeded: ${MAX_DEPTH}`)
    throw new SyntaxFault()
  }
}

/** The name of a message, for names and names with dots. */
function messageName(node: Node): string | null {
  if (node.op === 'name') return node.name
  if (node.op !== 'select' || node.isTest) return null
  const before = messageName(node.operand)
  return before === null ? null : `${before}.${node.field}`
}
