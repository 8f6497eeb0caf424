/**
 * The patch of a client-side apply: what the configuration changes of the live object, and what the last configuration
 * had and this one has not. Fields that only the live object has stay.
 */
import { setOwn } from '../../codec/json-scanner.ts'
import type { Holds, Shape } from '../../notation/shape.ts'
import { isObject, sameJson, type JsonObject } from '../../patch/json-value.ts'
import { itemsOf, memberOf, type Member } from '../../patch/strategic-merge-schema.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'

/** The three states of an object. */
export interface States {
  /** As it was applied last. */
  readonly original: JsonObject
  /** As it is to be applied. */
  readonly modified: JsonObject
  /** As the server has it. */
  readonly current: JsonObject
}

/** A strategic merge patch for a built-in kind. Throws PatchMismatch for fields that its type does not have. */
export function strategicPatch(shape: Shape, states: States, v: Vocabulary): JsonObject {
  return new ThreeWay(v).objects({ is: 'object', to: () => shape }, states)
}

/** A JSON merge patch for any kind. */
export const mergePatch = (states: States): JsonObject => new ThreeWay(null).objects(null, states)

const PLAIN: Member = { holds: null, replaces: false, merges: false, retains: false, key: null }

class ThreeWay {
  readonly #v: Vocabulary | null

  constructor(v: Vocabulary | null) {
    this.#v = v
  }

  objects(holds: Holds | null, { original, modified, current }: States): JsonObject {
    const patch: JsonObject = {}
    for (const [key, next] of Object.entries(modified)) {
      const now = own(current, key)
      if (now !== undefined && sameJson(next, now)) continue
      const member = this.#member(holds, key)
      if (next === null && now === undefined) continue
      if (isObject(next) && isObject(now) && !member.replaces) {
        const before = own(original, key)
        const inner = this.objects(member.holds, {
          original: isObject(before) ? before : {},
          modified: next,
          current: now,
        })
        if (member.retains && Object.keys(inner).length > 0 && hasOthers(now, next)) {
          inner.$retainKeys = Object.keys(next).sort()
        } else if (member.retains && hasOthers(now, next) && this.#changesChoice(next, now)) {
          inner.$retainKeys = Object.keys(next).sort()
        }
        if (Object.keys(inner).length > 0) setOwn(patch, key, inner)
      } else if (Array.isArray(next) && Array.isArray(now) && member.merges) {
        this.#list(patch, key, member, {
          original: own(original, key),
          modified: next,
          current: now,
        })
      } else setOwn(patch, key, next)
    }
    for (const key of Object.keys(original)) {
      if (!Object.hasOwn(modified, key) && Object.hasOwn(current, key)) setOwn(patch, key, null)
    }
    return patch
  }

  #changesChoice(next: JsonObject, now: JsonObject): boolean {
    return Object.keys(next).some((key) => !Object.hasOwn(now, key))
  }

  #member(holds: Holds | null, key: string): Member {
    if (this.#v === null || holds === null) return PLAIN
    try {
      return memberOf(holds, key, this.#v)
    } catch {
      // The server refuses a field that there is not, or warns of it.
      return PLAIN
    }
  }

  #list(
    patch: JsonObject,
    name: string,
    member: Member,
    states: { original: unknown; modified: unknown[]; current: unknown[] },
  ): void {
    const { modified, current } = states
    const original = Array.isArray(states.original) ? states.original : []
    const { key } = member
    if (key === null) {
      const added = modified.filter((item) => !current.includes(item))
      const gone = original.filter((item) => !modified.includes(item) && current.includes(item))
      if (gone.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = gone
      if (added.length > 0) setOwn(patch, name, added)
      if (gone.length + added.length > 0) patch[`$setElementOrder/${name}`] = modified
      return
    }
    const items = this.#items(itemsOf(member.holds), key, {
      original: original.filter(isObject),
      modified: modified.filter(isObject),
      current: current.filter(isObject),
      retains: member.retains,
    })
    const order = modified.filter(isObject).map((item) => item[key])
    const live = current.filter(isObject).map((item) => item[key])
    const kept = live.filter((value) => order.includes(value))
    const isInOrder = sameJson(
      kept,
      order.filter((value) => live.includes(value)),
    )
    if (items.length === 0 && isInOrder) return
    patch[`$setElementOrder/${name}`] = order.map((value) => ({ [key]: value }))
    if (items.length > 0) setOwn(patch, name, items)
  }

  #items(
    holds: Holds | null,
    key: string,
    states: {
      original: JsonObject[]
      modified: JsonObject[]
      current: JsonObject[]
      retains: boolean
    },
  ): JsonObject[] {
    const { original, modified, current, retains } = states
    const find = (items: JsonObject[], value: unknown) => items.find((item) => item[key] === value)
    const changed = modified.flatMap((next) => {
      const now = find(current, next[key])
      if (!now) return [next]
      const inner = this.objects(holds, {
        original: find(original, next[key]) ?? {},
        modified: next,
        current: now,
      })
      if (Object.keys(inner).length === 0) return []
      if (retains && hasOthers(now, next)) inner.$retainKeys = Object.keys(next).sort()
      return [{ ...inner, [key]: next[key] }]
    })
    const gone = original.filter(
      (old) => !find(modified, old[key]) && find(current, old[key]) !== undefined,
    )
    return [...changed, ...gone.map((old) => ({ $patch: 'delete', [key]: old[key] }))]
  }
}

const own = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const hasOthers = (now: JsonObject, next: JsonObject): boolean =>
  Object.keys(now).some((key) => !Object.hasOwn(next, key))
