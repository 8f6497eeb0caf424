/** A writer of members as code; `json-writer.ts` interprets the same members, and is its oracle in tests. */
import { sortedKeys, type JsonObject } from './decoding.ts'
import { emptySource } from './generated-codec.ts'
import { GeneratedCode, literal } from './generated-code.ts'
import type { JsonOut, Member, ShapeWriter, WriteMembers } from './json-writer.ts'

/**
 * Returns the writer of these members. One of them looks like this:
 *
 *     x = object["image"]
 *     if (x !== undefined && x !== null && !(x === '')) {
 *       out.bytes(isFirst ? image : commaImage); isFirst = false
 *       out.string(x)
 *     }
 */
export function generatedMembers(members: readonly Member[]): WriteMembers {
  const code = new GeneratedCode()
  code.line('let x')
  for (const member of members) {
    const { key, inherited, hidesEmpty, holds, absent } = member
    const of = `object[${literal(key)}]`
    code.line(
      `x = ${inherited ? `Object.hasOwn(object, ${literal(key)}) ? ${of} : undefined` : of}`,
    )
    const isThere = hidesEmpty ? ` && !(${emptySource(code, holds.is)})` : ''
    code.line(`if (x !== undefined && x !== null${isThere}) {
  ${nameSource(code, member, opening(member))}
  ${valueSource(code, member)}
}`)
    if (absent !== null) code.line(`else { ${nameSource(code, member, absent.toString())} }`)
  }
  code.line('return isFirst')
  return code.finish(['object', 'out', 'isFirst'])
}

/** The bytes of a value that are always the same, so they are written with the name. */
const opening = ({ holds }: Member): string =>
  holds.is === 'object' ? '{' : holds.is === 'list' && holds.of.is === 'object' ? '[' : ''

function nameSource(code: GeneratedCode, { first, next }: Member, then: string): string {
  const [begin, more] = [first, next].map((name) =>
    code.refer(Buffer.concat([name, Buffer.from(then)])),
  )
  return `out.bytes(isFirst ? ${begin} : ${more}); isFirst = false`
}

function valueSource(code: GeneratedCode, { holds, write, nested }: Member): string {
  switch (holds.is) {
    case 'object':
      return `${code.refer(nested!())}.members(x, out, true); out.byte(${CLOSE})`
    case 'list':
      if (holds.of.is === 'object')
        return `${code.refer(writeObjects)}(${code.refer(nested!())}, x, out)`
      return holds.of.is === 'string'
        ? `${code.refer(writeStrings)}(x, out)`
        : `${code.refer(write)}(x, out)`
    case 'map':
      return holds.of.is === 'string' || holds.of.is === 'quantity' || holds.of.is === 'bytes'
        ? `${code.refer(writeTexts)}(x, out)`
        : `${code.refer(write)}(x, out)`
    case 'string':
    case 'bytes':
    case 'time':
    case 'microTime':
    case 'quantity':
      return 'out.string(x)'
    case 'bool':
      return `out.text(x ? 'true' : 'false')`
    case 'int32':
      return `out.text('' + x)`
    default:
      return `${code.refer(write)}(x, out)`
  }
}

const OPEN = 0x7b
const CLOSE = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

/** The objects of a list that is open. */
function writeObjects(writer: ShapeWriter, list: readonly JsonObject[], out: JsonOut): void {
  for (let i = 0; i < list.length; i++) {
    if (i > 0) out.byte(COMMA)
    out.byte(OPEN)
    writer.members(list[i]!, out, true)
    out.byte(CLOSE)
  }
  out.byte(CLOSE_LIST)
}

function writeStrings(list: readonly string[], out: JsonOut): void {
  out.byte(OPEN_LIST)
  for (let i = 0; i < list.length; i++) {
    if (i > 0) out.byte(COMMA)
    out.string(list[i]!)
  }
  out.byte(CLOSE_LIST)
}

function writeTexts(map: JsonObject, out: JsonOut): void {
  let isFirst = true
  out.byte(OPEN)
  for (const key of sortedKeys(map)) {
    if (!isFirst) out.byte(COMMA)
    isFirst = false
    out.string(key)
    out.byte(COLON)
    out.string(map[key] as string)
  }
  out.byte(CLOSE)
}
