import { Field, home, Many, t, type ShapeClass, type Special } from '../notation/shape.ts'

const { shape } = home('apiextensions{api}/v1')

/** Any JSON value. */
export type Json = unknown

/** A schema as decoded. Spelled out by hand, because it holds itself. */
export interface SchemaProps {
  id?: string
  $schema?: string
  $ref?: string
  description?: string
  type?: string
  format?: string
  title?: string
  default?: Json
  maximum?: number
  exclusiveMaximum?: boolean
  minimum?: number
  exclusiveMinimum?: boolean
  maxLength?: number
  minLength?: number
  pattern?: string
  maxItems?: number
  minItems?: number
  uniqueItems?: boolean
  multipleOf?: number
  enum?: Json[]
  maxProperties?: number
  minProperties?: number
  required?: string[]
  items?: SchemaProps | SchemaProps[]
  allOf?: SchemaProps[]
  oneOf?: SchemaProps[]
  anyOf?: SchemaProps[]
  not?: SchemaProps
  properties?: Record<string, SchemaProps>
  additionalProperties?: SchemaProps | boolean
  patternProperties?: Record<string, SchemaProps>
  dependencies?: Record<string, SchemaProps | string[]>
  additionalItems?: SchemaProps | boolean
  definitions?: Record<string, SchemaProps>
  externalDocs?: ExternalDocumentation
  example?: Json
  nullable?: boolean
  'x-{brand}-preserve-unknown-fields'?: boolean
  'x-{brand}-embedded-resource'?: boolean
  'x-{brand}-int-or-string'?: boolean
  'x-{brand}-list-map-keys'?: string[]
  'x-{brand}-list-type'?: string
  'x-{brand}-map-type'?: string
  'x-{brand}-validations'?: ValidationRule[]
}

/** Where more is written. */
export class ExternalDocumentation extends shape({
  /** What is found there. */
  description: t.string(1),
  /** Address. */
  url: t.string(2),
}) {}

/** A rule about a value, as an expression. */
export class ValidationRule extends shape({
  /** Expression that must be true; `self` is the value, `oldSelf` the one before the change. */
  rule: t.string(1).required(),
  /** What to say when it is not. */
  message: t.string(2),
}) {}

const itself = () => JSONSchemaProps.shape
const inner = { is: 'object', to: itself } as const
const special = (form: Special['form'], name: string) =>
  ({ is: 'any', special: { form, name, of: itself } }) as const

const schema = (number: number) => new Field<SchemaProps>(number, inner)
const schemas = (number: number) => new Many<SchemaProps[]>(number, { is: 'list', of: inner })
const schemaMap = (number: number) =>
  new Many<Record<string, SchemaProps>>(number, { is: 'map', of: inner })
const schemaOrBool = (number: number) =>
  new Field<SchemaProps | boolean>(number, special('schemaOrBool', 'JSONSchemaPropsOrBool'))
const schemaOrArray = (number: number) =>
  new Field<SchemaProps | SchemaProps[]>(number, special('schemaOrArray', 'JSONSchemaPropsOrArray'))
const schemasOrStrings = (number: number) =>
  new Many<Record<string, SchemaProps | string[]>>(number, {
    is: 'map',
    of: special('schemaOrStrings', 'JSONSchemaPropsOrStringArray'),
  })

// The same maker under a type that does not look into the fields: a shape that holds itself cannot be inferred.
const { shape: selfHolding } = home('apiextensions{api}/v1') as unknown as {
  shape: (fields: Readonly<Record<string, Field<any>>>) => ShapeClass<SchemaProps>
}

/** A JSON schema. */
export class JSONSchemaProps extends selfHolding({
  /** Not allowed. */
  id: t.string(1),
  /** Not allowed. */
  $schema: t.string(2),
  /** Not allowed. */
  $ref: t.string(3).explicit(),
  /** What the value is for. */
  description: t.string(4),
  /** Type of the value: `string`, `number`, `integer`, `boolean`, `array` or `object`. */
  type: t.string(5),
  /** Format of the value, such as `int32`, `date-time` or `ipv4`; one that is not known is ignored. */
  format: t.string(6),
  /** A short name for the value. */
  title: t.string(7),
  /** What a field is set to that is left out. */
  default: t.any(8).explicit(),
  /** Largest number. */
  maximum: t.double(9).explicit(),
  /** Whether the largest number itself is too large. */
  exclusiveMaximum: t.bool(10),
  /** Smallest number. */
  minimum: t.double(11).explicit(),
  /** Whether the smallest number itself is too small. */
  exclusiveMinimum: t.bool(12),
  /** Largest length of a text, in characters. */
  maxLength: t.int64(13).explicit(),
  /** Smallest length of a text, in characters. */
  minLength: t.int64(14).explicit(),
  /** Regular expression that a text must match somewhere. */
  pattern: t.string(15),
  /** Largest number of items. */
  maxItems: t.int64(16).explicit(),
  /** Smallest number of items. */
  minItems: t.int64(17).explicit(),
  /** Not allowed; lists of type `set` have unique items. */
  uniqueItems: t.bool(18),
  /** Number that the value is a multiple of. */
  multipleOf: t.double(19).explicit(),
  /** The only values. */
  enum: t.list(20, 'any'),
  /** Largest number of properties. */
  maxProperties: t.int64(21).explicit(),
  /** Smallest number of properties. */
  minProperties: t.int64(22).explicit(),
  /** Properties that must be there. */
  required: t.list(23, 'string'),
  /** Schema of the items of a list. */
  items: schemaOrArray(24).explicit(),
  /** Schemas that must all hold. */
  allOf: schemas(25),
  /** Schemas of which exactly one must hold. */
  oneOf: schemas(26),
  /** Schemas of which at least one must hold. */
  anyOf: schemas(27),
  /** Schema that must not hold. */
  not: schema(28).explicit(),
  /** Schemas of the properties of an object. */
  properties: schemaMap(29),
  /** Schema of all properties of an object, which then is a map; `true` takes any. */
  additionalProperties: schemaOrBool(30).explicit(),
  /** Not allowed. */
  patternProperties: schemaMap(31),
  /** Not allowed. */
  dependencies: schemasOrStrings(32),
  /** Not allowed. */
  additionalItems: schemaOrBool(33).explicit(),
  /** Not allowed. */
  definitions: schemaMap(34),
  /** Where more is written. */
  externalDocs: t.object(35, ExternalDocumentation).explicit(),
  /** An example. */
  example: t.any(36).explicit(),
  /** Whether `null` is a value. */
  nullable: t.bool(37),
  /** Keeps fields that the schema does not name; only `true` can be given. */
  'x-{brand}-preserve-unknown-fields': t.bool(38).explicit(),
  /** Whether the value is a whole object with type and metadata, which are then validated. */
  'x-{brand}-embedded-resource': t.bool(39),
  /** Whether the value is an integer or a text. */
  'x-{brand}-int-or-string': t.bool(40),
  /** Fields that tell the items of a list of type `map` apart. */
  'x-{brand}-list-map-keys': t.list(41, 'string'),
  /** How a list is merged: `atomic` as one value, `set` by value, `map` by keys. */
  'x-{brand}-list-type': t.string(42).explicit(),
  /** How an object is merged: `granular` field by field, `atomic` as one value. */
  'x-{brand}-map-type': t.string(43).explicit(),
  /** Rules about the value, as expressions. */
  'x-{brand}-validations': t.list(44, ValidationRule).keyed('rule').patchBy('rule'),
}) {}
