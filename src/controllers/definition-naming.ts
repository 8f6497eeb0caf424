import {
  hasCondition,
  setCondition,
  type CustomResourceDefinition,
} from '../kinds/apiextensions/custom-resource-definition.ts'
import type { CustomResourceDefinitionNames } from '../kinds/apiextensions/custom-resource-definition-spec.ts'
import { inBackground } from '../base/background-pace.ts'
import { sameValue } from '../meta/field-errors.ts'
import { definitions } from './addresses.ts'
import { workQueue, type Controller } from './controller.ts'
import { asleep, following, handled, onChange } from './following.ts'

const NAME = 'customresourcedefinition-naming'

/** Reason for a definition whose objects are not served. */
const NOT_SERVED = 'NotServed'

/** Dependencies of the controller. */
export interface DefinitionNamingOptions {
  /** Whether it serves the objects of kinds that are in force; else no definition ever is. */
  readonly servesObjects: boolean
}

/** Accepts the names of definitions that are unused in their group, and reports whether they are established. */
export const definitionNaming = ({ servesObjects }: DefinitionNamingOptions): Controller => ({
  name: NAME,
  async start(context) {
    const { informers, resources, signal, clock, v } = context
    const address = definitions(v)
    if (!(await resources.serves(address))) return asleep
    const client = context.clientFor(NAME)
    const informer = informers.of<CustomResourceDefinition>(address)
    const known = new KnownNames()
    const read = (name: string) => informer.lister.entry('', name)?.without(...LARGE) ?? null
    let isLoaded = false
    /** Remembers the names of a definition, and enqueues others of its group when the names have changed. */
    const learn = (name: string, now: Names | null) => {
      const others = known.learn(name, now)
      if (isLoaded) for (const other of others) queue.add(other)
    }
    /** The definition as it should be, and why not all of its names are accepted. */
    const judged = (definition: CustomResourceDefinition) => {
      const next = { ...definition, status: structuredClone(definition.status) }
      const now = clock.now()
      const refusal = accept(next, known.othersOf(definition), now)
      if (servesObjects) prepare(next, refusal, now)
      else withhold(next, refusal, now)
      // Readers see that the names are accepted before they see that the definition is in force.
      if (servesObjects && sameValue(next.status, definition.status)) establish(next, now)
      return sameValue(next.status, definition.status) ? null : next
    }
    const queue = workQueue(context, NAME, {
      async work(name) {
        const definition = read(name)
        learn(name, definition && namesOf(definition))
        if (!definition) return
        const next = judged(definition)
        if (!next) return
        // The response is not needed.
        const written = client.resource(address).metadata().sub('status')
        await written.patch(name, statusChange(next), { type: 'merge' })
        learn(name, namesOf(next))
      },
    })
    /** Definitions that change while all are read. */
    let changed: Set<string> | null = null
    const again = ({ name }: { readonly name: string }) => {
      if (isLoaded) queue.add(name)
      else changed?.add(name)
    }
    const end = await handled(informer, { ...onChange(again), delete: again }, signal)
    changed = new Set()
    // Free names are known only after all definitions are read. There may be thousands: requests come in between.
    const all: CustomResourceDefinition[] = []
    await inBackground([...informer.lister.entries()], ({ name }) => {
      const definition = read(name)
      if (definition) all.push(definition)
      if (definition) learn(name, namesOf(definition))
    })
    isLoaded = true
    for (const name of changed) queue.add(name)
    // Most have been judged by an earlier run.
    await inBackground(all, (definition) => {
      if (judged(definition)) queue.add(nameOf(definition))
    })
    return following(queue, client, [end])
  },
})

const nameOf = ({ metadata }: CustomResourceDefinition): string => metadata.name ?? ''

/** Members that hold most of a definition, and do not matter here. */
const LARGE = ['openAPIV3Schema', 'managedFields'] as const

/** Names of a definition that others of its group depend on. */
interface Names {
  readonly group: string
  readonly wanted: CustomResourceDefinitionNames
  readonly accepted: CustomResourceDefinitionNames | undefined
}

const namesOf = ({ spec, status }: CustomResourceDefinition): Names => ({
  group: spec.group,
  wanted: spec.names,
  accepted: status.acceptedNames,
})

/** The names of all definitions, by group. */
class KnownNames {
  readonly #groups = new Map<string, Map<string, Names>>()
  readonly #groupOf = new Map<string, string>()

  /** Remembers names, or forgets them; returns the other definitions of the group when that made a difference. */
  learn(name: string, now: Names | null): string[] {
    const group = now?.group ?? this.#groupOf.get(name)
    if (group === undefined) return []
    const members = this.#groups.get(group) ?? new Map<string, Names>()
    const before = members.get(name) ?? null
    if (now) {
      members.set(name, now)
      this.#groups.set(group, members)
      this.#groupOf.set(name, group)
    } else {
      members.delete(name)
      if (members.size === 0) this.#groups.delete(group)
      this.#groupOf.delete(name)
    }
    return sameValue(before, now) ? [] : [...members.keys()].filter((other) => other !== name)
  }

  /** Those of the other definitions of its group. */
  *othersOf({ metadata, spec }: CustomResourceDefinition): Generator<Names> {
    for (const [name, names] of this.#groups.get(spec.group) ?? [])
      if (name !== metadata.name) yield names
  }
}

/** The change that updates the status of a definition, unless the definition was changed meanwhile. */
const statusChange = ({ metadata, status }: CustomResourceDefinition): object => ({
  metadata: { resourceVersion: metadata.resourceVersion },
  status: {
    conditions: status.conditions,
    // Names that are no longer there would stay in a merge.
    acceptedNames: { ...NO_NAMES, ...status.acceptedNames },
  },
})

const NO_NAMES = { singular: null, shortNames: null, listKind: null, categories: null }

/** Why not all names are accepted. */
interface Refusal {
  readonly reason: string
  readonly message: string
}

/**
 * Accepts each name that no other definition of the group has, and reports whether all are accepted; null: they are.
 */
function accept(
  definition: CustomResourceDefinition,
  others: Iterable<Names>,
  now: number,
): Refusal | null {
  const { resources, kinds } = takenNames(others)
  const wanted = definition.spec.names
  const accepted: CustomResourceDefinitionNames = {
    ...(definition.status.acceptedNames ?? { plural: '', kind: '' }),
  }
  let refusal: Refusal | null = null
  for (const [field, taken, reason] of [
    ['plural', resources, 'PluralConflict'],
    ['singular', resources, 'SingularConflict'],
    ['shortNames', resources, 'ShortNamesConflict'],
    ['kind', kinds, 'KindConflict'],
    ['listKind', kinds, 'ListKindConflict'],
  ] as const) {
    const mine = namesIn(accepted[field])
    const faults = namesIn(wanted[field])
      .filter((name) => name !== '' && !mine.includes(name) && taken.has(name))
      .map((name) => `${JSON.stringify(name)} is already in use`)
    if (faults.length === 0) put(accepted, wanted, field)
    else {
      const message = faults.length === 1 ? faults[0]! : `[${[...new Set(faults)].join(', ')}]`
      refusal = { reason, message }
    }
  }
  put(accepted, wanted, 'categories')
  definition.status.acceptedNames = accepted
  setCondition(
    definition,
    refusal === null
      ? {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
        }
      : { type: 'NamesAccepted', status: 'False', ...refusal },
    now,
  )
  return refusal
}

const NOT_ACCEPTED: Refusal = { reason: 'NotAccepted', message: 'not all names are accepted' }

/** Reports that a definition is not established yet; an established one stays so. */
function prepare(definition: CustomResourceDefinition, refusal: Refusal | null, now: number): void {
  if (hasCondition(definition, 'Established')) return
  const isNew = !definition.status.conditions?.some(
    ({ type, reason }) => type === 'Established' && reason !== NOT_SERVED,
  )
  if (refusal !== null && !isNew) return
  const installing = { reason: 'Installing', message: 'the initial names have been accepted' }
  const why = refusal === null ? installing : NOT_ACCEPTED
  setCondition(definition, { type: 'Established', status: 'False', ...why }, now)
}

/**
 * Reports that a definition is not established because its objects are not served, also for one that another server
 * established: otherwise clients that wait for it would see it as established and then find no path.
 */
function withhold(
  definition: CustomResourceDefinition,
  refusal: Refusal | null,
  now: number,
): void {
  const message = 'the names are accepted, but this server does not serve custom resources'
  const why = refusal === null ? { reason: NOT_SERVED, message } : NOT_ACCEPTED
  setCondition(definition, { type: 'Established', status: 'False', ...why }, now)
}

/** Puts a definition with accepted names in force. */
function establish(definition: CustomResourceDefinition, now: number): void {
  if (!hasCondition(definition, 'NamesAccepted') || hasCondition(definition, 'Established')) return
  setCondition(
    definition,
    {
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    },
    now,
  )
}

/** Names that the other definitions have: those in paths are one space, kinds another. */
function takenNames(others: Iterable<Names>): {
  readonly resources: ReadonlySet<string>
  readonly kinds: ReadonlySet<string>
} {
  const resources = new Set<string>()
  const kinds = new Set<string>()
  for (const { accepted } of others) {
    const { plural, singular, shortNames, kind, listKind } = accepted ?? {}
    for (const one of [plural, singular, ...(shortNames ?? [])]) if (one) resources.add(one)
    for (const one of [kind, listKind]) if (one) kinds.add(one)
  }
  return { resources, kinds }
}

const namesIn = (names: string | readonly string[] | undefined): readonly string[] =>
  typeof names === 'string' ? [names] : (names ?? [])

function put<F extends keyof CustomResourceDefinitionNames>(
  accepted: CustomResourceDefinitionNames,
  wanted: CustomResourceDefinitionNames,
  field: F,
): void {
  if (wanted[field] === undefined) delete accepted[field]
  else accepted[field] = wanted[field]
}
