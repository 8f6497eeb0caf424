/** JSON patch (RFC 6902) with the limits and habits of the field. */

/** Not a patch at all. */
export class PatchSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PatchSyntaxError'
  }
}

/** A patch that does not fit the document. */
export class PatchFailed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PatchFailed'
  }
}

/** More operations than are allowed. */
export class TooManyOperations extends Error {
  constructor(count: number) {
    super(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`)
    this.name = 'TooManyOperations'
  }
}

export const MAX_OPERATIONS = 10_000
/** Bytes by which `copy` may let the document grow. */
const MAX_COPIED = 3_145_728

type Json = unknown
type JsonObject = Record<string, unknown>

interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: readonly string[]
  readonly from: readonly string[]
  readonly value: Json
  readonly hasValue: boolean
}

/**
 * Applies a patch. The document is not changed; what the patch does not touch is shared with the result. Throws
 * PatchSyntaxError, PatchFailed and TooManyOperations.
 */
export function applyJsonPatch(document: Json, patch: Json): Json {
  if (!Array.isArray(patch)) throw new PatchSyntaxError('error decoding patch: a JSON patch must be a list')
  if (patch.length > MAX_OPERATIONS) throw new TooManyOperations(patch.length)
  const operations = patch.map(readOperation)
  let result = document
  let copied = 0
  for (const operation of operations) {
    const { path, from, value } = operation
    switch (operation.op) {
      case 'add':
        result = add(result, path, value)
        break
      case 'remove':
        result = remove(result, path)
        break
      case 'replace':
        look(result, path)
        result = path.length === 0 ? value : replace(result, path, value)
        break
      case 'move': {
        const moved = look(result, from)
        if (from.length < path.length && from.every((step, i) => step === path[i])) {
          throw new PatchFailed('a value cannot be moved into itself')
        }
        result = add(remove(result, from), path, moved)
        break
      }
      case 'copy': {
        const source = look(result, from)
        copied += JSON.stringify(source)?.length ?? 0
        if (copied > MAX_COPIED) throw new PatchFailed('copy operations let the document grow beyond the limit')
        result = add(result, path, structuredClone(source))
        break
      }
      case 'test':
        if (!same(find(result, path) ?? null, operation.hasValue ? value : null)) {
          throw new PatchFailed(`testing value ${pointer(path)} failed`)
        }
        break
    }
  }
  return result
}

const OPS = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test'])

function readOperation(entry: unknown): Operation {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new PatchSyntaxError('error decoding patch: an operation must be an object')
  }
  const { op, path, from, value } = entry as { op?: unknown; path?: unknown; from?: unknown; value?: unknown }
  if (typeof op !== 'string' || !OPS.has(op)) throw new PatchFailed(`unexpected operation ${JSON.stringify(op)}`)
  if (typeof path !== 'string') throw new PatchFailed('operation without a path')
  const hasValue = Object.hasOwn(entry, 'value')
  if ((op === 'add' || op === 'replace') && !hasValue) throw new PatchFailed(`operation ${op} without a value`)
  const fromText = op === 'move' || op === 'copy' ? from : ''
  if (typeof fromText !== 'string') throw new PatchFailed(`operation ${op} without from`)
  return { op: op as Operation['op'], path: steps(path), from: steps(fromText), value, hasValue }
}

function steps(text: string): string[] {
  if (text === '') return []
  if (!text.startsWith('/')) throw new PatchFailed(`path ${JSON.stringify(text)} does not start with a slash`)
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const pointer = (path: readonly string[]) =>
  path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The value at a path; undefined when there is none. */
function find(document: Json, path: readonly string[]): Json {
  let value = document
  for (const step of path) {
    if (Array.isArray(value)) value = value[indexOf(value, step, value.length - 1)] as Json
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, step)) value = (value as JsonObject)[step]
    else return undefined
  }
  return value
}

function look(document: Json, path: readonly string[]): Json {
  const value = find(document, path)
  if (value === undefined) throw new PatchFailed(`missing path ${pointer(path)}`)
  return value
}

/** An index as written, counted from the end when negative; refused when outside 0 to `last`. */
function indexOf(list: readonly Json[], step: string, last: number): number {
  if (!/^-?(0|[1-9]\d{0,9})$/.test(step)) throw new PatchFailed(`bad index ${JSON.stringify(step)}`)
  let index = Number(step)
  if (index < 0) index += list.length
  if (index < 0 || index > last) throw new PatchFailed(`index ${step} is out of bounds`)
  return index
}

/** The document with what `change` makes of the container that holds the last step. */
function edit(document: Json, path: readonly string[], change: (container: Json, step: string) => Json): Json {
  const [step, ...rest] = path
  if (step === undefined) throw new PatchFailed('the whole document has no container')
  if (rest.length === 0) return change(document, step)
  const inner = look(document, [step])
  const changed = edit(inner, rest, change)
  return put(document, step, changed)
}

function put(container: Json, step: string, value: Json): Json {
  if (Array.isArray(container)) return container.with(indexOf(container, step, container.length - 1), value)
  if (typeof container !== 'object' || container === null) throw new PatchFailed(`nothing can be put at ${step}`)
  const entries = new Map(Object.entries(container))
  entries.set(step, value)
  return Object.fromEntries(entries)
}

function add(document: Json, path: readonly string[], value: Json): Json {
  if (path.length === 0) return value
  return edit(document, path, (container, step) => {
    if (!Array.isArray(container)) return put(container, step, value)
    const index = step === '-' ? container.length : indexOf(container, step, container.length)
    return container.toSpliced(index, 0, value)
  })
}

const replace = (document: Json, path: readonly string[], value: Json) =>
  edit(document, path, (container, step) => put(container, step, value))

function remove(document: Json, path: readonly string[]): Json {
  look(document, path)
  if (path.length === 0) return null
  return edit(document, path, (container, step) => {
    if (Array.isArray(container)) return container.toSpliced(indexOf(container, step, container.length - 1), 1)
    const entries = new Map(Object.entries(container as JsonObject))
    entries.delete(step)
    return Object.fromEntries(entries)
  })
}

function same(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((k) => Object.hasOwn(b, k) && same((a as JsonObject)[k], (b as JsonObject)[k]))
  )
}
