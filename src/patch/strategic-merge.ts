/**
 * Strategic merge patch: a merge patch in which lists merge by their declaration, with `$` directives for operations
 * that plain JSON cannot express.
 */
import { MAX_DEPTH, setOwn } from '../codec/json-scanner.ts'
import type { Holds, Shape } from '../notation/shape.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { isObject, type JsonObject, nestsTooDeeply } from './json-value.ts'
import { PatchMismatch, PatchSyntaxError } from './patch-errors.ts'
import {
  badDirective,
  listDirective,
  listName,
  PATCH,
  RETAIN_KEYS,
  retainKeys,
  unknownPatchType,
  withoutDirectives,
} from './strategic-merge-directives.ts'
import {
  checkOrder,
  inOrder,
  kindName,
  kindOfItems,
  mergeLists,
  removeScalars,
} from './strategic-merge-lists.ts'
import { itemsOf, memberOf, type Member } from './strategic-merge-schema.ts'

/**
 * Applies a strategic merge patch to an object of the given shape, both in their JSON form. The document is not
 * changed; the result shares with it what the patch did not touch, and nothing with the patch. Throws PatchSyntaxError,
 * PatchFailed and PatchMismatch.
 */
export function strategicMerge(
  shape: Shape,
  document: unknown,
  patch: unknown,
  v: Pick<Vocabulary, 'resolve'>,
): unknown {
  if (!isObject(patch)) {
    throw new PatchSyntaxError('error decoding patch: a strategic merge patch must be an object')
  }
  const live = isObject(document) ? document : {}
  return new Merge(v).objects({ is: 'object', to: () => shape }, live, patch, MAX_DEPTH)
}

/** `room` is the remaining depth of nested containers. */
class Merge {
  readonly #v: Pick<Vocabulary, 'resolve'>

  constructor(v: Pick<Vocabulary, 'resolve'>) {
    this.#v = v
  }

  objects(holds: Holds | null, live: JsonObject, patch: JsonObject, room: number): JsonObject {
    if (room <= 0) throw nestsTooDeeply()
    if (Object.hasOwn(patch, PATCH)) {
      if (patch[PATCH] === 'delete') return {}
      if (patch[PATCH] !== 'replace') throw unknownPatchType(patch)
      // Not undefined: that is left of a deletion only.
      return withoutDirectives(patch, room) as JsonObject
    }
    const result = { ...live }
    retainKeys(result, patch)
    const done = this.#orderedLists(holds, result, patch, room)
    deletedScalars(result, patch)
    for (const [key, value] of Object.entries(patch)) {
      if (key === RETAIN_KEYS || listDirective(key) !== null || done.has(key)) continue
      const merged = value === null ? undefined : this.#member(holds, result, key, value, room - 1)
      if (merged === undefined) delete result[key]
      else setOwn(result, key, merged)
    }
    return result
  }

  #member(
    holds: Holds | null,
    live: JsonObject,
    key: string,
    patch: unknown,
    room: number,
  ): unknown {
    const present = own(live, key)
    if (Array.isArray(present) && Array.isArray(patch)) {
      return this.#lists(memberOf(holds, key, this.#v), present, patch, room)
    }
    if (isObject(present) && isObject(patch)) {
      const member = memberOf(holds, key, this.#v)
      if (!member.replaces || Object.hasOwn(patch, PATCH)) {
        return this.objects(member.holds, present, patch, room)
      }
    }
    return withoutDirectives(patch, room)
  }

  #lists(
    member: Member,
    live: readonly unknown[],
    patch: readonly unknown[],
    room: number,
  ): readonly unknown[] {
    if (room <= 0) throw nestsTooDeeply()
    // A list stays one.
    if (!member.merges) return withoutDirectives(patch, room) as readonly unknown[]
    const items = itemsOf(member.holds)
    return mergeLists(live, patch, {
      key: member.key,
      merge: (one, change) => this.objects(items, one, change, room - 1),
      add: (item) => withoutDirectives(item, room - 1),
    })
  }

  /** Merges the lists whose order the patch specifies; `result` is changed. Returns the names of the merged lists. */
  #orderedLists(
    holds: Holds | null,
    result: JsonObject,
    patch: JsonObject,
    room: number,
  ): ReadonlySet<string> {
    const done = new Set<string>()
    for (const [directive, order] of Object.entries(patch)) {
      if (listDirective(directive) !== 'order') continue
      const name = listName(directive, 'order')
      if (!Array.isArray(order)) throw badDirective('order')
      const live = listIn(result, name)
      const change = listIn(patch, name)
      const member = memberOf(holds, name, this.#v)
      if (change) checkOrder(change, order, member.key)
      const merged = change ? this.#ordered(member, live, change, room - 1) : live
      if (!merged) continue
      if (kindOfItems(merged, order) === 'object' && member.key === null) {
        throw new PatchMismatch('cannot order lists without merge key')
      }
      setOwn(result, name, inOrder(merged, order, live ?? [], member.key))
      if (change) done.add(name)
    }
    return done
  }

  #ordered(
    member: Member,
    live: readonly unknown[] | undefined,
    change: readonly unknown[],
    room: number,
  ): readonly unknown[] {
    if (live) return this.#lists(member, live, change, room)
    // A list stays one.
    return withoutDirectives(change, room) as readonly unknown[]
  }
}

/** Removes the items from lists that the patch lists for deletion; `result` is changed. */
function deletedScalars(result: JsonObject, patch: JsonObject): void {
  for (const [directive, gone] of Object.entries(patch)) {
    if (listDirective(directive) !== 'delete') continue
    const name = listName(directive, 'delete')
    if (!Array.isArray(gone)) throw badDirective('delete')
    const live = own(result, name)
    if (Array.isArray(live)) setOwn(result, name, removeScalars(live, gone))
  }
}

/** A list that a directive is about; undefined when there is none. */
function listIn(object: JsonObject, name: string): readonly unknown[] | undefined {
  const found = own(object, name)
  if (found === undefined || found === null) return undefined
  if (Array.isArray(found)) return found
  throw new PatchMismatch(`expected a slice, but received a ${kindName(found)}`)
}

const own = (object: JsonObject, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined
