/** Why a server does not start with an encryption configuration. Names the place of the fault, never a key. */
export class EncryptionConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EncryptionConfigError'
  }
}

/** A member of the document, by its path; all its faults are collected in one list. */
export class Place {
  readonly path: string
  readonly value: unknown
  readonly #faults: string[]

  constructor(path: string, value: unknown, faults: string[]) {
    this.path = path
    this.value = value
    this.#faults = faults
  }

  /** A member of this object; undefined when it has none of that name. */
  child(name: string): Place {
    const value = isObject(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : null
    return new Place(
      this.path === '' ? name : `${this.path}.${name}`,
      value ?? undefined,
      this.#faults,
    )
  }

  /** The entries of this list, none when it is absent; any other type is a fault. */
  entries(): Place[] {
    if (this.value === undefined) return []
    if (Array.isArray(this.value))
      return this.value.map((v, i) => new Place(`${this.path}[${i}]`, v, this.#faults))
    this.invalid(null, 'must be a list')
    return []
  }

  /** The text here, empty when absent; null, and a fault, when it is something else. */
  text(): string | null {
    if (this.value === undefined) return ''
    if (typeof this.value === 'string') return this.value
    this.invalid(null, 'must be a string')
    return null
  }

  required(why: string): void {
    this.#faults.push(`${this.path}: Required value: ${why}`)
  }

  /** `shown` null: the value is a secret, or has one in it. */
  invalid(shown: string | number | null, why: string): void {
    this.#faults.push(`${this.path}: Invalid value: ${JSON.stringify(shown ?? 'REDACTED')}: ${why}`)
  }

  forbidden(why: string): void {
    this.#faults.push(`${this.path}: Forbidden: ${why}`)
  }
}

/** Whether a JSON value is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
