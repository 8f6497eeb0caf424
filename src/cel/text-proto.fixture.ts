/** Reads the text format of protobuf messages, as far as the conformance data needs it. */

/** A message: values of each field, in order. */
export type Message = ReadonlyMap<string, readonly Field[]>

/** A value of a field: a message, a string as bytes, or a word or number as it is written. */
export type Field = Message | Buffer | string

const TOKEN =
  /\s+|#[^\n]*|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<word>\[[A-Za-z0-9_./]+\]|[A-Za-z0-9_.+-]+)|(?<sign>[{}:,;<>[\]])/gy

/** Reads a message. */
export function readTextProto(source: string): Message {
  const tokens: string[] = []
  for (const { groups } of source.matchAll(TOKEN)) {
    const token = groups?.['text'] ?? groups?.['word'] ?? groups?.['sign']
    if (token !== undefined) tokens.push(token)
  }
  let at = 0
  const fields = (end: string | undefined): Message => {
    const message = new Map<string, Field[]>()
    while (tokens[at] !== end) {
      const name = tokens[at++]!
      if (tokens[at] === ':') at++
      message.set(name, [...(message.get(name) ?? []), ...values()])
      if (tokens[at] === ',' || tokens[at] === ';') at++
    }
    at++
    return message
  }
  const values = (): Field[] => {
    if (tokens[at] !== '[') return [value()]
    at++
    const all: Field[] = []
    while (tokens[at] !== ']') {
      all.push(value())
      if (tokens[at] === ',') at++
    }
    at++
    return all
  }
  const value = (): Field => {
    const token = tokens[at++]!
    if (token === '{') return fields('}')
    if (!/^["']/.test(token)) return token
    let text = bytesOf(token)
    while (/^["']/.test(tokens[at] ?? '')) text = Buffer.concat([text, bytesOf(tokens[at++]!)])
    return text
  }
  return fields(undefined)
}

const ESCAPE =
  /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|[^\\]+/gs

const SIMPLE: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
}

function bytesOf(quoted: string): Buffer {
  const parts: Buffer[] = []
  for (const [all, octal, hex, short, long, char] of quoted.slice(1, -1).matchAll(ESCAPE)) {
    if (octal !== undefined) parts.push(Buffer.from([Number.parseInt(octal, 8)]))
    else if (hex !== undefined) parts.push(Buffer.from([Number.parseInt(hex, 16)]))
    else if (short !== undefined || long !== undefined) {
      parts.push(Buffer.from(String.fromCodePoint(Number.parseInt((short ?? long)!, 16))))
    } else if (char !== undefined) {
      parts.push(char in SIMPLE ? Buffer.from([SIMPLE[char]!]) : Buffer.from(char))
    } else parts.push(Buffer.from(all))
  }
  return Buffer.concat(parts)
}
