import { Field, home, Many, t, type ShapeClass, type Special } from '../notation/shape.ts'

const { shape } = home('apiextensions{api}/v1')

/** Any JSON value. */
export type Json = unknown

/** A schema as decoded. Written by hand, because it is recursive. */
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
  /** Null: neither a schema nor names were given. */
  dependencies?: Record<string, SchemaProps | string[] | null>
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

/** Reference to documentation outside the schema. */
export class ExternalDocumentation extends shape({
  /** Short description of the external documentation. */
  description: t.string(1),
  /** URL of the external documentation. */
  url: t.string(2),
}) {}

/** Validation rule for a value, written as a CEL expression. */
export class ValidationRule extends shape({
  /**
   * CEL expression that must evaluate to true. `self` is the value; `oldSelf` is its previous value, and a rule that
   * uses it is checked only on updates of an existing value.
   */
  rule: t.string(1).required(),
  /**
   * Error message if the rule evaluates to false. Required if the rule has line breaks; must not have any itself.
   * Defaults to `failed rule: <rule>`.
   */
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

// The same maker under a type without the fields: a recursive shape cannot be inferred.
const { shape: selfHolding } = home('apiextensions{api}/v1') as unknown as {
  shape: (fields: Readonly<Record<string, Field<unknown>>>) => ShapeClass<SchemaProps>
}

/** JSON schema of a value: the subset of OpenAPI v3 that custom resources support, with the `x-{brand}` extensions. */
export class JSONSchemaProps extends selfHolding({
  /** Not supported; must be empty. */
  id: t.string(1),
  /** Not supported; must be empty. */
  $schema: t.string(2),
  /** Not supported; must be unset. Repeat the referenced schema instead. */
  $ref: t.string(3).explicit(),
  /** Description of the value, shown in the API documentation. */
  description: t.string(4),
  /**
   * Type of the value: `string`, `number`, `integer`, `boolean`, `array` or `object`. Required for structural schemas
   * unless int-or-string or preserve-unknown-fields is set.
   */
  type: t.string(5),
  /**
   * Format that strings and numbers are checked against, such as `date-time`, `ipv4`, `uuid` or `int32`. Unknown
   * formats are ignored.
   */
  format: t.string(6),
  /** Short title of the value, for documentation only. */
  title: t.string(7),
  /** Value that the server sets if the field is absent, on writes and on reads. It must be valid under this schema. */
  default: t.any(8).explicit(),
  /** Largest allowed number; inclusive unless `exclusiveMaximum` is true. */
  maximum: t.double(9).explicit(),
  /** If true, the number must be less than `maximum`, not equal to it. Defaults to false. */
  exclusiveMaximum: t.bool(10),
  /** Smallest allowed number; inclusive unless `exclusiveMinimum` is true. */
  minimum: t.double(11).explicit(),
  /** If true, the number must be greater than `minimum`, not equal to it. Defaults to false. */
  exclusiveMinimum: t.bool(12),
  /** Maximum length of a string, in characters. Must not be negative. */
  maxLength: t.int64(13).explicit(),
  /** Minimum length of a string, in characters. Must not be negative. */
  minLength: t.int64(14).explicit(),
  /** Regular expression (RE2 syntax) that a string must match. It is not anchored unless it contains `^` and `$`. */
  pattern: t.string(15),
  /** Maximum number of items in an array. Must not be negative. */
  maxItems: t.int64(16).explicit(),
  /** Minimum number of items in an array. Must not be negative. */
  minItems: t.int64(17).explicit(),
  /** Not supported; must be false. Use a list type of `set` for unique items. */
  uniqueItems: t.bool(18),
  /** Number that the value must be a multiple of. Must be greater than zero. */
  multipleOf: t.double(19).explicit(),
  /** Allowed values. Any JSON value other than these is rejected. */
  enum: t.list(20, 'any'),
  /** Maximum number of properties of an object. Must not be negative. */
  maxProperties: t.int64(21).explicit(),
  /** Minimum number of properties of an object. Must not be negative. */
  minProperties: t.int64(22).explicit(),
  /** Names of the properties that an object must have. */
  required: t.list(23, 'string'),
  /** Schema of the items of an array; only one schema for all items is supported. Required if `type` is `array`. */
  items: schemaOrArray(24).explicit(),
  /** Schemas that the value must all match. They only add validation and must not set types, defaults or extensions. */
  allOf: schemas(25),
  /**
   * Schemas of which the value must match exactly one. They only add validation and must not set types, defaults or
   * extensions.
   */
  oneOf: schemas(26),
  /**
   * Schemas of which the value must match at least one. They only add validation and must not set types, defaults or
   * extensions.
   */
  anyOf: schemas(27),
  /** Schema that the value must not match. It only adds validation and must not set types, defaults or extensions. */
  not: schema(28).explicit(),
  /** Schemas of the named properties of an object. Mutually exclusive with `additionalProperties`. */
  properties: schemaMap(29),
  /**
   * Schema of all values of an object that is used as a map, or true for any value. Mutually exclusive with
   * `properties`.
   */
  additionalProperties: schemaOrBool(30).explicit(),
  /** Not supported; must be empty. */
  patternProperties: schemaMap(31),
  /** Not supported; must be empty. */
  dependencies: schemasOrStrings(32),
  /** Not supported; must be unset. */
  additionalItems: schemaOrBool(33).explicit(),
  /** Not supported; must be empty. */
  definitions: schemaMap(34),
  /** Reference to documentation about the value. */
  externalDocs: t.object(35, ExternalDocumentation).explicit(),
  /** Example of a valid value, for documentation only. */
  example: t.any(36).explicit(),
  /** If true, `null` is a valid value. If false, a null is dropped or replaced by the default. Defaults to false. */
  nullable: t.bool(37),
  /**
   * If true, fields that the schema does not specify are kept instead of pruned. Only true is allowed; leave it unset
   * otherwise.
   */
  'x-{brand}-preserve-unknown-fields': t.bool(38).explicit(),
  /**
   * If true, the value is a complete object whose apiVersion, kind and metadata are validated. Requires `type: object`.
   * Defaults to false.
   */
  'x-{brand}-embedded-resource': t.bool(39),
  /** If true, the value is either an integer or a string, and `type` must be empty. Defaults to false. */
  'x-{brand}-int-or-string': t.bool(40),
  /**
   * Fields whose values together identify an item of a list of type `map`. Required for that list type, not allowed for
   * others.
   */
  'x-{brand}-list-map-keys': t.list(41, 'string'),
  /**
   * How an array is merged: `atomic` as one value, `set` by unique values, `map` by the fields in the list map
   * keys. Defaults to `atomic`.
   */
  'x-{brand}-list-type': t.string(42).explicit(),
  /** How an object is merged: `granular` field by field, `atomic` as one value. Defaults to `granular`. */
  'x-{brand}-map-type': t.string(43).explicit(),
  /** Validation rules in CEL that the value must satisfy. */
  'x-{brand}-validations': t.list(44, ValidationRule).keyed('rule').patchBy('rule'),
}) {}
