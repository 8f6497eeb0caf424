/** A value of JSON whose members may be missing. */
import { formatJson } from '../../codec/json-text.ts'

export class Value {
  readonly raw: unknown

  constructor(raw: unknown) {
    this.raw = raw
  }

  /** The member at a path of names with dots between them; one that is not set where there is none. */
  at(path: string): Value {
    let raw = this.raw
    for (const name of path.split('.')) {
      const map = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>) : {}
      raw = Object.hasOwn(map, name) ? map[name] : undefined
    }
    return new Value(raw)
  }

  /** Whether there is one. */
  get isSet(): boolean {
    return this.raw !== undefined && this.raw !== null
  }

  /** As text; the other where it is missing or empty. */
  text(other = ''): string {
    if (!this.isSet || this.raw === '') return other
    return typeof this.raw === 'object' ? formatJson(this.raw) : String(this.raw as string)
  }

  /** Text at a path. */
  textAt(path: string, other = ''): string {
    return this.at(path).text(other)
  }

  get number(): number {
    return typeof this.raw === 'number' ? this.raw : 0
  }

  get isTrue(): boolean {
    return this.raw === true
  }

  /** Items of a list. */
  items(path = ''): Value[] {
    const { raw } = path === '' ? this : this.at(path)
    return Array.isArray(raw) ? raw.map((item) => new Value(item)) : []
  }

  /** Texts of a list. */
  texts(path: string): string[] {
    return this.items(path).map((item) => item.text())
  }

  /** Members of a map, by name. */
  members(path = ''): (readonly [name: string, value: Value])[] {
    const { raw } = path === '' ? this : this.at(path)
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return []
    return Object.entries(raw)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, new Value(value)] as const)
  }
}
