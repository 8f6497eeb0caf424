/** Texts and bytes as they are written in expressions. */

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
}

const HEX: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 }

/** The characters between the quotes, and whether escapes count. */
function inside(written: string): { body: string; isRaw: boolean } {
  const prefix = /^[bB]?([rR]?)/.exec(written)!
  const quoted = written.slice(prefix[0].length)
  const width = quoted.startsWith('"""') || quoted.startsWith("'''") ? 3 : 1
  return { body: quoted.slice(width, -width), isRaw: prefix[1] !== '' }
}

/** The text of a literal; throws Error. */
export function readText(written: string): string {
  const { body, isRaw } = inside(written.replaceAll(/\r\n?/g, '\n'))
  if (isRaw || !body.includes('\\')) return body
  let text = ''
  for (const part of parts(body)) {
    text += typeof part === 'string' ? part : fromCodePoint(part.code)
  }
  return text
}

/** The bytes of a literal; throws Error. */
export function readBytes(written: string): Uint8Array {
  const { body, isRaw } = inside(written.replaceAll(/\r\n?/g, '\n'))
  if (isRaw) return new Uint8Array(Buffer.from(body))
  const all: Buffer[] = []
  for (const part of parts(body)) {
    if (typeof part === 'string') all.push(Buffer.from(part))
    else if (part.isCharacter) throw new Error('unable to unescape string')
    else all.push(Buffer.from([part.code]))
  }
  return new Uint8Array(Buffer.concat(all))
}

interface Escape {
  readonly code: number
  /** Whether it is written as that of a character, not of a byte. */
  readonly isCharacter: boolean
}

function* parts(body: string): Generator<string | Escape> {
  let from = 0
  for (let at = body.indexOf('\\'); at >= 0; at = body.indexOf('\\', from)) {
    if (at > from) yield body.slice(from, at)
    const char = body[at + 1] ?? ''
    const digits = HEX[char]
    from = at + 2
    if (Object.hasOwn(SIMPLE, char)) yield SIMPLE[char]!
    else if (digits !== undefined) {
      yield { code: number(body.slice(from, from + digits), 16, digits), isCharacter: digits > 2 }
      from += digits
    } else {
      from = at + 4
      if (!/[0-3]/.test(char)) throw new Error('unable to unescape string')
      yield { code: number(body.slice(at + 1, from), 8, 3), isCharacter: false }
    }
  }
  if (from < body.length) yield body.slice(from)
}

function number(digits: string, base: 8 | 16, count: number): number {
  const known = base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/
  if (digits.length !== count || !known.test(digits)) throw new Error('unable to unescape string')
  return Number.parseInt(digits, base)
}

function fromCodePoint(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw new Error('unable to unescape string')
  }
  return String.fromCodePoint(code)
}
