/** A look for members in JSON without decoding it. */
const QUOTE = 0x22
const COLON = 0x3a

/**
 * Some plain names. Inside of strings the quotes of a name would be escaped with backslashes. One loop over the bytes for
 * all names is many times as fast as a search by the runtime for each.
 */
export class MemberNames {
  /** By their first character. */
  readonly #names: readonly (readonly string[] | undefined)[]

  constructor(names: readonly string[]) {
    const byFirst: string[][] = []
    for (const name of names) (byFirst[name.charCodeAt(0)] ??= []).push(name)
    this.#names = Array.from({ length: 128 }, (_, code) => byFirst[code])
  }

  /** Whether an object has a member of one of the names at a place in JSON without white space, or behind it. */
  isIn(json: Uint8Array, from = 0): boolean {
    const names = this.#names
    for (let i = from; i < json.length; i++) {
      if (json[i] !== QUOTE) continue
      const list = names[json[i + 1] ?? 0]
      if (list === undefined) continue
      for (const name of list) if (isName(json, i + 1, name)) return true
    }
    return false
  }
}

/** Whether a name, a quote and a colon are at a place. */
export function isName(bytes: Uint8Array, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name.charCodeAt(i)) return false
  return bytes[at + name.length] === QUOTE && bytes[at + name.length + 1] === COLON
}
