import type { Holds, Shape, ShapeClass } from '../notation/shape.ts'

/** Text that errors show unquoted for a value, in the notation in which the reference prints composite values. */
export class DebugText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A time: `2024-01-02 03:04:05 +0000 UTC`; absent stays absent. */
export const debugTime = (time: string | undefined): DebugText | undefined =>
  time === undefined ? undefined : new DebugText(time.replace('T', ' ').replace(/Z$/, ' +0000 UTC'))

/** A list of words: `[]core.ResourceQuotaScope{"Terminating"}`, or `[]core.ResourceQuotaScope(nil)`. */
export const debugList = (type: string, words: readonly string[] | undefined): DebugText =>
  new DebugText(
    listText(
      type,
      words?.map((word) => JSON.stringify(word)),
    ),
  )

/**
 * An object of a shape without optional fields, which would print as pointers: `v1.LabelSelector{MatchLabels:...}`;
 * absent stays absent.
 */
export const debugObject = <T extends object>(
  of: ShapeClass<T>,
  value: T | undefined,
): DebugText | undefined =>
  value === undefined ? undefined : new DebugText(objectText(of.shape, value))

/** UTF-16 units after which a text is cut off. */
const MOST_TEXT = 2048

/** A JSON value whose objects and lists print as there: `map[string]interface {}{"a":1}`; others stay as they are. */
export function debugJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const out: string[] = []
  writeJson(value, out, { left: MOST_TEXT })
  return new DebugText(out.join(''))
}

function writeJson(value: unknown, out: string[], room: { left: number }): void {
  if (room.left <= 0) return
  const write = (text: string) => {
    room.left -= text.length
    out.push(text)
  }
  if (value === null || value === undefined) write('interface {}(nil)')
  else if (typeof value === 'string') write(JSON.stringify(value.slice(0, MOST_TEXT)))
  else if (Array.isArray(value)) {
    write('[]interface {}{')
    for (const [i, item] of value.entries()) {
      if (room.left <= 0) return
      if (i > 0) write(', ')
      writeJson(item, out, room)
    }
    write('}')
  } else if (typeof value === 'object') {
    write('map[string]interface {}{')
    for (const [i, name] of Object.keys(value).sort().entries()) {
      if (room.left <= 0) return
      write(`${i > 0 ? ', ' : ''}${JSON.stringify(name.slice(0, MOST_TEXT))}:`)
      writeJson((value as Record<string, unknown>)[name], out, room)
    }
    write('}')
  } else write(String(value))
}

function objectText(shape: Shape, value: object): string {
  const fields = Array.from(shape.fields, ([name, { holds }]) => {
    const member = (value as Record<string, unknown>)[name]
    return `${memberName(name)}:${memberText(holds, member)}`
  })
  return `${typeName({ is: 'object', to: () => shape })}{${fields.join(', ')}}`
}

/** `matchLabels` as `MatchLabels`, `apiGroup` as `APIGroup`. */
const memberName = (name: string) =>
  name.replace(/^(?:api|uid|ip|[a-z])/, (start) => start.toUpperCase())

function memberText(holds: Holds, value: unknown): string {
  if (holds.is === 'list') {
    const items = value as readonly unknown[] | undefined
    return listText(
      typeName(holds.of),
      items?.map((item) => memberText(holds.of, item)),
    )
  }
  if (holds.is === 'map') {
    const type = `map[string]${typeName(holds.of)}`
    if (value === undefined) return `${type}(nil)`
    const members = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
    const texts = members.map(([key, one]) => `${JSON.stringify(key)}:${memberText(holds.of, one)}`)
    return `${type}{${texts.join(', ')}}`
  }
  if (holds.is === 'object') return objectText(holds.to(), value ?? {})
  if (holds.is === 'bool') return String(value ?? false)
  if (holds.is === 'int32' || holds.is === 'int64') return String(value ?? 0)
  return JSON.stringify(value ?? '')
}

const listText = (type: string, items: readonly string[] | undefined) =>
  items === undefined ? `[]${type}(nil)` : `[]${type}{${items.join(', ')}}`

/** The name of a type: metadata types by their version, others by their group. */
function typeName(holds: Holds): string {
  if (holds.is !== 'object') return holds.is
  const { home, name } = holds.to()
  const [group = '', version = ''] = home.split('/')
  return `${group === 'meta' ? version : group.split(/[.{]/)[0]}.${name}`
}
