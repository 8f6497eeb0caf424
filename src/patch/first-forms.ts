/** Field sets of new objects in their JSON form. Objects of one kind, made by one program, have the same one. */
import { keepText } from '../codec/known-text.ts'
import type { Topology } from '../notation/topology.ts'
import { FirstFieldsWalk, NeedsPlainWay } from './first-fields-text.ts'
import type { Unowned } from './first-fields.ts'
import { isObject, type JsonObject } from './json-value.ts'

/** Characters of texts in one generation; parsed they take about ten times as much. */
const MOST_LENGTH = 256 << 10
/** Part of these that one text may take. */
const LARGEST = 1 / 16

/** Forms that are known by their parts, and parts of each. */
const MOST_RECENT = 8
const MOST_PARTS = 512

/** A form that was used lately, and the parts of its text. */
interface Recent {
  readonly parts: readonly string[]
  readonly form: JsonObject
}

/** The forms of the newest objects; bounded by their length. */
export class FirstForms {
  /** null: seen once, which most of those are that never come again. */
  #young = new Map<string, JsonObject | null>()
  #old: ReadonlyMap<string, JsonObject | null> = new Map()
  #length = 0
  /** Those that were used last. */
  readonly #recent: Recent[] = []
  #next = 0
  readonly #walk = new FirstFieldsWalk()
  readonly #most: number

  constructor(most = MOST_LENGTH) {
    this.#most = most
  }

  /**
   * As `firstFields`; null also where only that can decide. The result must not be changed: other objects may share it.
   */
  find(topology: Topology, zero: unknown, object: unknown, unowned: Unowned): JsonObject | null {
    let parts: readonly string[] | null
    try {
      parts = this.#walk.parts(topology, zero, object, unowned)
    } catch (error) {
      if (error instanceof NeedsPlainWay) return null
      throw error
    }
    return parts === null ? null : (this.#recentOf(parts) ?? this.#ofText(parts))
  }

  /** The form whose text has these parts, if it was among the last ones. */
  #recentOf(parts: readonly string[]): JsonObject | null {
    for (const recent of this.#recent) if (sameParts(recent.parts, parts)) return recent.form
    return null
  }

  #ofText(parts: readonly string[]): JsonObject {
    const text = parts.join('')
    const known = this.#young.has(text) ? this.#young.get(text) : this.#old.get(text)
    if (known) {
      if (!this.#young.has(text)) this.#keep(text, known)
      if (parts.length <= MOST_PARTS) {
        this.#recent[this.#next] = { parts: [...parts], form: known }
        this.#next = (this.#next + 1) % MOST_RECENT
      }
      return known
    }
    const form = JSON.parse(text) as JsonObject
    if (text.length > this.#most * LARGEST) return form
    // What weak maps have is kept longer than what is new and used once.
    this.#keep(text, known === null ? keepText(frozen(form), text) : null)
    return form
  }

  #keep(text: string, form: JsonObject | null): void {
    if (!this.#young.has(text)) this.#length += text.length
    this.#young.set(text, form)
    if (this.#length < this.#most) return
    this.#old = this.#young
    this.#young = new Map()
    this.#length = 0
  }
}

function sameParts(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function frozen(form: JsonObject): JsonObject {
  for (const member of Object.values(form)) if (isObject(member)) frozen(member)
  return Object.freeze(form)
}
