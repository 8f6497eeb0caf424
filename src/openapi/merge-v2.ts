/** Takes documents in version 2 of different servers apart, and puts them together. */
import { formatJson, parseJson } from '../codec/json-text.ts'
import { sorted, type DocumentV2, type Json } from './document.ts'
import type { RemotePart } from './remote-documents.ts'

const REFERENCE = '#/definitions/'

/** A group version, and the parts of a document that are about it. */
export type PartV2 = Pick<DocumentV2, 'paths' | 'definitions'>

/** What a document says of a group version, by a path such as `apis/apps/v1`; null where it is no document. */
export function partOf(document: unknown, path: string): PartV2 | null {
  if (!isObject(document) || !isObject(document['paths'])) return null
  const all = isObject(document['definitions']) ? document['definitions'] : {}
  const paths = sorted(
    Object.entries(document['paths']).flatMap(([at, item]) =>
      isBelow(at, path) && isObject(item) ? [[at, item] as const] : [],
    ),
  )
  const definitions = new Map<string, Json>()
  const due: unknown[] = [paths]
  while (due.length > 0) {
    for (const name of referencesIn(due.pop())) {
      const definition = Object.hasOwn(all, name) ? all[name] : undefined
      if (definitions.has(name) || !isObject(definition)) continue
      definitions.set(name, definition)
      due.push(definition)
    }
  }
  return { paths, definitions: sorted(definitions) }
}

/**
 * One document of all. Where parts define the same name differently, that of the later one gets another: the name with
 * `_v2`, `_v3` and so on. Group versions that others serve are left out of the first document.
 */
export function mergedV2(local: DocumentV2, parts: readonly RemotePart[]): DocumentV2 {
  const paths = new Map(
    Object.entries(local.paths).filter(([at]) => !parts.some(({ path }) => isBelow(at, path))),
  )
  const definitions = new Map(Object.entries(local.definitions))
  for (const { json } of parts) {
    const part = parseJson(json) as PartV2
    const names = newNames(definitions, part.definitions)
    const renamed = names.size === 0 ? part : (withNames(part, names) as PartV2)
    for (const [at, item] of Object.entries(renamed.paths)) if (!paths.has(at)) paths.set(at, item)
    for (const [name, definition] of Object.entries(renamed.definitions)) {
      const now = names.get(name) ?? name
      if (!definitions.has(now)) definitions.set(now, definition)
    }
  }
  return { ...local, paths: sorted(paths), definitions: sorted(definitions) }
}

/** Whether a path belongs to a group version. */
const isBelow = (at: string, path: string): boolean =>
  at === `/${path}` || at.startsWith(`/${path}/`)

/** New names of definitions that differ from those of the same name. */
function newNames(
  present: ReadonlyMap<string, Json>,
  added: Readonly<Record<string, Json>>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, definition] of Object.entries(added)) {
    const text = stableText(definition)
    const fits = (as: string) => {
      const other = present.get(as)
      return other === undefined
        ? as === name || !Object.hasOwn(added, as)
        : stableText(other) === text
    }
    let as = name
    for (let n = 2; !fits(as); n++) as = `${name}_v${n}`
    if (as !== name) names.set(name, as)
  }
  return names
}

/** JSON whose members are sorted. */
function stableText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableText).join()}]`
  if (!isObject(value)) return formatJson(value)
  const members = Object.keys(value).sort()
  return `{${members.map((name) => `${JSON.stringify(name)}:${stableText(value[name])}`).join()}}`
}

/** Names of the definitions that a value refers to. */
function referencesIn(value: unknown): Set<string> {
  const found = new Set<string>()
  const visit = (inner: unknown): void => {
    if (Array.isArray(inner)) for (const item of inner) visit(item)
    else if (isObject(inner)) {
      for (const [name, member] of Object.entries(inner)) {
        if (name === '$ref' && typeof member === 'string') found.add(nameOf(member))
        else visit(member)
      }
    }
  }
  visit(value)
  return found
}

const nameOf = (reference: string): string =>
  reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : ''

function withNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  return withReferences(value, (reference) => {
    const now = names.get(nameOf(reference))
    return now === undefined ? reference : REFERENCE + now
  })
}

/** A copy with other references. */
export function withReferences(value: unknown, change: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withReferences(item, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' && typeof member === 'string'
        ? change(member)
        : withReferences(member, change),
    ]),
  )
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
