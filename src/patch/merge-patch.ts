import { setOwn } from '../codec/json-scanner.ts'
import { isObject, type JsonObject, patchCloner } from './json-value.ts'
import { PatchSyntaxError } from './patch-errors.ts'

/**
 * Applies a JSON merge patch (RFC 7386) to an object of the API. The document is not changed; the
 * result shares with it what the patch did not touch, and nothing with the patch. Throws
 * PatchSyntaxError when the patch is not an object.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) {
    throw new PatchSyntaxError('error decoding patch: a merge patch must be an object')
  }
  return mergeValue(document, patch)
}

/**
 * RFC 7386 for any two values: null deletes, lists and scalars replace, objects merge; nulls inside
 * newly added objects are dropped, those inside lists stay.
 */
export function mergeValue(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return values.clone(patch)
  const result: JsonObject = isObject(target) ? { ...target } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else {
      const present = Object.hasOwn(result, key) ? result[key] : undefined
      setOwn(result, key, mergeValue(present, value))
    }
  }
  return result
}

const values = patchCloner()
