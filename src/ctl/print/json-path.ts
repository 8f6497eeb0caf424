/**
 * JSONPath templates: `{.items[*].metadata.name}`, `{range .items[*]}…{end}`, filters `[?(@.a=="b")]`, unions, slices,
 * recursive descent, and text in quotes.
 */
import { formatJson } from '../../codec/json-text.ts'
import { escapedJson } from './json-text.ts'

/** A path or text that cannot be read. */
export class JsonPathFault extends Error {}

type Node =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'path'; readonly steps: readonly Step[] }
  | { readonly is: 'range'; readonly steps: readonly Step[]; readonly body: readonly Node[] }

type Step =
  | { readonly is: 'root' | 'current' | 'wildcard' | 'recursive' }
  | { readonly is: 'field'; readonly name: string }
  | {
      readonly is: 'slice'
      readonly from: number | null
      readonly to: number | null
      readonly by: number
      readonly isIndex: boolean
    }
  | { readonly is: 'union'; readonly of: readonly (readonly Step[])[] }
  | { readonly is: 'filter'; readonly left: Operand; readonly op: string; readonly right: Operand }

type Operand = { readonly steps: readonly Step[] } | { readonly value: unknown }

/** A template that was read. */
export class JsonPath {
  readonly #nodes: readonly Node[]
  readonly #allowMissing: boolean

  /** Throws JsonPathFault. */
  constructor(template: string, { allowMissing = true } = {}) {
    this.#nodes = new Reader(template).all()
    this.#allowMissing = allowMissing
  }

  /** The text of the template for a value. Throws JsonPathFault where a field is missing and must not be. */
  text(value: unknown): string {
    return this.#write(this.#nodes, value, value)
  }

  /** The values of its paths, one list for each. */
  values(value: unknown): unknown[][] {
    return this.#nodes.flatMap((node) =>
      node.is === 'path' ? [this.#find(node.steps, [value], value)] : [],
    )
  }

  #write(nodes: readonly Node[], current: unknown, root: unknown): string {
    return nodes
      .map((node) => {
        if (node.is === 'text') return node.text
        const found = this.#find(node.steps, [current], root)
        if (node.is === 'path') return found.map(valueText).join(' ')
        return found.map((one) => this.#write(node.body, one, root)).join('')
      })
      .join('')
  }

  #find(steps: readonly Step[], start: readonly unknown[], root: unknown): unknown[] {
    let found = [...start]
    for (const step of steps) found = this.#step(step, found, root)
    return found
  }

  #step(step: Step, from: readonly unknown[], root: unknown): unknown[] {
    switch (step.is) {
      case 'root':
        return [root]
      case 'current':
        return [...from]
      case 'field':
        return this.#field(step.name, from)
      case 'wildcard':
        return from.flatMap(membersOf)
      case 'recursive':
        return from.flatMap((value) => descendants(value))
      case 'slice':
        return from.flatMap((value) => slice(value, step))
      case 'union':
        return step.of.flatMap((steps) => this.#find(steps, from, root))
      case 'filter':
        return from.flatMap((value) =>
          Array.isArray(value) || isMap(value)
            ? membersOf(value).filter((item) => this.#passes(step, item, root))
            : [],
        )
    }
  }

  #field(name: string, from: readonly unknown[]): unknown[] {
    const found = from.flatMap((value) =>
      isMap(value) && Object.hasOwn(value, name) ? [value[name]] : [],
    )
    if (found.length === 0 && !this.#allowMissing) throw new JsonPathFault(`${name} is not found`)
    return found
  }

  #passes(step: Step & { is: 'filter' }, item: unknown, root: unknown): boolean {
    const side = (operand: Operand) =>
      'steps' in operand ? new Lenient(operand.steps).find(item, root) : [operand.value]
    const left = side(step.left)
    if (step.op === 'exists') return left.length > 0
    const right = side(step.right)
    if (left.length === 0 || right.length === 0) return false
    return compare(left[0], right[0], step.op)
  }
}

/** Paths of filters: what is missing does not count. */
class Lenient {
  readonly #steps: readonly Step[]

  constructor(steps: readonly Step[]) {
    this.#steps = steps
  }

  find(item: unknown, root: unknown): unknown[] {
    let found: unknown[] = [item]
    for (const step of this.#steps) {
      if (step.is === 'root') found = [root]
      else if (step.is === 'field') {
        found = found.flatMap((value) =>
          isMap(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [],
        )
      } else if (step.is === 'wildcard') found = found.flatMap(membersOf)
      else if (step.is === 'slice') found = found.flatMap((value) => slice(value, step))
    }
    return found
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function membersOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isMap(value)
    ? Object.keys(value)
        .sort()
        .map((key) => value[key])
    : []
}

function descendants(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...membersOf(value).flatMap(descendants)]
}

function slice(value: unknown, step: Step & { is: 'slice' }): unknown[] {
  if (!Array.isArray(value)) return []
  const place = (n: number) => (n < 0 ? n + value.length : n)
  const from = place(step.from ?? 0)
  if (step.isIndex) {
    if (from < 0 || from >= value.length) {
      throw new JsonPathFault(
        `array index out of bounds: index ${step.from}, length ${value.length}`,
      )
    }
    return [value[from]]
  }
  const to = Math.min(place(step.to ?? value.length), value.length)
  const found: unknown[] = []
  for (let i = Math.max(from, 0); i < to; i += step.by) found.push(value[i])
  return found
}

function compare(left: unknown, right: unknown, op: string): boolean {
  const [a, b] = [left, right].map((one) => (typeof one === 'bigint' ? Number(one) : one))
  if (op === '==') return a === b
  if (op === '!=') return a !== b
  if (typeof a !== typeof b || (typeof a !== 'number' && typeof a !== 'string')) {
    throw new JsonPathFault('incompatible types for comparison')
  }
  const [x, y] = [a, b as typeof a]
  return op === '<' ? x < y : op === '<=' ? x <= y : op === '>' ? x > y : x >= y
}

/** A value as a template shows it. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? escapedJson(formatJson(sorted(value))) : String(value)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  all(): Node[] {
    const nodes = this.#nodes(false)
    return nodes
  }

  #nodes(isInRange: boolean): Node[] {
    const nodes: Node[] = []
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf('{', this.#at)
      const end = open === -1 ? this.#text.length : open
      if (end > this.#at) nodes.push({ is: 'text', text: this.#text.slice(this.#at, end) })
      this.#at = end
      if (open === -1) break
      this.#at++
      if (this.#action(nodes)) {
        if (isInRange) return nodes
        throw new JsonPathFault('not in range, nothing to end')
      }
    }
    if (isInRange) throw new JsonPathFault('unclosed action')
    return nodes
  }

  /** Reads what braces hold; true for the end of a range. */
  #action(nodes: Node[]): boolean {
    for (;;) {
      this.#blanks()
      const char = this.#text[this.#at]
      if (char === undefined) throw new JsonPathFault('unclosed action')
      if (char === '}') {
        this.#at++
        return false
      }
      if (char === '"' || char === "'") nodes.push({ is: 'text', text: this.#quoted(char) })
      else if (this.#word('end')) {
        this.#close()
        return true
      } else if (this.#word('range')) {
        this.#blanks()
        const steps = this.#path()
        this.#close()
        nodes.push({ is: 'range', steps, body: this.#nodes(true) })
        return false
      } else nodes.push({ is: 'path', steps: this.#path() })
    }
  }

  #close(): void {
    this.#blanks()
    if (this.#text[this.#at] !== '}') throw new JsonPathFault('unclosed action')
    this.#at++
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #word(word: string): boolean {
    const isHere = this.#text.startsWith(word, this.#at)
    if (!isHere || !/[\s}]/.test(this.#text[this.#at + word.length] ?? '}')) return false
    this.#at += word.length
    return true
  }

  #quoted(quote: string): string {
    let text = ''
    for (this.#at++; ; this.#at++) {
      const char = this.#text[this.#at]
      if (char === undefined) throw new JsonPathFault('unterminated quoted string')
      if (char === quote) {
        this.#at++
        return text
      }
      if (char === '\\') {
        const next = this.#text[++this.#at] ?? ''
        text += ESCAPES[next] ?? next
      } else text += char
    }
  }

  #path(): Step[] {
    const steps: Step[] = []
    for (let isFirst = true; ; isFirst = false) {
      const char = this.#text[this.#at]
      if (char === '$') {
        this.#at++
        steps.push({ is: 'root' })
      } else if (char === '@') {
        this.#at++
        steps.push({ is: 'current' })
      } else if (char === '[') steps.push(this.#bracket())
      else if (char === '.') this.#dotted(steps)
      else if (isFirst && char !== undefined && /[\w*-]/.test(char)) steps.push(this.#name())
      else if (isFirst)
        throw new JsonPathFault(
          `unrecognized character in action: U+${(char ?? ' ').codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')} '${char}'`,
        )
      else return steps
    }
  }

  #dotted(steps: Step[]): void {
    this.#at++
    if (this.#text[this.#at] === '.') {
      this.#at++
      steps.push({ is: 'recursive' })
    }
    const char = this.#text[this.#at]
    if (char === undefined || /[\s}\]),=<>!]/.test(char)) return
    if (char !== '[' && char !== '.') steps.push(this.#name())
  }

  #name(): Step {
    let name = ''
    for (; ; this.#at++) {
      const char = this.#text[this.#at]
      if (char === undefined || /[\s}.[\](),=<>!]/.test(char)) break
      if (char === '\\') {
        name += this.#text[++this.#at] ?? ''
      } else name += char
    }
    return name === '*' ? { is: 'wildcard' } : { is: 'field', name }
  }

  #bracket(): Step {
    this.#at++
    const inside = this.#inside()
    if (inside.startsWith('?(') && inside.endsWith(')')) return filterOf(inside.slice(2, -1))
    const parts = splitOutside(inside, ',')
    if (parts.length === 1) return indexOf(parts[0]!.trim())
    return { is: 'union', of: parts.map((part) => [indexOf(part.trim())]) }
  }

  /** The text up to the closing bracket. */
  #inside(): string {
    const start = this.#at
    let depth = 1
    let quote = ''
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]!
      if (quote !== '') {
        if (char === '\\') this.#at++
        else if (char === quote) quote = ''
      } else if (char === '"' || char === "'") quote = char
      else if (char === '[') depth++
      else if (char === ']' && --depth === 0) return this.#text.slice(start, this.#at++)
    }
    throw new JsonPathFault('unterminated array')
  }

  /** A path that is a whole text. */
  static path(text: string): Step[] {
    const reader = new Reader(text)
    const steps = reader.#path()
    if (reader.#at < text.length) throw new JsonPathFault(`unrecognized path ${text}`)
    return steps
  }
}

function indexOf(text: string): Step {
  if (text === '*') return { is: 'wildcard' }
  const quoted = /^'(.*)'$/s.exec(text) ?? /^"(.*)"$/s.exec(text)
  if (quoted) return { is: 'field', name: quoted[1]!.replaceAll(/\\(.)/g, '$1') }
  if (/^-?\d+$/.test(text)) {
    return { is: 'slice', from: Number(text), to: null, by: 1, isIndex: true }
  }
  const range = /^(-?\d*):(-?\d*)(?::(\d*))?$/.exec(text)
  if (range) {
    const [, from = '', to = '', by = ''] = range
    const number = (part: string) => (part === '' ? null : Number(part))
    return { is: 'slice', from: number(from), to: number(to), by: number(by) || 1, isIndex: false }
  }
  if (text === '') throw new JsonPathFault('invalid array index ')
  if (text.startsWith('.') || text.startsWith('@')) return { is: 'union', of: [Reader.path(text)] }
  throw new JsonPathFault(`invalid array index ${text}`)
}

const FILTER = /^(.*?)\s*(==|!=|<=|>=|<|>)\s*(.*)$/s

function filterOf(text: string): Step {
  const match = FILTER.exec(text.trim())
  if (!match) {
    return { is: 'filter', left: operandOf(text.trim()), op: 'exists', right: { value: null } }
  }
  const [, left = '', op = '', right = ''] = match
  return { is: 'filter', left: operandOf(left), op, right: operandOf(right) }
}

function operandOf(text: string): Operand {
  const quoted = /^'(.*)'$/s.exec(text) ?? /^"(.*)"$/s.exec(text)
  if (quoted) return { value: quoted[1]! }
  if (/^-?\d+(\.\d+)?$/.test(text)) return { value: Number(text) }
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  return { steps: Reader.path(text) }
}

function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = []
  let quote = ''
  let part = ''
  for (const char of text) {
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    if (char === separator && quote === '') {
      parts.push(part)
      part = ''
    } else part += char
  }
  return [...parts, part]
}

/** A path as options take it, `.metadata.name`, `metadata.name` or `{.metadata.name}`, as a template. */
export function relaxedPath(text: string): string {
  const inner = /^\{(.*)\}$/s.exec(text)?.[1] ?? text
  if (inner === '' || /[{}]/.test(inner)) {
    throw new JsonPathFault(
      `unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`,
    )
  }
  return `{${inner.startsWith('.') || inner.startsWith('[') || inner.startsWith('$') ? inner : `.${inner}`}}`
}
