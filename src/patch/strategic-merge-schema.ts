import type { FieldFacts, Holds, Shape } from '../notation/shape.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { PatchMismatch } from './patch-errors.ts'

/** Merge strategy of one value: its type and how it merges. */
export interface Member {
  /** null: any JSON. */
  readonly holds: Holds | null
  /** The value is replaced as a whole; only objects that are declared so. */
  readonly replaces: boolean
  /** Items of the list are merged; otherwise the patch's list replaces the live one. */
  readonly merges: boolean
  /** Members that a patch does not list are removed: only those of one choice may be there. */
  readonly retains: boolean
  /** Merge key of a list's items; null: items are distinguished by value. */
  readonly key: string | null
}

const UNDECLARED: Member = {
  holds: null,
  replaces: false,
  merges: false,
  retains: false,
  key: null,
}

type Words = Pick<Vocabulary, 'resolve'>

const tables = new WeakMap<Words, WeakMap<Shape, ReadonlyMap<string, Member>>>()

/**
 * The declared member of a value under its name in JSON. Values of maps merge by their type alone, parts without
 * declaration as plain JSON. Throws PatchMismatch for a name that the type does not have.
 */
export function memberOf(holds: Holds | null, name: string, v: Words): Member {
  if (holds?.is === 'map') return { ...UNDECLARED, holds: holds.of }
  if (holds?.is !== 'object') return UNDECLARED
  const shape = holds.to()
  const found = tableOf(shape, v).get(name)
  if (!found) {
    throw new PatchMismatch(
      `unable to find api field in struct ${shape.name} for the json field ${JSON.stringify(name)}`,
    )
  }
  return found
}

/** The type of the items of a list. */
export const itemsOf = (holds: Holds | null): Holds | null =>
  holds?.is === 'list' ? holds.of : null

function tableOf(shape: Shape, v: Words): ReadonlyMap<string, Member> {
  let ofWords = tables.get(v)
  if (!ofWords) tables.set(v, (ofWords = new WeakMap()))
  let table = ofWords.get(shape)
  if (!table) ofWords.set(shape, (table = new Map(membersOf(shape, v))))
  return table
}

function* membersOf(shape: Shape, v: Words): Generator<[string, Member]> {
  if (shape.typed) {
    yield ['kind', UNDECLARED]
    yield ['apiVersion', UNDECLARED]
  }
  for (const [name, facts] of shape.fields) {
    if (facts.inline && facts.holds.is === 'object') yield* membersOf(facts.holds.to(), v)
    else yield [v.resolve(name), memberFrom(facts, v)]
  }
}

// Strategies are those of strategic merge patch alone: a list that apply merges by keys is replaced here unless it is
// declared to merge here too (facts, rule 4).
function memberFrom({ holds, patch }: FieldFacts, v: Words): Member {
  const strategies = patch?.strategy.split(',') ?? []
  return {
    holds,
    replaces: strategies.includes('replace'),
    merges: strategies.includes('merge'),
    retains: strategies.includes('retainKeys'),
    key: patch?.key === undefined ? null : v.resolve(patch.key),
  }
}
