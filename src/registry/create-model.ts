/**
 * Learns from the bodies of two creates how to make the objects of others like them: they differ in some texts and
 * integers, and so do the objects. What else is in the objects is made once.
 */
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import type { HookContext } from '../catalogue/resource.ts'
import { formatTime } from '../base/time.ts'
import { Decoding, type JsonObject } from '../codec/codec.ts'
import { copyJson } from '../codec/json-clone.ts'
import { setOwn } from '../codec/json-scanner.ts'
import { formatJson, parseJsonStrictly } from '../codec/json-text.ts'
import { WrittenNumbers } from '../codec/written-numbers.ts'
import type { WrittenParts } from '../meta/known-parts.ts'
import type { ManagedFieldsEntry, ObjectMeta, Typed } from '../meta/object-meta.ts'
import { DEDUCED, type Topology } from '../notation/topology.ts'
import { isObject, sameJson } from '../patch/json-value.ts'
import { entriesAt } from '../patch/managed-fields.ts'
import { memberTopology } from '../patch/typed-items.ts'
import type { BodyForm, Way } from './body-form.ts'
import { isLikeable } from './hot-objects.ts'
import { decodeServed } from './objects.ts'
import { zeroValueOf } from './ownership.ts'
import { readsPlaces } from './repetition.ts'
import { hasSystemFields } from './system-fields.ts'

/** Two bodies of one form, and who reads them. */
export interface TwoCreates {
  readonly served: ResourceEntry
  readonly c: HookContext
  readonly form: BodyForm
  readonly bodies: readonly [Buffer, Buffer]
}

type Values = readonly (string | number)[]

/** Makes the object of a body from its values. Throws where decoding the body would. */
type Make = (values: Values, c: HookContext) => Typed

/** How objects are made. */
interface Making {
  readonly make: Make
  /** They share parts with each other, which must not be changed. */
  readonly sharesParts: boolean
}

/** What is known of all objects of a form. */
interface Facts {
  /** No value has a part in which fields an object has. */
  readonly hasSteadyFields: boolean
  /** See `CreateModel`. */
  readonly isClean: boolean
}

/** How the objects of bodies of one form are made; null where that has to be found out in full. */
export function modelOf(creates: TwoCreates): CreateModel | null {
  const { served, c, form, bodies } = creates
  if (!form.places.every(({ way }) => mayDiffer(way))) return null
  const wanted = bodies.map((body) => readInFull(served, body, c))
  const [first, second] = wanted
  if (!first || !second) return null
  const readsAny = readsPlaces(served, c, bodies[0], form)
  for (const making of makingsOf(creates, first, readsAny)) {
    const isRight = bodies.every((body, i) => {
      const made = making.make(form.read(body)!, c)
      return formatJson(made) === formatJson(wanted[i]!.object)
    })
    const hasSteadyFields = !readsAny && areFieldsSteady(served, form)
    const isClean = isCleanIn(first.object) && isCleanIn(second.object)
    if (isRight) return new CreateModel(form, bodies[1], making, { hasSteadyFields, isClean })
  }
  return null
}

/** See `modelOf`; and what is known of the objects that were made so far. */
export class CreateModel {
  readonly form: BodyForm
  /** The body that was learned from last. */
  readonly body: Buffer
  /** The objects share parts with each other, which must not be changed. */
  readonly sharesParts: boolean
  /** The objects have no fields that only the server sets, and no owner twice. */
  readonly isClean: boolean
  readonly #make: Make
  readonly #hasSteadyFields: boolean
  #owners: readonly ManagedFieldsEntry[] | null = null
  #passed: Typed | null = null

  constructor(form: BodyForm, body: Buffer, making: Making, facts: Facts) {
    this.form = form
    this.body = body
    this.sharesParts = making.sharesParts
    this.#make = making.make
    this.isClean = facts.isClean
    this.#hasSteadyFields = facts.hasSteadyFields
  }

  /** The object of a body with these values, with defaults; null: the body has to be read in full. */
  objectOf(values: Values, c: HookContext): Typed | null {
    // An empty value may be the same as none.
    for (const value of values) if (value === '' || value === 0) return null
    try {
      return this.#make(values, c)
    } catch {
      return null
    }
  }

  /** Sets managedFields as earlier objects have them; whether they are known. */
  setOwners(metadata: ObjectMeta, now: number): boolean {
    if (!this.#owners) return false
    const [mine] = this.#owners
    this.#owners = entriesAt(this.#owners, mine!, formatTime(now))
    // Only admission that is known to keep parts gets objects that share any.
    metadata.managedFields = this.sharesParts
      ? [...this.#owners]
      : this.#owners.map((entry) => ({ ...entry }))
    return true
  }

  /** The owners of an object were found out. */
  keepOwners({ managedFields }: ObjectMeta): void {
    if (this.#hasSteadyFields && managedFields?.length === 1)
      this.#owners = managedFields.map((entry) => ({ ...entry }))
  }

  /** An object that passed all checks and is not changed any more; null: there is none yet. */
  get passed(): Typed | null {
    return this.#passed
  }

  /** An object passed all checks and is not changed from now on. What was found out about the parts of the first one is kept. */
  settle(object: Typed, parts: WrittenParts | undefined): void {
    if (this.#passed || !this.sharesParts) return
    this.#passed = object
    parts?.settle()
  }
}

/** Whether there is nothing to remove from an object; an empty value of a field means that there is none. */
const isCleanIn = ({ metadata }: Typed): boolean =>
  !hasSystemFields(metadata) && (metadata.ownerReferences?.length ?? 0) < 2

/** What is in a body. */
interface ReadBody {
  readonly document: JsonObject
  /** The object with defaults. */
  readonly object: Typed
}

/** A body, read as that of any create; null where its text tells more than its value. */
function readInFull(served: ResourceEntry, body: Buffer, c: HookContext): ReadBody | null {
  let isTwice = false
  const written = new WrittenNumbers()
  const onDuplicate = () => {
    isTwice = true
  }
  const document = parseJsonStrictly(body, { onDuplicate, written }) as JsonObject
  const { object, unknown } = decodeServed(served, document, c, written)
  if (isTwice || written.size > 0 || unknown.length > 0) return null
  return object.metadata.managedFields === undefined ? { document, object } : null
}

/** The ways to make objects, the cheapest first. */
function* makingsOf(
  { served, c, form }: TwoCreates,
  { document, object }: ReadBody,
  readsAny: boolean,
): Generator<Making> {
  const ways = form.places.map(({ way }) => way)
  const mayShare = !served.over || isLikeable(served, 'create')
  if (mayShare && !readsAny && !changesParts(served, object, c)) {
    const model = object as unknown as JsonObject
    const own = (made: JsonObject) => ownCopy(served, made as unknown as Typed, object)
    if (ways.every((way) => isPlainAt(served, way)))
      yield { sharesParts: true, make: (values) => own(withValues(model, ways, values)) }
    const { over } = served
    const pair = { object: model, json: served.codec.plain(model) }
    if (over) {
      const make = (values: Values) =>
        own(over.decode(withValues(pair.json, ways, values), pair, new Decoding()))
      yield { sharesParts: true, make }
    }
  }
  // What is taken over as it is could be changed with the object.
  if (sharesAny(object, partsOf(document))) return
  yield {
    sharesParts: false,
    make: (values, now) => decodeServed(served, withValues(document, ways, values), now).object,
  }
}

/** Whether two bodies may differ at a place: what is elsewhere says what a body is. */
const mayDiffer = ([first, ...others]: Way): boolean =>
  others.length > 0 || (first !== 'kind' && first !== 'apiVersion')

/** Whether the text or number at a place of a body is the same in the object, whatever it is. */
function isPlainAt({ over }: ResourceEntry, way: Way): boolean {
  const [first, name, member, last] = way
  // Defaults and pruning of kinds with a schema do not depend on values, and checks come later.
  if (first !== 'metadata') return !over && !way.includes('metadata')
  if (way.length === 2) return name === 'name' || name === 'generateName' || name === 'namespace'
  if (way.length === 3) return name === 'labels' || name === 'annotations'
  const isOwner = way.length === 4 && name === 'ownerReferences' && typeof member === 'number'
  return isOwner && (last === 'name' || last === 'uid')
}

/** Whether `prepareForCreate` changes parts that objects would share. */
function changesParts(served: ResourceEntry, object: Typed, c: HookContext): boolean {
  const { prepareForCreate } = served.strategy
  if (!prepareForCreate) return false
  const model = copyJson(object)
  prepareForCreate(ownCopy(served, model, model), c)
  return !sameJson(model, object)
}

/** A copy whose members, and theirs where hooks set them, are its own; `model`: whose parts it may have. */
function ownCopy({ strategy }: ResourceEntry, object: Typed, model: Typed): Typed {
  const isSet = strategy.prepareForCreate !== undefined
  const from = object as unknown as JsonObject
  const others = model as unknown as JsonObject
  const copy: JsonObject = {}
  for (const name in from) {
    const value = from[name]
    const isOwn = name === 'metadata' || (isSet && value === others[name] && isObject(value))
    setOwn(copy, name, isOwn ? copyOf(value as object) : value)
  }
  return copy as unknown as Typed
}

/**
 * A copy of an object. One made by a spread has a shape of its own, and so has each that gets members later: every access to
 * such objects takes the slow way of the runtime.
 */
function copyOf(object: object): JsonObject {
  const copy: JsonObject = {}
  for (const name in object) setOwn(copy, name, (object as JsonObject)[name])
  return copy
}

/** A document with other values at these places; all other parts are those of the given one. */
function withValues(document: JsonObject, ways: readonly Way[], values: Values): JsonObject {
  let changed = document
  for (let i = 0; i < ways.length; i++) changed = withValue(changed, ways[i]!, 0, values[i]!)
  return changed
}

function withValue<T extends object>(part: T, way: Way, at: number, value: string | number): T {
  const step = way[at]!
  const was = (part as JsonObject)[step]
  const is = at === way.length - 1 ? value : withValue(was as object, way, at + 1, value)
  const copy = Array.isArray(part) ? (part.slice() as unknown as JsonObject) : copyOf(part)
  copy[step] = is
  return copy as T
}

/** Whether objects have the same fields whatever their values at the places are. */
function areFieldsSteady(served: ResourceEntry, form: BodyForm): boolean {
  const topology = served.topology ?? DEDUCED
  const zero = zeroValueOf(served)
  // A field that has the zero value of its version is not owned.
  return form.places.every(
    ({ way }) => !isInPaths(topology, way) && valueAt(zero, way) === undefined,
  )
}

/** Whether the value at a place has a part in the paths to fields: as the key of an item, or as an item of a set. */
function isInPaths(topology: Topology, way: Way): boolean {
  let of = topology
  for (const [i, step] of way.entries()) {
    if (of.is === 'list') {
      if (of.relation === 'set') return true
      const isKey = ({ name }: { readonly name: string }) => name === way[i + 1]
      if (of.relation === 'keyed' && of.keys.some(isKey)) return true
      of = of.of()
    } else if (of.is === 'map') of = memberTopology(of, String(step)) ?? DEDUCED
    else return false
  }
  return false
}

function valueAt(document: JsonObject, way: Way): unknown {
  let value: unknown = document
  for (const step of way) value = (value as JsonObject | null | undefined)?.[step]
  return value
}

/** All objects and lists in a value, and itself. */
function partsOf(value: unknown, found = new Set<object>()): ReadonlySet<object> {
  if (typeof value !== 'object' || value === null) return found
  found.add(value)
  for (const part of Object.values(value)) partsOf(part, found)
  return found
}

function sharesAny(object: Typed, parts: ReadonlySet<object>): boolean {
  for (const part of partsOf(object)) if (parts.has(part)) return true
  return false
}
