import { renderValue } from '../meta/field-errors.ts'
import { MAX_DEPTH, setOwn } from '../codec/json-scanner.ts'
import {
  isObject,
  isWithin,
  type JsonObject,
  nestsTooDeeply,
  patchCloner,
  sameJson,
} from './json-value.ts'
import { PatchFailed, PatchSyntaxError, TooManyOperations } from './patch-errors.ts'

export { PatchFailed, PatchSyntaxError, TooManyOperations } from './patch-errors.ts'

/** Operations that one patch may hold (api-machinery section 10). */
const MAX_OPERATIONS = 10_000

/** Bytes by which `copy` may let a document grow (api-machinery section 10). */
const MAX_COPIED_BYTES = 3_145_728

/** List items that may move aside for others, so that a small patch cannot keep the server busy. */
const MAX_SHIFTED_ITEMS = 250_000_000

/**
 * Applies a JSON patch (RFC 6902; negative indexes count from the end). The document is not changed;
 * the result shares with it what the patch did not touch, and nothing with the patch. Throws
 * PatchSyntaxError, TooManyOperations and PatchFailed.
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) {
    throw new PatchSyntaxError('error decoding patch: a JSON patch must be a list of operations')
  }
  if (patch.length > MAX_OPERATIONS) throw new TooManyOperations(patch.length, MAX_OPERATIONS)
  for (const operation of patch) {
    if (!isObject(operation)) {
      throw new PatchSyntaxError('error decoding patch: an operation must be an object')
    }
  }
  const draft = new Draft(document)
  for (const operation of patch) apply(draft, operation as JsonObject)
  return draft.finish()
}

function apply(draft: Draft, operation: JsonObject): void {
  const kind = own(operation, 'op')
  const path = pointer(operation, 'path')
  switch (kind) {
    case 'add':
      return draft.add(path, inserted(operation, path))
    case 'remove':
      draft.remove(path)
      return
    case 'replace':
      return draft.replace(path, inserted(operation, path))
    case 'move':
      return draft.move(pointer(operation, 'from'), path)
    case 'copy':
      return draft.copy(pointer(operation, 'from'), path)
    case 'test':
      if (sameJson(draft.tested(path), value(operation))) return
      throw new PatchFailed(`testing value ${spell(path)} failed`)
    default:
      throw new PatchFailed(
        `unexpected kind of operation: ${kind === undefined ? 'unknown' : renderValue(kind)}`,
      )
  }
}

const own = (object: JsonObject, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined

function value(operation: JsonObject): unknown {
  const found = own(operation, 'value')
  if (found === undefined) throw new PatchFailed('operation without value')
  return found
}

const values = patchCloner()

const inserted = (operation: JsonObject, path: Path) =>
  values.clone(value(operation), MAX_DEPTH - path.length)

type Path = readonly string[]

/** The segments of a JSON pointer (RFC 6901). */
function pointer(operation: JsonObject, member: 'path' | 'from'): Path {
  const text = own(operation, member)
  if (typeof text !== 'string') throw new PatchFailed(`operation without ${member}`)
  if (text === '') return []
  if (!text.startsWith('/')) throw new PatchFailed(`${member} does not start with a slash: ${text}`)
  const segments = text.slice(1).split('/')
  if (segments.length > MAX_DEPTH) throw nestsTooDeeply()
  if (!text.includes('~')) return segments
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const spell = (path: Path) =>
  path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const missing = (path: Path) => new PatchFailed(`missing path: ${spell(path)}`)

const INDEX = /^-?(?:0|[1-9][0-9]{0,9})$/

/** A place in a list, 0 to `length` - 1; negative ones count back from `length`. */
function indexIn(length: number, segment: string): number {
  if (!INDEX.test(segment)) throw new PatchFailed(`not a list index: ${segment}`)
  const written = Number(segment)
  const index = written < 0 ? written + length : written
  if (index < 0 || index >= length) throw new PatchFailed(`list index out of range: ${segment}`)
  return index
}

/** A document being patched: containers on the way to a change are copied, each at most once. */
class Draft {
  #root: unknown
  readonly #owned = new WeakSet<object>()
  readonly #copies = patchCloner(MAX_COPIED_BYTES)
  #shifted = 0
  /** A value was moved deeper, so the depth of the result is unknown. */
  #deepened = false

  constructor(document: unknown) {
    this.#root = document
  }

  finish(): unknown {
    if (this.#deepened && !isWithin(this.#root, MAX_DEPTH)) throw nestsTooDeeply()
    return this.#root
  }

  add(path: Path, item: unknown): void {
    const last = path.at(-1)
    if (last === undefined) {
      this.#root = item
      return
    }
    const container = this.#container(path)
    if (Array.isArray(container)) {
      // Counted from the end, -1 is the place after the last item.
      const index = last === '-' ? container.length : indexIn(container.length + 1, last)
      this.#shift(container.length - index)
      container.splice(index, 0, item)
    } else setOwn(container, last, item)
  }

  remove(path: Path): unknown {
    const last = path.at(-1)
    if (last === undefined) throw new PatchFailed('the whole document cannot be removed')
    const container = this.#container(path)
    if (Array.isArray(container)) {
      const index = indexIn(container.length, last)
      this.#shift(container.length - index)
      return container.splice(index, 1)[0]
    }
    const found = own(container, last)
    if (found === undefined) throw missing(path)
    delete container[last]
    return found
  }

  replace(path: Path, item: unknown): void {
    const last = path.at(-1)
    if (last === undefined) {
      this.#root = item
      return
    }
    const container = this.#container(path)
    if (Array.isArray(container)) container[indexIn(container.length, last)] = item
    else if (own(container, last) === undefined) throw missing(path)
    else setOwn(container, last, item)
  }

  move(from: Path, path: Path): void {
    if (from.length < path.length && from.every((segment, i) => segment === path[i])) {
      throw new PatchFailed('a value cannot be moved into itself')
    }
    if (from.length === 0) return
    if (path.length > from.length) this.#deepened = true
    this.add(path, this.remove(from))
  }

  copy(from: Path, path: Path): void {
    this.add(path, this.#copies.clone(this.#look(from), MAX_DEPTH - path.length))
  }

  /** Operand of a test: an absent key counts as null, an absent item fails. */
  tested(path: Path): unknown {
    const last = path.at(-1)
    if (last === undefined) return this.#root
    const container = this.#look(path.slice(0, -1))
    if (isObject(container)) return own(container, last) ?? null
    return this.#member(container, path, path.length - 1)
  }

  #look(path: Path): unknown {
    let found = this.#root
    for (let i = 0; i < path.length; i++) found = this.#member(found, path, i)
    return found
  }

  #member(container: unknown, path: Path, at: number): unknown {
    const segment = path[at]!
    if (Array.isArray(container)) return container[indexIn(container.length, segment)]
    const found = isObject(container) ? own(container, segment) : undefined
    if (found === undefined) throw missing(path.slice(0, at + 1))
    return found
  }

  /** The container of the last segment, ready to be changed. */
  #container(path: Path): unknown[] | JsonObject {
    let container = (this.#root = this.#own(this.#root, path, 0))
    for (let i = 0; i < path.length - 1; i++) {
      const member = this.#member(container, path, i)
      const ready = this.#own(member, path, i + 1)
      if (ready !== member) {
        if (Array.isArray(container)) container[indexIn(container.length, path[i]!)] = ready
        else setOwn(container, path[i]!, ready)
      }
      container = ready
    }
    return container
  }

  #own(container: unknown, path: Path, at: number): unknown[] | JsonObject {
    if (typeof container !== 'object' || container === null) throw missing(path.slice(0, at + 1))
    // An object that is no list came from JSON text or was made by this patch.
    if (this.#owned.has(container)) return container as unknown[] | JsonObject
    const copy = Array.isArray(container) ? container.slice() : { ...(container as JsonObject) }
    this.#owned.add(copy)
    return copy
  }

  #shift(items: number): void {
    this.#shifted += items
    if (this.#shifted > MAX_SHIFTED_ITEMS) throw new PatchFailed('too many list items to move')
  }
}
