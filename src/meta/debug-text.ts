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
