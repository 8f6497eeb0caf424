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
  readonly #all: readonly string[]

  constructor(names: readonly string[]) {
    this.#all = names
    const byFirst: string[][] = []
    for (const name of names) (byFirst[name.charCodeAt(0)] ??= []).push(name)
    this.#names = Array.from({ length: 128 }, (_, code) => byFirst[code])
  }

  /** Whether an object has a member of one of the names at a place in JSON without white space, or behind it. */
  isIn(json: Uint8Array, from = 0): boolean {
    for (let i = from; i < json.length; i++)
      if (json[i] === QUOTE && this.isAt(json, i + 1)) return true
    return false
  }

  /** Whether one of the names, a quote and a colon are at a place. */
  isAt(json: Uint8Array, at: number): boolean {
    const list = this.#names[json[at] ?? 0]
    if (list === undefined) return false
    for (let i = 0; i < list.length; i++) if (isName(json, at, list[i]!)) return true
    return false
  }

  /** Whether an object has a member of one of the names. */
  isOf(object: object): boolean {
    return this.#all.some((name) => Object.hasOwn(object, name))
  }
}

/** Whether a name, a quote and a colon are at a place. */
export function isName(bytes: Uint8Array, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name.charCodeAt(i)) return false
  return bytes[at + name.length] === QUOTE && bytes[at + name.length + 1] === COLON
}

/** What the metadata of an object under deletion has. */
export const ENDING = new MemberNames(['deletionTimestamp'])
