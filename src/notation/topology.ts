/** Ownership and merging of the parts of a value in apply. */
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { FieldFacts, Holds, Scalar, Shape } from './shape.ts'

/** The topology of one value. `deduced`: any JSON, whose objects are granular and whose lists are atomic. */
export type Topology = ScalarTopology | ListTopology | MapTopology | { readonly is: 'deduced' }

/** A value without parts; `whole`: any JSON value, whose parts have no owners. */
export interface ScalarTopology {
  readonly is: 'scalar'
  readonly of: 'string' | 'number' | 'boolean' | 'any' | 'whole'
}

/** A list: one value, a set of scalars, or items identified by key fields. */
export interface ListTopology {
  readonly is: 'list'
  readonly relation: 'atomic' | 'set' | 'keyed'
  readonly keys: readonly KeyField[]
  readonly of: () => Topology
}

/** A key field of a keyed list. */
export interface KeyField {
  readonly name: string
  /** Default of the field in items that lack it; undefined: it is required. */
  readonly standard: unknown
}

/** An object or a map. */
export interface MapTopology {
  readonly is: 'map'
  readonly atomic: boolean
  readonly fields: ReadonlyMap<string, DeclaredField>
  /** Topology of all other keys; null: there are none. */
  readonly rest: (() => Topology) | null
}

/** The path element of a field name, in the notation of managedFields (`patch/field-path.ts`). */
export interface FieldStep {
  readonly is: 'field'
  readonly name: string
  readonly text: string
}

/** The path element of a declared field; one for each declaration, so that walks do not allocate. */
export const fieldStep = (name: string): FieldStep => ({ is: 'field', name, text: `f:${name}` })

/** A field with its name and topology. */
export interface DeclaredField {
  readonly element: FieldStep
  readonly of: () => Topology
  /** Value of the field where it is absent and its parent is present. */
  readonly absent?: null
}

/** The topology of values without declaration. */
export const DEDUCED: Topology = { is: 'deduced' }

/** An object or a map without declaration. */
const DEDUCED_MAP: MapTopology = {
  is: 'map',
  atomic: false,
  fields: new Map(),
  rest: () => DEDUCED,
}
const ATOMIC_LIST: ListTopology = { is: 'list', relation: 'atomic', keys: [], of: () => DEDUCED }
/** Topologies of values without parts. */
export const SCALARS = {
  string: { is: 'scalar', of: 'string' },
  number: { is: 'scalar', of: 'number' },
  boolean: { is: 'scalar', of: 'boolean' },
  any: { is: 'scalar', of: 'any' },
  whole: { is: 'scalar', of: 'whole' },
} as const

/** The effective topology of a value: the declared one, or one deduced from the value. */
export function resolve(topology: Topology, value: unknown): Exclude<Topology, { is: 'deduced' }> {
  if (topology.is !== 'deduced') return topology
  if (Array.isArray(value)) return ATOMIC_LIST
  return typeof value === 'object' || value === undefined ? DEDUCED_MAP : SCALARS.any
}

type Words = Pick<Vocabulary, 'resolve'>

const known = new WeakMap<Words, WeakMap<Shape, MapTopology>>()

/** The topology of objects of a shape, in their JSON form. */
export function topologyOf(shape: Shape, v: Words): MapTopology {
  let ofWords = known.get(v)
  if (!ofWords) known.set(v, (ofWords = new WeakMap()))
  let topology = ofWords.get(shape)
  if (!topology) {
    topology = { is: 'map', atomic: shape.atomic, fields: new Map(fieldsOf(shape, v)), rest: null }
    ofWords.set(shape, topology)
  }
  return topology
}

function* fieldsOf(shape: Shape, v: Words): Generator<[string, DeclaredField]> {
  if (shape.typed) {
    for (const name of ['kind', 'apiVersion']) {
      yield [name, { element: fieldStep(name), of: () => SCALARS.string }]
    }
  }
  for (const [template, facts] of shape.fields) {
    if (facts.inline && facts.holds.is === 'object') {
      yield* fieldsOf(facts.holds.to(), v)
      continue
    }
    const name = v.resolve(template)
    const field = { element: fieldStep(name), of: once(() => topologyOfField(facts, v)) }
    yield [name, facts.nullWhenAbsent ? { ...field, absent: null } : field]
  }
}

function topologyOfField(facts: FieldFacts, v: Words): Topology {
  const { holds, list } = facts
  if (facts.whole) return SCALARS.whole
  if (holds.is === 'list') return listOf(facts, holds.of, v)
  if (holds.is !== 'map' || list !== 'atomic') return topologyOfHolds(holds, v)
  return {
    is: 'map',
    atomic: true,
    fields: new Map(),
    rest: once(() => topologyOfHolds(holds.of, v)),
  }
}

// Resolved lazily: a shape may be recursive.
function once(make: () => Topology): () => Topology {
  let made: Topology | undefined
  return () => (made ??= make())
}

// A list without declared ownership is owned as strategic merge patch merges it.
function listOf({ list, patch }: FieldFacts, items: Holds, v: Words): ListTopology {
  const of = once(() => topologyOfHolds(items, v))
  const merges = patch?.strategy.split(',').includes('merge') === true
  const relation = list ?? (merges ? (patch.key === undefined ? 'set' : [patch.key]) : 'atomic')
  if (typeof relation === 'string') return { is: 'list', relation, keys: [], of }
  return { is: 'list', relation: 'keyed', keys: relation.map((key) => keyField(key, items, v)), of }
}

function keyField(template: string, items: Holds, v: Words): KeyField {
  const facts = items.is === 'object' ? fieldIn(items.to(), template) : undefined
  return { name: v.resolve(template), standard: facts ? standardOf(facts) : undefined }
}

function fieldIn(shape: Shape, template: string): FieldFacts | undefined {
  const own = shape.fields.get(template)
  if (own) return own
  for (const { inline, holds } of shape.fields.values()) {
    const found = inline && holds.is === 'object' ? fieldIn(holds.to(), template) : undefined
    if (found) return found
  }
  return undefined
}

// The published default of a scalar that is always written is its zero value.
function standardOf({ default: declared, presence, holds }: FieldFacts): unknown {
  if (declared !== undefined || presence !== 'always') return declared
  switch (kindOf(holds)) {
    case 'string':
      return ''
    case 'number':
      return 0
    case 'boolean':
      return false
    default:
      return undefined
  }
}

function topologyOfHolds(holds: Holds, v: Words): Topology {
  switch (holds.is) {
    case 'object':
      return topologyOf(holds.to(), v)
    case 'list':
      return { ...ATOMIC_LIST, of: once(() => topologyOfHolds(holds.of, v)) }
    case 'map':
      return { ...DEDUCED_MAP, rest: once(() => topologyOfHolds(holds.of, v)) }
    case 'strings':
      return { ...ATOMIC_LIST, of: () => SCALARS.string }
    case 'raw':
      return DEDUCED
    case 'any':
      return DEDUCED
    default:
      return SCALARS[kindOf(holds) ?? 'any']
  }
}

const KIND_OF: Partial<Record<Scalar, ScalarTopology['of']>> = {
  string: 'string',
  bytes: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
}

const kindOf = (holds: Holds): ScalarTopology['of'] | undefined =>
  holds.is === 'list' || holds.is === 'map' || holds.is === 'object' ? undefined : KIND_OF[holds.is]
