import type { Steps } from '../base/steps.ts'
import { copyJson } from '../codec/json-clone.ts'
import { setOwn } from '../codec/json-scanner.ts'
import { WrittenNumbers } from '../codec/written-numbers.ts'
import type { JsonObject } from './json-value.ts'

type Patch = (document: unknown, patch: unknown) => Steps<unknown>
type Path = readonly (string | number)[]

/**
 * Where the numbers of a patch that were `written` with a fraction or an exponent come to lie in a patched document:
 * patched once more with marks in their stead, which are then looked for. Undefined when there are none.
 */
export function placesOf(
  written: WrittenNumbers,
  patch: unknown,
  apply: Patch,
): (document: unknown) => Steps<WrittenNumbers | undefined> {
  if (written.size === 0) return nowhere
  const marked = copyJson(patch)
  const texts = new Map<string, string>()
  for (const [path, text] of written.entries()) {
    if (path.length === 0 || isTested(patch, path)) continue
    // A text of the document that is the same does no harm: nothing that holds a text asks how numbers are written.
    const mark = `number ${texts.size}`
    texts.set(mark, text)
    put(marked, path, mark)
  }
  return function* (document) {
    const found = new WrittenNumbers()
    try {
      find(yield* apply(document, marked), texts, [], found)
    } catch {
      // A test of a value that the same patch has set; there is no other way for this to fail.
      return undefined
    }
    return found
  }
}

/** The numbers of a patch that has none. */
// oxlint-disable-next-line require-yield -- there is nothing to do
export function* nowhere(): Steps<undefined> {
  return undefined
}

/** Whether a value is in a JSON patch for comparison only. */
function isTested(patch: unknown, [operation]: Path): boolean {
  if (typeof operation !== 'number' || !Array.isArray(patch)) return false
  return (patch[operation] as { op?: unknown } | null)?.op === 'test'
}

function put(root: unknown, path: Path, value: string): void {
  let container = root as JsonObject
  for (const step of path.slice(0, -1)) container = container[step] as JsonObject
  setOwn(container, String(path.at(-1)), value)
}

function find(
  value: unknown,
  texts: ReadonlyMap<string, string>,
  path: (string | number)[],
  found: WrittenNumbers,
): void {
  if (typeof value === 'string') {
    const text = texts.get(value)
    if (text !== undefined) found.add(path, text)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const key of Object.keys(value)) {
    path.push(isList ? Number(key) : key)
    find((value as JsonObject)[key], texts, path, found)
    path.pop()
  }
}
