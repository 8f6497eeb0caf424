import type { Holds, Shape } from '../notation/shape.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { isObject, type JsonObject, sameJson } from './json-value.ts'
import { itemsOf, memberOf } from './strategic-merge-schema.ts'

/** A strategic merge patch from one document to another, with all applicable directives. */
export function difference(
  shape: Shape,
  before: JsonObject,
  after: JsonObject,
  v: Vocabulary,
): JsonObject {
  return objects({ is: 'object', to: () => shape }, before, after, v)
}

function objects(holds: Holds | null, before: JsonObject, after: JsonObject, v: Vocabulary) {
  const patch: JsonObject = {}
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) patch[key] = null
  for (const [key, next] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    if (old !== undefined && sameJson(old, next)) continue
    const member = memberOf(holds, key, v)
    if (isObject(old) && isObject(next)) {
      patch[key] = member.replaces ? next : objects(member.holds, old, next, v)
    } else if (Array.isArray(old) && Array.isArray(next) && member.merges) {
      patch[`$setElementOrder/${key}`] =
        member.key === null ? next : next.map((item) => ({ [member.key!]: item[member.key!] }))
      if (member.key === null) {
        patch[key] = next.filter((item) => !old.includes(item))
        patch[`$deleteFromPrimitiveList/${key}`] = old.filter((item) => !next.includes(item))
      } else patch[key] = items(itemsOf(member.holds), member.key, old, next, v)
    } else patch[key] = next
  }
  return patch
}

function items(
  holds: Holds | null,
  key: string,
  before: JsonObject[],
  after: JsonObject[],
  v: Vocabulary,
): JsonObject[] {
  const gone = before.filter((old) => !after.some((next) => next[key] === old[key]))
  return [
    ...gone.map((old) => ({ [key]: old[key], $patch: 'delete' })),
    ...after.map((next) => {
      const old = before.find((one) => one[key] === next[key])
      if (!old) return next
      return {
        ...objects(holds, old, next, v),
        [key]: next[key],
        $retainKeys: Object.keys(next),
      }
    }),
  ]
}
