/**
 * Reads the YAML that client configurations are usually written in: maps and lists in block style, with texts, numbers,
 * true and false. Loading the YAML library takes longer than a whole request does.
 */

const ITEM = /^[^:#{}[\],&*!|>'"%@`]+$/

interface Line {
  readonly indent: number
  readonly isItem: boolean
  readonly key: string | undefined
  readonly value: string
}

/** The value of a text, or undefined where the library is needed. */
export function readPlainYaml(text: string): unknown {
  const lines: Line[] = []
  for (const raw of text.split('\n')) {
    const trimmed = raw.trimEnd()
    if (trimmed === '' || (trimmed === '---' && lines.length === 0)) continue
    const line = lineOf(trimmed)
    if (line === null || line.key === '__proto__') return undefined
    lines.push(line)
  }
  const reader = new Reader(lines)
  try {
    const value = reader.block(0)
    return reader.isAtEnd ? value : undefined
  } catch (error) {
    if (error instanceof NotPlain) return undefined
    throw error
  }
}

/** Without expressions where values may be long: those of certificates are, and compiling an expression takes its time. */
function lineOf(text: string): Line | null {
  const indent = afterSpaces(text, 0)
  const isItem = text.startsWith('- ', indent)
  const from = isItem ? indent + 2 : indent
  let end = from
  while (isOfKey(text.charCodeAt(end))) end++
  const hasKey = end > from && text[end] === ':'
  if (hasKey && (end + 1 === text.length || text[end + 1] === ' ')) {
    const value = text.slice(afterSpaces(text, end + 1))
    return { indent, isItem, key: text.slice(from, end), value }
  }
  const value = text.slice(from)
  return ITEM.test(value) ? { indent, isItem, key: undefined, value: value.trim() } : null
}

function afterSpaces(text: string, from: number): number {
  let at = from
  while (text[at] === ' ') at++
  return at
}

/** Letters, digits, underscore, dot and dash. */
const isOfKey = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 46 ||
  code === 45

class NotPlain extends Error {}

class Reader {
  readonly #lines: Line[]
  #at = 0

  constructor(lines: Line[]) {
    this.#lines = lines
  }

  get isAtEnd(): boolean {
    return this.#at === this.#lines.length
  }

  block(indent: number): unknown {
    return this.#lines[this.#at]?.isItem ? this.#list(indent) : this.#map(indent)
  }

  #map(indent: number): Record<string, unknown> {
    const map: Record<string, unknown> = {}
    for (;;) {
      const line = this.#lines[this.#at]
      if (!line || line.indent < indent || (line.isItem && line.indent === indent)) return map
      if (line.indent !== indent || line.key === undefined || Object.hasOwn(map, line.key)) {
        throw new NotPlain()
      }
      this.#at++
      map[line.key] = line.value === '' ? this.#below(indent) : scalar(line.value)
    }
  }

  /** What follows a key without a value; items of a list may be as far left as the key. */
  #below(indent: number): unknown {
    const next = this.#lines[this.#at]
    if (!next || next.indent < indent) return null
    if (next.indent === indent) return next.isItem ? this.#list(indent) : null
    return this.block(next.indent)
  }

  #list(indent: number): unknown[] {
    const items: unknown[] = []
    for (;;) {
      const line = this.#lines[this.#at]
      if (!line || line.indent < indent || !line.isItem) return items
      if (line.indent !== indent) throw new NotPlain()
      if (line.key === undefined) {
        this.#at++
        items.push(scalar(line.value))
      } else {
        this.#lines[this.#at] = { ...line, isItem: false, indent: indent + 2 }
        items.push(this.#map(indent + 2))
      }
    }
  }
}

const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  '{}': {},
  '[]': [],
  '""': '',
  "''": '',
}

/** Dots begin paths, and numbers. */
const BEGIN = /^(?:[A-Za-z/]|\.\.?\/)/
const OTHER_WORD = /^(?:yes|no|on|off|y|n|true|false|null)$/i

function scalar(text: string): unknown {
  if (Object.hasOwn(WORDS, text)) return WORDS[text]
  // Anything that another type could be meant by goes to the library.
  const isWord = text.length <= 5 && OTHER_WORD.test(text)
  const isMore = text.includes('#') || text.includes(': ') || text.endsWith(':')
  if (BEGIN.test(text) && !isWord && !isMore) return text
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text)
  if (quoted) return quoted[1]
  throw new NotPlain()
}
