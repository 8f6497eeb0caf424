/**
 * Definitions of all referenced shapes, generated from their declarations. Version 3 of the format includes defaults
 * and wraps references that have siblings; version 2 does neither.
 */
import { groupVersionOf } from '../meta/home.ts'
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { ObjectMeta } from '../meta/object-meta.ts'
import type { FieldFacts, Holds, Shape } from '../notation/shape.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { sorted, type Json } from './document.ts'
import { ListMeta } from '../kinds/meta/documents.ts'
import { extension } from './extensions.ts'
import { publishedSchema } from './published-schema.ts'
import { definitionName, domainOf, publishedName, SPECIAL } from './names.ts'
import { relabelled, relabelling, type Relabelling } from './relabel.ts'
import { UNIONS, unionExtension } from './unions.ts'

/** Values that are no objects of one shape. */
const ANY = {
  json: 'Any JSON value: an object, array, string, number, boolean or null.',
  schemaOrBool: 'Either a schema or a boolean. True allows any value, false allows none.',
  schemaOrArray: 'Either one schema or a list of schemas.',
  schemaOrStrings: 'Either a schema or a list of property names.',
} as const

/** Which version of the format is written. */
export type Format = 'v2' | 'v3'

/** A version with the wire form of another one, whose shapes are published under its own name. */
export interface Move {
  readonly from: string
  readonly to: string
  readonly relabel?: Relabelling
}

type Special = keyof typeof SPECIAL

const KIND = 'Kind of the object, in CamelCase, such as `Pod`. Immutable.'
const METADATA = 'Standard metadata of the object: name, labels, annotations, owners and more.'
const API_VERSION =
  'API group and version of the object, such as `apps/v1`. Servers convert between the versions of a group.'

/** Registered in every group version, also in those that were served before. */
const EVERYWHERE = new Set(['DeleteOptions', 'WatchEvent'])

/** Collects definitions while references to them are made. */
export class Definitions {
  readonly #format: Format
  readonly #v: Vocabulary
  readonly #docs: ReadonlyMap<string, string>
  readonly #everywhere: () => readonly { group: string; version: string }[]
  readonly #definitions = new Map<string, Json>()
  readonly #open: (() => void)[] = []

  constructor(
    format: Format,
    v: Vocabulary,
    docs: ReadonlyMap<string, string>,
    everywhere: () => readonly { group: string; version: string }[],
  ) {
    this.#format = format
    this.#v = v
    this.#docs = docs
    this.#everywhere = everywhere
  }

  /** Reference to a shape. */
  shape(shape: Shape, move?: Move): Json {
    const moved = move !== undefined && shape.home === move.from
    const home = moved ? move.to : shape.home
    const name = this.#nameOf(home, shape.name)
    return this.#refer(name, () => this.#object(shape, home, move))
  }

  /** Reference to the objects of a resource, under the names of its version. */
  kind(served: ResourceEntry): Json {
    const { published } = served
    if (published.is === 'schema') {
      const name = publishedName(served, served.kind, this.#v)
      return this.#refer(name, () => this.#described(served, published.schema))
    }
    const { shape, home, relabel } = published
    if (shape.home === home) return this.shape(shape)
    const marks = relabel ? { relabel: relabelling(shape, relabel) } : {}
    return this.shape(shape, { from: shape.home, to: home, ...marks })
  }

  /** A kind that comes with a schema; type and metadata are those of every kind. */
  #described({ group, version, kind }: ResourceEntry, schema: Json): Json {
    const marks = extension(this.#v, 'group-version-kind', [{ group, kind, version }])
    // Clients of version 2 would take the properties for all that there may be.
    if (this.#format === 'v2' && schema['x-{brand}-preserve-unknown-fields'] === true)
      return { type: 'object', ...marks }
    const wholeProperties = () => this.#wholeProperties()
    const own = publishedSchema(schema, { v: this.#v, format: this.#format, wholeProperties })
    const properties = { ...(own['properties'] as Json | undefined), ...wholeProperties() }
    return {
      ...own,
      type: 'object',
      properties: sorted(Object.entries(properties) as [string, Json][]),
      ...marks,
    }
  }

  #wholeProperties(): Json {
    return {
      apiVersion: { description: API_VERSION, type: 'string' },
      kind: { description: KIND, type: 'string' },
      metadata: this.#property(this.shape(ObjectMeta.shape), { description: METADATA }),
    }
  }

  /** Reference to the list of a resource. */
  list(served: ResourceEntry, item: Json): Json {
    return this.#refer(publishedName(served, served.listKind, this.#v), () => ({
      description: `List of ${served.kind} objects, as returned by list requests.`,
      properties: {
        apiVersion: { description: API_VERSION, type: 'string' },
        items: {
          description: 'Objects in the list.',
          items: this.#element(item, {}),
          type: 'array',
        },
        kind: { description: KIND, type: 'string' },
        metadata: this.#property(this.shape(ListMeta.shape), {
          description: 'Standard metadata of the list.',
          default: {},
        }),
      },
      required: ['items'],
      type: 'object',
      ...extension(this.#v, 'group-version-kind', [
        { group: served.group, kind: served.listKind, version: served.version },
      ]),
    }))
  }

  /** Reference to one of the types that are no objects in JSON, or any object. */
  special(which: Special): Json {
    return this.#refer(`${domainOf(this.#v)}.${SPECIAL[which]}`, () => SPECIAL_SCHEMAS[which])
  }

  /** Everything that was referred to, by name; stops between the definitions. */
  *finish(): Generator<void, Record<string, Json>> {
    for (let make = this.#open.pop(); make; make = this.#open.pop()) {
      make()
      yield
    }
    return sorted(this.#definitions)
  }

  #nameOf(home: string, name: string): string {
    return home === 'version'
      ? `${domainOf(this.#v)}.${SPECIAL.info}`
      : definitionName(home, name, this.#v)
  }

  #refer(name: string, make: () => Json): Json {
    if (!this.#definitions.has(name)) {
      // The place is taken first: shapes may hold themselves.
      this.#definitions.set(name, {})
      this.#open.push(() => this.#definitions.set(name, make()))
    }
    const path = this.#format === 'v2' ? 'definitions' : 'components/schemas'
    return { $ref: `#/${path}/${name}` }
  }

  #object(shape: Shape, home: string, move: Move | undefined): Json {
    const properties: [string, Json][] = []
    const required: string[] = []
    const everywhere = shape.home === 'meta/v1' && EVERYWHERE.has(shape.name)
    if (shape.typed || shape.name === 'DeleteOptions') {
      properties.push(
        ['apiVersion', { description: API_VERSION, type: 'string' }],
        ['kind', { description: KIND, type: 'string' }],
      )
    }
    this.#fields(shape, move, properties, required)
    const key = `${shape.home}#${shape.name}`
    const out: Json = {}
    const extend = this.#extender(out)
    const description = this.#text(key)
    if (description !== '') out.description = description
    if (properties.length > 0) out.properties = sorted(properties)
    if (required.length > 0) out.required = required
    out.type = 'object'
    if (everywhere) {
      const all = this.#everywhere().map(({ group, version }) => ({
        group,
        kind: shape.name,
        version,
      }))
      extend('group-version-kind', all)
    } else if (shape.typed) {
      const { group, version } = groupVersionOf(home, this.#v)
      extend('group-version-kind', [{ group, kind: shape.name, version }])
    }
    if (shape.atomic) extend('map-type', 'atomic')
    if (Object.hasOwn(UNIONS, key)) extend('unions', unionExtension(UNIONS[key]!))
    return out
  }

  #fields(
    shape: Shape,
    move: Move | undefined,
    properties: [string, Json][],
    required: string[],
  ): void {
    for (const [template, declared] of shape.fields) {
      const facts = relabelled(move?.relabel, shape, template, declared)
      if (facts.inline && facts.holds.is === 'object') {
        this.#fields(facts.holds.to(), move, properties, required)
        continue
      }
      const name = this.#v.resolve(template)
      if (facts.presence === 'always' || facts.mandatory) required.push(name)
      properties.push([name, this.#field(shape, template, facts, move)])
    }
  }

  #field(shape: Shape, template: string, facts: FieldFacts, move: Move | undefined): Json {
    const { holds } = facts
    const more: Json = {}
    const extend = this.#extender(more)
    const description =
      this.#text(`${shape.home}#${shape.name}.${template}`) ||
      (shape.typed && template === 'metadata' ? METADATA : '')
    const values = facts.oneOf?.toSorted() ?? []
    const text = withValues(description, values)
    if (text !== '') more.description = text
    const standard = defaultOf(facts)
    if (standard !== undefined) more.default = standard
    if (values.length > 0 && holds.is === 'string' && facts.presence !== 'explicit') {
      more.enum = values
    }
    if (holds.is === 'map') {
      if (facts.list === 'atomic') extend('map-type', 'atomic')
    } else if (typeof facts.list === 'string') {
      extend('list-type', facts.list)
    } else if (facts.list) {
      extend('list-map-keys', facts.list)
      extend('list-type', 'map')
    }
    if (facts.patch) {
      if (facts.patch.key !== undefined) extend('patch-merge-key', facts.patch.key)
      extend('patch-strategy', facts.patch.strategy)
    }
    return this.#property(this.#value(holds, shape, template, move), more)
  }

  /** Adds extensions to an object. */
  readonly #extender = (out: Json) => (word: string, value: unknown) =>
    Object.assign(out, extension(this.#v, word, value))

  #text(key: string): string {
    return (this.#docs.get(key) ?? '').replaceAll(/\{(\w+)\}/g, (whole, word: string) =>
      Object.hasOwn(this.#v.words, word) ? this.#v.resolve(whole) : whole,
    )
  }

  /** A schema with the attributes of a field beside it. */
  #property(schema: Json, { default: standard, ...more }: Json): Json {
    if (this.#format === 'v2') return { ...more, ...schema }
    const all = standard === undefined ? more : { default: standard, ...more }
    if (schema.$ref === undefined || Object.keys(all).length === 0) return { ...all, ...schema }
    return { allOf: [schema], ...all }
  }

  #element(schema: Json, standard: unknown): Json {
    return this.#property(schema, standard === undefined ? {} : { default: standard })
  }

  #value(holds: Holds, shape: Shape, template: string, move: Move | undefined): Json {
    switch (holds.is) {
      case 'list':
        return {
          items: this.#element(this.#value(holds.of, shape, template, move), zeroOf(holds.of)),
          type: 'array',
        }
      case 'map':
        return {
          additionalProperties: this.#element(
            this.#value(holds.of, shape, template, move),
            zeroOf(holds.of),
          ),
          type: 'object',
        }
      case 'strings':
        return { items: this.#element({ type: 'string' }, ''), type: 'array' }
      case 'object':
        return this.shape(holds.to(), move)
      case 'string':
        return { type: 'string' }
      case 'bool':
        return { type: 'boolean' }
      case 'int32':
      case 'int64':
        return { format: holds.is, type: 'integer' }
      case 'double':
        return { format: 'double', type: 'number' }
      case 'bytes':
        return { format: 'byte', type: 'string' }
      case 'any':
        return this.#refer(
          definitionName(shape.home, holds.special?.name ?? 'JSON', this.#v),
          () => ({ description: ANY[holds.special?.form ?? 'json'] }),
        )
      case 'raw':
        return this.special(template === 'fieldsV1' ? 'fields' : 'raw')
      default:
        return this.special(holds.is)
    }
  }
}

const SPECIAL_SCHEMAS: Readonly<Record<Special, Json>> = {
  time: {
    description: 'Point in time in RFC 3339 format, UTC, in whole seconds.',
    format: 'date-time',
    type: 'string',
  },
  microTime: {
    description: 'Point in time in RFC 3339 format, UTC, with microseconds.',
    format: 'date-time',
    type: 'string',
  },
  fields: {
    description:
      'Set of fields as a tree of JSON objects: `f:<name>` is a field, `k:<keys>` a list item by its keys, `v:<value>` an item of a set, `i:<index>` an item by its position, and `.` the parent itself.',
    type: 'object',
  },
  patch: {
    description: 'Patch document; the content type of the request selects the type of patch.',
    type: 'object',
  },
  quantity: {
    description:
      'Number with an optional suffix: `n`, `u` or `m` for fractions, `k`, `M`, `G`, `T`, `P` or `E` for powers of 1000, `Ki`, `Mi`, `Gi`, `Ti`, `Pi` or `Ei` for powers of 1024, or an exponent such as `e3`. Plain numbers are accepted as JSON numbers, too.',
    type: 'string',
  },
  intOrString: {
    description: 'Either an integer or a string, such as a port name or a percentage.',
    format: 'int-or-string',
    type: 'string',
  },
  raw: { description: 'Any JSON value, stored without interpretation.', type: 'object' },
  info: {},
}

/** The description, with the allowed values that it does not list itself; the empty one is omitted. */
function withValues(text: string, values: readonly string[]): string {
  const named = values.filter((value) => value !== '')
  if (named.every((value) => text.includes(value))) return text
  return `${text}\n\nOne of ${named.map((value) => `\`${value}\``).join(', ')}.`.trim()
}

/** The default of a field in documents: the declared one, or the zero value where a field is always written. */
function defaultOf(facts: FieldFacts): unknown {
  if (facts.default !== undefined) return facts.default
  if (facts.presence === 'explicit') return undefined
  const zero = zeroOf(facts.holds)
  const written = facts.presence === 'always' || (typeof zero === 'object' && zero !== null)
  return written ? zero : undefined
}

/** The zero value in documents; undefined for values without one. */
function zeroOf(holds: Holds): unknown {
  switch (holds.is) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'int32':
    case 'int64':
    case 'double':
      return 0
    case 'object':
    case 'time':
    case 'microTime':
    case 'quantity':
    case 'intOrString':
    case 'raw':
      return {}
    default:
      return undefined
  }
}
