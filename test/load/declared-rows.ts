/** A row for every list and map that a declaration has: as many items as a body may hold. */
import { resources } from '../../src/kinds/index.ts'
import { buildCatalogue } from '../../src/catalogue/catalogue.ts'
import type { FieldFacts, Holds, Shape } from '../../src/notation/shape.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { collectionOf, manifests, objectOf, type Manifest } from '../manifests.fixture.ts'
import { many, manyKeys, type Row } from './row.ts'

const v = vocabularies.kubernetes

/** In a path: the first item of a list. */
const FIRST = '0'

type Json = Record<string, unknown>
interface Place {
  readonly path: readonly string[]
  readonly holds: Holds
  readonly id: string
}

/** Rows of all kinds; a list that several kinds have is in one of them. */
export function declaredRows(): Row[] {
  const catalogue = buildCatalogue(resources, v, () => true)
  const seen = new Set<string>()
  return manifests(v).flatMap((manifest) => {
    const { apiVersion, resource } = manifest
    const at = apiVersion.lastIndexOf('/')
    const { published } = catalogue.find(
      apiVersion.slice(0, Math.max(at, 0)),
      apiVersion.slice(at + 1),
      resource,
    )!
    if (published.is !== 'shape') return []
    return placesIn(published.shape, seen).flatMap((place) => rowsOf(manifest, place))
  })
}

function placesIn(root: Shape, seen: Set<string>): Place[] {
  const places: Place[] = []
  let open: { shape: Shape; path: readonly string[] }[] = [{ shape: root, path: [] }]
  const entered = new Set<Shape>([root])
  while (open.length > 0) {
    const next: typeof open = []
    for (const { shape, path } of open) {
      for (const [name, facts] of shape.fields) {
        const { holds } = facts
        const here = facts.inline ? path : [...path, v.resolve(name)]
        const id = `${shape.home} ${shape.name}.${name}`
        if ((holds.is === 'list' || holds.is === 'map') && !seen.has(id)) {
          seen.add(id)
          places.push({ path: here, holds, id })
        }
        const inner = innermost(holds)
        if (inner && !entered.has(inner) && holds.is !== 'map') {
          entered.add(inner)
          next.push({ shape: inner, path: holds.is === 'list' ? [...here, FIRST] : here })
        }
      }
    }
    open = next
  }
  return places
}

function innermost(holds: Holds): Shape | null {
  if (holds.is === 'object') return holds.to()
  return holds.is === 'list' ? innermost(holds.of) : null
}

function rowsOf(manifest: Manifest, { path, holds, id }: Place): Row[] {
  const rows = [
    rowOf(manifest, path, `${id} filled`, () => filled(holds)),
    changeOf(manifest, path, `${id} changed`, holds),
  ]
  if ((holds.is === 'list' || holds.is === 'map') && holds.of.is === 'object')
    rows.push(rowOf(manifest, path, `${id} empty`, () => empties(holds)))
  return rows
}

function rowOf(
  manifest: Manifest,
  path: readonly string[],
  name: string,
  value: () => unknown,
): Row {
  const collection = collectionOf(manifest)
  return {
    name: `declared ${manifest.apiVersion} ${name}`,
    ask: {
      method: 'POST',
      path: collection,
      body: () => {
        const object = structuredClone(objectOf(manifest, 'big')) as Json
        put(object, path, value())
        const metadata = object['metadata'] as Json
        if (path[0] !== 'metadata') metadata['name'] = manifest.name ?? 'big'
        return JSON.stringify(object)
      },
    },
    status: 0,
    after: [{ method: 'DELETE', path: `${collection}/${manifest.name ?? 'big'}` }],
  }
}

/** What was filled is put anew: lists in another order, maps with other values. */
function changeOf(manifest: Manifest, path: readonly string[], name: string, holds: Holds): Row {
  const made = rowOf(manifest, path, name, () => filled(holds)).ask
  const put = rowOf(manifest, path, name, () => changed(holds))
  const object = `${made.path}/${manifest.name ?? 'big'}`
  return { ...put, before: [made], mayFail: true, ask: { ...put.ask, method: 'PUT', path: object } }
}

function changed(holds: Holds): unknown {
  if (holds.is === 'list') return (filled(holds) as unknown[]).toReversed()
  if (holds.is !== 'map') return null
  return manyKeys(
    (i) => `k${i}`,
    (i) => itemOf(holds.of, i + 1),
  )
}

function filled(holds: Holds): unknown {
  if (holds.is === 'map')
    return manyKeys(
      (i) => `k${i}`,
      (i) => itemOf(holds.of, i),
    )
  if (holds.is === 'list') return many((i) => itemOf(holds.of, i))
  return null
}

function empties(holds: Holds): unknown {
  return holds.is === 'map'
    ? manyKeys(
        (i) => `k${i}`,
        () => ({}),
      )
    : many(() => ({}))
}

function itemOf(holds: Holds, i: number, depth = 0): unknown {
  if (depth > 3) return undefined
  switch (holds.is) {
    case 'object':
      return Object.fromEntries(
        [...holds.to().fields].flatMap(([name, facts]) => {
          const value = fieldOf(facts, i, depth)
          return value === undefined ? [] : [[v.resolve(name), value]]
        }),
      )
    case 'list':
      return [itemOf(holds.of, i, depth + 1)].filter((item) => item !== undefined)
    case 'map':
      return { a: itemOf(holds.of, i, depth + 1) }
    default:
      return scalarOf(holds.is, i)
  }
}

function fieldOf({ holds, oneOf }: FieldFacts, i: number, depth: number): unknown {
  if (oneOf) return holds.is === 'list' ? [oneOf[0]] : oneOf[0]
  if (holds.is === 'object' || holds.is === 'map') return undefined
  return itemOf(holds, i, depth)
}

function scalarOf(is: string, i: number): unknown {
  switch (is) {
    case 'bool':
      return true
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 1 + (i % 65_000)
    case 'bytes':
      return 'eA=='
    case 'time':
    case 'microTime':
      return '2026-01-01T00:00:00Z'
    case 'quantity':
      return `${i}`
    case 'raw':
      return { a: i }
    case 'strings':
      return [`x${i}`]
    default:
      return `x${i}`
  }
}

function put(object: Json, path: readonly string[], value: unknown): void {
  let at: Json = object
  for (const [i, name] of path.entries()) {
    if (i === path.length - 1) {
      at[name] = value
      return
    }
    const isList = path[i + 1] === FIRST
    at = (at[name] ??= isList ? [{}] : {}) as Json
  }
}
