import { finish, type Steps } from '../base/steps.ts'
import { MAX_DEPTH, setOwn } from '../codec/json-scanner.ts'
import {
  isObject,
  isWithin,
  type JsonObject,
  nestsTooDeeply,
  patchCloner,
  sameJson,
} from './json-value.ts'
import {
  indexIn,
  type IndexFault,
  jsonTypeOf,
  mistyped,
  own,
  type Path,
  type Pointer,
  pointer,
  withIndex,
} from './json-patch-path.ts'
import { PatchFailed, PatchSyntaxError, TooManyOperations } from './patch-errors.ts'

export { PatchFailed, PatchSyntaxError, TooManyOperations } from './patch-errors.ts'

/** Operations that one patch may hold (api-machinery section 10). */
const MAX_OPERATIONS = 10_000

/** Bytes by which `copy` may let a document grow (api-machinery section 10). */
const MAX_COPIED_BYTES = 3_145_728

/** List items that may move aside for others, so that a small patch cannot keep the server busy. */
const MAX_SHIFTED_ITEMS = 250_000_000

/**
 * Applies a JSON patch (RFC 6902) as leniently as the reference does: `replace` adds a member that is absent, `copy` of an
 * absent member and a value that is left out are null, an index may have leading zeros or a sign (a negative one counts
 * from the end), what is before the first slash of a path is ignored, and to replace the document with a scalar does
 * nothing. The document is not changed; the result shares with it what the patch did not touch, and nothing with the
 * patch. Throws PatchSyntaxError, TooManyOperations and PatchFailed.
 */
export const applyJsonPatch = (document: unknown, patch: unknown): unknown =>
  finish(jsonPatchSteps(document, patch))

/** Applies a JSON patch in steps of one operation. */
export function* jsonPatchSteps(document: unknown, patch: unknown): Steps<unknown> {
  if (patch === null) return document
  if (!Array.isArray(patch)) throw new PatchSyntaxError(mistyped(patch, 'jsonpatch.Patch'))
  if (patch.length > MAX_OPERATIONS) throw new TooManyOperations(patch.length, MAX_OPERATIONS)
  for (const operation of patch) {
    if (operation !== null && !isObject(operation)) {
      throw new PatchSyntaxError(mistyped(operation, 'jsonpatch.Operation'))
    }
  }
  const draft = new Draft(document)
  for (const operation of patch) {
    apply(draft, (operation ?? {}) as JsonObject)
    yield
  }
  return draft.finish()
}

/** Members of operations that are texts. */
const TEXTS = ['op', 'path', 'from'] as const

/** Why a JSON patch does not have the form of one: the first fault; null when there is none. */
export function jsonPatchFault(patch: unknown): string | null {
  if (patch === null) return null
  if (!Array.isArray(patch)) return mistyped(patch, '[]handlers.jsonPatchOp')
  for (const operation of patch) {
    if (operation === null) continue
    if (!isObject(operation)) return mistyped(operation, 'handlers.jsonPatchOp')
    for (const name of Object.keys(operation)) {
      const text = operation[name]
      if (typeof text === 'string' || text === null) continue
      if (!TEXTS.some((one) => one === name)) continue
      return `json: cannot unmarshal ${jsonTypeOf(text)} into Go struct field jsonPatchOp.${name} of type string`
    }
  }
  return null
}

function apply(draft: Draft, operation: JsonObject): void {
  const kind = own(operation, 'op')
  switch (kind) {
    case 'add':
      return draft.add(pointer(operation, 'path', kind), operation)
    case 'remove':
      return draft.remove(pointer(operation, 'path', kind))
    case 'replace':
      return draft.replace(pointer(operation, 'path', kind), operation)
    case 'move': {
      const from = pointer(operation, 'from', kind)
      return draft.move(from, () => pointer(operation, 'path', kind))
    }
    case 'copy': {
      const from = pointer(operation, 'from', kind)
      return draft.copy(from, pointer(operation, 'path', kind))
    }
    case 'test':
      return draft.test(pointer(operation, 'path', kind), own(operation, 'value'))
    default:
      throw new PatchFailed(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`)
  }
}

const values = patchCloner()

/** The value of an operation; null where there is none. */
const inserted = (operation: JsonObject, { segments }: Path) =>
  values.clone(own(operation, 'value') ?? null, MAX_DEPTH - segments.length)

const missing = (text: string) => new PatchFailed(`${text}: missing value`)

/** Where an operation changes something. */
interface Place {
  readonly container: unknown[] | JsonObject
  readonly last: string
  readonly path: Path
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

  add(path: Pointer, operation: JsonObject): void {
    const place = this.#place(
      path,
      (text) => `add operation does not apply: doc is missing path: "${text}"`,
    )
    this.#insert(
      place,
      inserted(operation, place.path),
      (why) => `error in add for path: '${path.text}': ${why}`,
    )
  }

  remove(path: Pointer): void {
    const place = this.#place(
      path,
      (text) => `remove operation does not apply: doc is missing path: "${text}"`,
    )
    this.#take(place, (why) => `error in remove for path: '${path.text}': ${why}`)
  }

  replace(path: Pointer, operation: JsonObject): void {
    if (path.text === '') return this.#replaceRoot(own(operation, 'value'))
    const place = this.#place(
      path,
      (text) => `replace operation does not apply: doc is missing path: ${text}`,
    )
    const { container, last } = place
    const item = inserted(operation, place.path)
    const word = () =>
      `replace operation does not apply: doc is missing key: ${path.text}: missing value`
    if (Array.isArray(container)) {
      container[withIndex(word, () => indexIn(container.length, last))] = item
    } else setOwn(container, last, item)
  }

  move(from: Pointer, to: () => Pointer): void {
    const source = this.#place(
      from,
      (text) => `move operation does not apply: doc is missing from path: ${text}`,
    )
    const item = this.#take(source, (why) => `error in move for path: '${source.last}': ${why}`)
    const path = to()
    const place = this.#place(
      path,
      (text) => `move operation does not apply: doc is missing destination path: ${text}`,
    )
    if (place.path.segments.length > source.path.segments.length) this.#deepened = true
    this.#insert(place, item, (why) => `error in move for path: '${path.text}': ${why}`)
  }

  copy(from: Pointer, path: Pointer): void {
    const found = this.#found(from, {
      noParent: (text) => `copy operation does not apply: doc is missing from path: ${text}`,
      noItem: (why) => `error in copy for from: '${from.text}': ${why}`,
    })
    const place = this.#place(
      path,
      (text) => `copy operation does not apply: doc is missing destination path: ${text}`,
    )
    const room = MAX_DEPTH - place.path.segments.length
    const item = found === null ? null : this.#copies.clone(found, room)
    this.#insert(place, item, (why) => `error while adding value during copy: ${why}`)
  }

  /** `value` is undefined when the operation has none: that equals nothing. */
  test(path: Pointer, value: unknown): void {
    const found =
      path.text === ''
        ? this.#root
        : this.#found(path, {
            noParent: (text) => `test operation does not apply: is missing path: ${text}`,
            noItem: (why) => `error in test for path: '${path.text}': ${why}`,
          })
    if (value === undefined || !sameJson(found, value)) {
      throw new PatchFailed(`testing value ${path.text} failed: test failed`)
    }
  }

  #replaceRoot(value: unknown): void {
    if (value === undefined)
      throw new PatchFailed('replace operation value must be object or array')
    if (typeof value === 'object' && value !== null) this.#root = values.clone(value)
  }

  #insert({ container, last }: Place, item: unknown, word: (why: string) => string): void {
    if (!Array.isArray(container)) {
      setOwn(container, last, item)
      return
    }
    const wordIndex = ({ message, isSyntax }: IndexFault) =>
      word(isSyntax ? `value was not a proper array index: '${last}': ${message}` : message)
    // Counted from the end, -1 is the place after the last item.
    const index =
      last === '-'
        ? container.length
        : withIndex(wordIndex, () => indexIn(container.length + 1, last))
    this.#shift(container.length - index)
    container.splice(index, 0, item)
  }

  #take({ container, last }: Place, word: (why: string) => string): unknown {
    if (Array.isArray(container)) {
      const index = withIndex(
        ({ message }) => word(message),
        () => indexIn(container.length, last),
      )
      this.#shift(container.length - index)
      return container.splice(index, 1)[0]
    }
    const found = own(container, last)
    if (found === undefined) {
      throw missing(word(`Unable to remove nonexistent key: ${last}`))
    }
    delete container[last]
    return found
  }

  /** What a pointer refers to: null for an absent member, whose parent has to be there. */
  #found(
    { text, segments }: Pointer,
    word: { noParent: (text: string) => string; noItem: (why: string) => string },
  ): unknown {
    let found = this.#root
    for (const [i, segment] of (segments ?? []).entries()) {
      const isLast = i === segments!.length - 1
      if (typeof found !== 'object' || found === null) throw missing(word.noParent(text))
      const container = found
      if (Array.isArray(container)) {
        const wordIndex = ({ message }: IndexFault) =>
          isLast ? word.noItem(message) : `${word.noParent(text)}: missing value`
        found = container[withIndex(wordIndex, () => indexIn(container.length, segment))]
      } else found = own(container as JsonObject, segment) ?? null
    }
    if (segments === null) throw missing(word.noParent(text))
    return found
  }

  /** The container of the last segment, ready to be changed. */
  #place(path: Pointer, word: (text: string) => string): Place {
    const { text, segments } = path
    const fail = () => missing(word(text))
    if (segments === null) throw fail()
    let container = (this.#root = this.#own(this.#root, fail))
    for (const segment of segments.slice(0, -1)) {
      const isList = Array.isArray(container)
      const { length } = container as unknown[]
      const key = isList
        ? withIndex(
            () => fail().message,
            () => indexIn(length, segment),
          )
        : segment
      const member = isList
        ? (container as unknown[])[key as number]
        : own(container as JsonObject, segment)
      const ready = this.#own(member, fail)
      if (ready !== member) {
        if (isList) (container as unknown[])[key as number] = ready
        else setOwn(container as JsonObject, segment, ready)
      }
      container = ready
    }
    return { container, last: segments.at(-1)!, path: { text, segments } }
  }

  #own(container: unknown, fail: () => PatchFailed): unknown[] | JsonObject {
    if (typeof container !== 'object' || container === null) throw fail()
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
