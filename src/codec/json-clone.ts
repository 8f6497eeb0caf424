import type { ValueRoom } from '../meta/value-count.ts'
import { MAX_DEPTH, setOwn } from './json-scanner.ts'

/**
 * Makes deep copies of JSON values. All copies of one cloner together may take about `bytes` of JSON; beyond that, and
 * beyond the nesting allowed for a copy, it throws the error from `fail`.
 */
export class JsonCloner {
  readonly #fail: (why: string) => Error
  readonly #bytes: number
  #taken = 0

  constructor(fail: (why: string) => Error, bytes = Infinity) {
    this.#fail = fail
    this.#bytes = bytes
  }

  /** `room`: maximum nesting of containers in the copy; its members and items take from `values`. */
  clone(value: unknown, room: number = MAX_DEPTH, values?: ValueRoom): unknown {
    this.#charge(sizeOf(value))
    if (typeof value !== 'object' || value === null) return value
    if (room <= 0) throw this.#fail(`nested deeper than ${MAX_DEPTH}`)
    if (Array.isArray(value)) {
      values?.take(value.length)
      return value.map((item: unknown) => this.clone(item, room - 1, values))
    }
    const copy: Record<string, unknown> = {}
    for (const [key, member] of Object.entries(value)) {
      this.#charge(sizeOf(key) + 1)
      values?.take()
      setOwn(copy, key, this.clone(member, room - 1, values))
    }
    return copy
  }

  #charge(bytes: number): void {
    this.#taken += bytes
    if (this.#taken > this.#bytes) throw this.#fail(`copied more than ${this.#bytes} bytes`)
  }
}

/**
 * A deep copy of an object made of JSON values, several times faster than structuredClone.
 */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson) as T
  const copy: Record<string, unknown> = {}
  for (const key in value) setOwn(copy, key, copyJson((value as Record<string, unknown>)[key]))
  return copy as T
}

/** Size of a scalar as JSON with its comma, bytes; of a container without its content. */
function sizeOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return Buffer.byteLength(value) + 3
    case 'number':
    case 'bigint':
      return String(value).length + 1
    case 'object':
      return value === null ? 5 : 3
    default:
      return 5
  }
}
