/**
 * The notation in which every built-in type is declared once.
 *
 *     export class StorageClass extends kind({
 *       provisioner: t.string(2).required(),
 *     }) {}
 *
 * The class is never instantiated: it gives one name to the TypeScript type and to its
 * definition. `StorageClass` as a type is inferred from the fields; `StorageClass.shape` is
 * the definition that codecs, OpenAPI, apply, defaulting and pruning read.
 */

/** Leaf types, and the TypeScript type of their JSON form. */
export interface Scalars {
  string: string
  bool: boolean
  int32: number
  int64: number
  double: number
  /** base64 text, as in JSON */
  bytes: string
  any: unknown
  /** RFC 3339, whole seconds */
  time: string
  /** RFC 3339, microseconds */
  microTime: string
  quantity: string
  intOrString: number | string
  /** any JSON object, passed through unchanged */
  raw: unknown
  /** a list inside a map value, which protobuf wraps in a separate message */
  strings: string[]
}
export type Scalar = keyof Scalars

/** The type of a field, a list item or a map value. */
export type Holds =
  | {
      readonly is: Scalar
      readonly special?: Special
      /** an exact integer: decoded as `bigint` where a number would round it */
      readonly exact?: true
    }
  | { readonly is: 'list' | 'map'; readonly of: Holds }
  | { readonly is: 'object'; readonly to: () => Shape }

/**
 * JSON in one of two forms, published as a named type: an object of a shape, or a simpler value. Decoded objects
 * contain the JSON value, with the object decoded by its shape.
 */
export interface Special {
  readonly form: 'schemaOrBool' | 'schemaOrArray' | 'schemaOrStrings'
  /** Published name. */
  readonly name: string
  readonly of: () => Shape
}

export interface Shape {
  /** Group version it is published under, for instance `core/v1`. */
  readonly home: string
  readonly name: string
  /** true: apply treats the whole object as one value */
  readonly atomic: boolean
  /** true: a kind, whose JSON starts with kind and apiVersion */
  readonly typed: boolean
  readonly fields: ReadonlyMap<string, FieldFacts>
}

export interface FieldFacts {
  readonly number: number
  readonly holds: Holds
  /**
   * zero: absent and zero are the same, and are left out of JSON.
   * explicit: absent differs from zero. always: written even when zero.
   */
  readonly presence: 'zero' | 'explicit' | 'always'
  readonly oneOf?: readonly string[]
  readonly default?: unknown
  /** how apply merges a list: whole, by value, or by the keys */
  readonly list?: 'atomic' | 'set' | readonly string[]
  /** how strategic merge patch merges a list, where that differs from `list` */
  readonly patch?: { readonly strategy: PatchStrategy; readonly key?: string }
  /** explicit, but published as required */
  readonly mandatory?: true
  /** closed sets in it are published, but only the rules of the kind refuse other values */
  readonly unchecked?: true
  /** apply treats its content as one value, of any type */
  readonly whole?: true
  /** the rules of the kind check an empty value */
  readonly emptyIsOwn?: true
  /** the rules of the kind see an empty list that was sent, but JSON omits it */
  readonly seenEmpty?: true
  /** when absent, the reference writes null: the writer of the first items does not own the list */
  readonly nullWhenAbsent?: true
  /** JSON inlines its fields into the parent; in protobuf they stay one message */
  readonly inline?: true
}

type PatchStrategy = 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys'

/** A class made by `shape()` or `kind()`. */
export interface ShapeClass<T> {
  new (): T
  readonly shape: Shape
}

type Given = 'given' | 'maybe' | 'inline'
type Item = Scalar | ShapeClass<unknown> | readonly string[]
type ItemType<I> = I extends Scalar
  ? Scalars[I]
  : I extends readonly (infer V)[]
    ? V
    : I extends abstract new () => infer T
      ? T
      : never

export class Field<T, G extends Given = 'maybe'> {
  declare readonly '~type': T
  declare readonly '~given': G
  readonly facts: { -readonly [K in keyof FieldFacts]: FieldFacts[K] }

  constructor(number: number, holds: Holds) {
    this.facts = { number, holds, presence: 'zero' }
  }
  /** Clients must send it and the server always writes it. */
  required(): Field<T, 'given'> {
    this.facts.presence = 'always'
    return this as never
  }
  /** Absent differs from zero: `false`, `0` and `""` are preserved. */
  explicit(): Field<T> {
    this.facts.presence = 'explicit'
    return this as never
  }
  /** Limits the values; the TypeScript type becomes their union. */
  oneOf<const V extends string>(...values: V[]): Field<V, G> {
    this.facts.oneOf = values
    return this as never
  }
  default(value: T): this {
    this.facts.default = value
    return this
  }
  /** Clients must send it, and the rules of the kind detect its absence: published as required. */
  mandatory(): this {
    this.facts.mandatory = true
    return this
  }
  /** Closed sets, here and in nested fields, are only published: the rules of the kind refuse other values. */
  unchecked(): this {
    this.facts.unchecked = true
    return this
  }
  /** One value of any type: its applier owns all of it. */
  whole(): this {
    this.facts.whole = true
    return this
  }
  /** The rules of the kind check an empty value, which a closed set otherwise refuses where it is not absence. */
  emptyIsOwn(): this {
    this.facts.emptyIsOwn = true
    return this
  }
  /** The rarer strategies of strategic merge patch; four fields need them. */
  patch(strategy: PatchStrategy, key?: string): this {
    this.facts.patch = { strategy, ...(key === undefined ? {} : { key }) }
    return this
  }
}

/** A list or map, which alone can say how it merges. */
export class Many<T, G extends Given = 'maybe'> extends Field<T, G> {
  override required(): Many<T, 'given'> {
    super.required()
    return this as never
  }
  /** One value: its applier owns all of it. */
  atomic(): this {
    this.facts.list = 'atomic'
    return this
  }
  /** Unordered, unique scalars, each with its own owners. */
  set(): this {
    this.facts.list = 'set'
    return this
  }
  /** Items are identified by these fields, each with its own owners. */
  keyed(...keys: string[]): this {
    this.facts.list = keys
    return this
  }
  /** An empty list differs from an absent one, which gets the default. */
  seenEmpty(): this {
    this.facts.seenEmpty = true
    return this
  }
  /** The writer of the first items owns those and not the list, which was null before. */
  nullWhenAbsent(): this {
    this.facts.nullWhenAbsent = true
    return this
  }
  /** For strategic merge patch: items are identified by `key`, or by value without one. */
  patchBy(key?: string): this {
    return this.patch('merge', key)
  }
}

const scalar = <S extends Scalar>(is: S) => {
  const holds = { is } as const
  return (number: number) => new Field<Scalars[S]>(number, holds)
}

/** Field makers: the number is the protobuf field number. */
export const t = {
  string: scalar('string'),
  bool: scalar('bool'),
  int32: scalar('int32'),
  int64: scalar('int64'),
  /** An integer with all of its 64 bits: a `bigint` where a number would round it. */
  exactInt64: (number: number) => new Field<number | bigint>(number, { is: 'int64', exact: true }),
  double: scalar('double'),
  /** Bytes are one value too, and some are published as atomic: `atomic()`. */
  bytes: (number: number) => new Many<string>(number, { is: 'bytes' }),
  any: scalar('any'),
  time: scalar('time'),
  microTime: scalar('microTime'),
  quantity: scalar('quantity'),
  intOrString: scalar('intOrString'),
  raw: scalar('raw'),
  /** An object whose fields JSON inlines into the parent. */
  inline: <T>(number: number, to: ShapeClass<T>): Inline<T> => {
    const field = new Field<T, 'inline'>(number, holdsOf(to))
    field.facts.inline = true
    return field
  },
  /** A nested object: always present unless made `explicit()`. */
  object: <T>(number: number, to: ShapeClass<T>) => new Field<T, 'given'>(number, holdsOf(to)),
  list: <const I extends Item>(number: number, item: I) =>
    new Many<ItemType<I>[]>(number, { is: 'list', of: holdsOf(item) }),
  map: <const I extends Item>(number: number, value: I) =>
    new Many<Record<string, ItemType<I>>>(number, { is: 'map', of: holdsOf(value) }),
}

function holdsOf(item: Item): Holds {
  if (typeof item === 'string') return { is: item }
  if (typeof item === 'function') return { is: 'object', to: () => item.shape }
  return { is: 'string' }
}

type Inline<T> = Field<T, 'inline'>
type Fields = Record<string, Field<unknown, Given>>
type Flat<T> = { [K in keyof T]: T[K] }
type KeysOf<F extends Fields, G extends Given> = {
  [K in keyof F]: F[K]['~given'] extends G ? K : never
}[keyof F]
type All<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void
  ? I
  : never
/** The TypeScript type of an object with these fields. */
export type TypeOf<F extends Fields> = Flat<
  { [K in keyof F as F[K]['~given'] extends 'given' ? K : never]: F[K]['~type'] } & {
    [K in keyof F as F[K]['~given'] extends 'maybe' ? K : never]?: F[K]['~type']
  } & All<F[KeysOf<F, 'inline'>]['~type']>
>

export interface ShapeOptions {
  /** Published name when it differs from the name of the class. */
  name?: string
  atomic?: true
  /** A kind, whose JSON starts with kind and apiVersion. */
  typed?: true
}

/** Makes `shape` for one group version, which becomes part of published names. */
export function home(groupVersion: string) {
  function shape<F extends Fields>(fields: F, options: ShapeOptions = {}): ShapeClass<TypeOf<F>> {
    const base = function () {}
    let made: Shape | undefined
    Object.defineProperty(base, 'shape', {
      get(this: Function) {
        return (made ??= {
          home: groupVersion,
          // `this` is the class that extends the base. Built files set `published`, since bundling may rename classes.
          name: options.name ?? (this as Function & { published?: string }).published ?? this.name,
          atomic: options.atomic ?? false,
          typed: options.typed ?? false,
          fields: new Map(Object.entries(fields).map(([name, field]) => [name, field.facts])),
        })
      },
    })
    return base as never
  }
  return { shape }
}
