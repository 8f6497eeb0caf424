/** Text of a client's that is shown again has an end: what repeats it must not grow with it. */

const ELLIPSIS = '...'

/** The beginning of a text, at most `max` UTF-16 units and dots behind; the text itself where it is no longer. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text
  // Half a surrogate pair cannot be written as UTF-8.
  const last = text.charCodeAt(max - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? max - 1 : max
  return text.slice(0, end) + ELLIPSIS
}

/**
 * A JSON value as compact JSON text, cut off behind `max` UTF-16 units; takes no longer than that, however large the
 * value is. Integers of type `bigint` are written as they are, undefined members are left out.
 */
export function shortJson(value: unknown, max: number): string {
  const writer = new ShortWriter(max)
  writer.value(value)
  return shortened(writer.text, max)
}

class ShortWriter {
  text = ''
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get #isFull(): boolean {
    return this.text.length > this.#max
  }

  value(value: unknown): void {
    if (this.#isFull) return
    if (typeof value === 'string') this.text += this.#quoted(value)
    else if (typeof value === 'bigint') this.text += String(value)
    else if (Array.isArray(value)) this.#list(value)
    else if (typeof value === 'object' && value !== null) this.#object(value)
    else this.text += JSON.stringify(value) ?? 'null'
  }

  #quoted(text: string): string {
    return text.length > this.#max
      ? JSON.stringify(shortened(text, this.#max))
      : JSON.stringify(text)
  }

  #list(list: readonly unknown[]): void {
    this.text += '['
    for (const [i, item] of list.entries()) {
      if (this.#isFull) return
      if (i > 0) this.text += ','
      this.value(item)
    }
    this.text += ']'
  }

  #object(object: object): void {
    this.text += '{'
    let isFirst = true
    // Of a large object, a walk with `in` is far slower than its list of keys.
    for (const key of Object.keys(object)) {
      if (this.#isFull) return
      const member: unknown = (object as Record<string, unknown>)[key]
      if (member === undefined) continue
      if (!isFirst) this.text += ','
      isFirst = false
      this.text += `${this.#quoted(key)}:`
      this.value(member)
    }
    this.text += '}'
  }
}
