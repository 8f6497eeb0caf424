/** One request of the largest size, and what must be there before it. */

/** A request as it is sent. */
export interface Ask {
  readonly method: string
  readonly path: string
  /** Media type of the body; JSON by default. */
  readonly type?: string
  readonly body?: () => Buffer | string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Row {
  readonly name: string
  /** Sent one after the other, each of which must succeed unless `mayFail`. */
  readonly before?: readonly Ask[]
  readonly mayFail?: boolean
  readonly ask: Ask
  /** What the answer must be; 0 for anything below 500. */
  readonly status: number
  /** Removes what the row made. */
  readonly after?: readonly Ask[]
}

/** Bytes and values that a body may have. */
const MAX_BYTES = 3_145_728
const MAX_VALUES = 100_000
/** What stands around the many items. */
const SPARE = 4096

/** Number of fields and items in a value, and itself one. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const member of Object.values(value)) count += valuesIn(member)
  return count
}

/** As many items as a body may have. */
export function many<T>(
  item: (i: number) => T,
  room: { bytes?: number; values?: number } = {},
): T[] {
  const { bytes = MAX_BYTES - SPARE, values = MAX_VALUES - SPARE } = room
  const list: T[] = []
  let bytesLeft = bytes
  let valuesLeft = values
  for (let i = 0; ; i++) {
    const one = item(i)
    bytesLeft -= Buffer.byteLength(JSON.stringify(one)) + 1
    valuesLeft -= valuesIn(one)
    if (bytesLeft < 0 || valuesLeft < 0) return list
    list.push(one)
  }
}

/** A map with as many members as a body may have. */
export function manyKeys<T>(
  key: (i: number) => string,
  value: (i: number) => T,
  room: { bytes?: number; values?: number } = {},
): Record<string, T> {
  const { bytes = MAX_BYTES - SPARE, values = MAX_VALUES - SPARE } = room
  const map: Record<string, T> = {}
  let bytesLeft = bytes
  let valuesLeft = values
  for (let i = 0; ; i++) {
    const [name, one] = [key(i), value(i)]
    bytesLeft -= Buffer.byteLength(JSON.stringify({ [name]: one }))
    valuesLeft -= valuesIn(one)
    if (bytesLeft < 0 || valuesLeft < 0) return map
    map[name] = one
  }
}
