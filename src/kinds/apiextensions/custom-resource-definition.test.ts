import { describe, expect, test } from 'vitest'
import { codecOf } from '../../codec/codec.ts'
import { orch } from '../../vocabulary/orch.ts'
import {
  c,
  forbidden,
  invalid,
  notSupported,
  problems,
  read,
  required,
  statusProblems,
} from '../meta/hooks.fixture.ts'
import {
  CustomResourceDefinition,
  customResourceDefinitions as definitions,
} from './custom-resource-definition.ts'

const names = { plural: 'foos', kind: 'Foo' }
const versionOf = (schema: object, rest: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...rest,
})
const of = (spec: object = {}, metadata: object = {}) =>
  read(definitions, {
    metadata: { name: 'foos.example.com', ...metadata },
    spec: {
      group: 'example.com',
      names,
      scope: 'Namespaced',
      versions: [versionOf({ type: 'object' })],
      ...spec,
    },
  })
const version = (rest: object) => of({ versions: [versionOf({ type: 'object' }, rest)] })
const schema = (given: object) => of({ versions: [versionOf({ type: 'object', ...given })] })
const field = (given: object) => schema({ properties: { f: given } })

const S = 'spec.validation.openAPIV3Schema'
const F = `${S}.properties[f]`
const SIMPLIFY =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const typed = (path: string, found: string, wanted: string, name = '') => ({
  field: path,
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: "${found}": ${name === '' ? '' : `${name} `}in body must be of type ${wanted}: "${found}"`,
})

test('what is left out is filled, and a create starts with an empty status', () => {
  const made = of()
  definitions.prepareForCreate!(made, c)
  expect(made).toEqual({
    metadata: { name: 'foos.example.com', generation: 1 },
    spec: {
      group: 'example.com',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
      scope: 'Namespaced',
      versions: [versionOf({ type: 'object' })],
      conversion: { strategy: 'None' },
    },
    status: { acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  })
})

test('schemas of all forms come back as they were given', () => {
  const given = {
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'string' }, 'x-orch-list-type': 'set' },
      b: { type: 'object', additionalProperties: true },
      c: { type: 'object', additionalProperties: { type: 'string' }, default: { x: null } },
      d: {
        items: [{ type: 'string' }],
        dependencies: { e: ['f'], g: { type: 'string' }, h: null },
      },
    },
    'x-orch-preserve-unknown-fields': false,
    'x-orch-validations': [{ rule: 'true' }],
  }
  const object = of({ versions: [versionOf(given)] })
  expect(object.spec.versions[0]!.schema!.openAPIV3Schema!.properties!['a']).toEqual({
    type: 'array',
    items: { type: 'string' },
    'x-{brand}-list-type': 'set',
  })
  const plain = codecOf(CustomResourceDefinition.shape, orch).plain(object as never)
  expect(JSON.parse(JSON.stringify(plain)).spec.versions[0].schema.openAPIV3Schema).toEqual(given)
})

describe('rules of the definition', () => {
  for (const [name, object, wanted] of [
    ['a whole one', of(), []],
    [
      'another name',
      of({}, { name: 'x' }),
      [invalid('metadata.name', 'x', 'must be spec.names.plural+"."+spec.group')],
    ],
    [
      'a group without dot',
      of({ group: 'g' }, { name: 'foos.g' }),
      [invalid('spec.group', 'g', 'should be a domain with at least one dot')],
    ],
    ['a scope', of({ scope: 'x' }), [notSupported('spec.scope', 'x', 'Cluster', 'Namespaced')]],
    [
      'names',
      of({ names: { plural: 'foos', kind: 'Foo', listKind: 'Foo', shortNames: ['F'] } }),
      [
        invalid('spec.names.shortNames[0]', 'F', LABEL),
        invalid('spec.names.listKind', 'Foo', 'kind and listKind may not be the same'),
      ],
    ],
    [
      'no kind',
      of({ names: { plural: 'foos' } }),
      [
        required('spec.names.singular'),
        required('spec.names.kind'),
        required('spec.names.listKind'),
      ],
    ],
    [
      'more versions than can be served one by one',
      of({
        versions: Array.from({ length: 1_001 }, (_, i) =>
          versionOf({ type: 'object' }, { name: `v${i + 1}`, storage: i === 0 }),
        ),
      }),
      [
        {
          field: 'spec.versions',
          reason: 'FieldValueTooMany',
          message: 'Too many: 1001: must have at most 1000 items',
        },
      ],
    ],
    [
      'two storage versions of one name',
      of({ versions: [versionOf({ type: 'object' }), versionOf({ type: 'object' })] }),
      [
        invalid('spec.versions', ['v1', 'v1'], 'must contain unique version names'),
        invalid(
          'spec.versions',
          ['v1', 'v1'],
          'must have exactly one version marked as storage version',
        ),
      ],
    ],
    [
      'no schema',
      of({ versions: [{ name: 'v1', served: true, storage: true }] }),
      [required('spec.versions[0].schema.openAPIV3Schema', 'schemas are required')],
    ],
    [
      'a warning',
      version({ deprecationWarning: 'x\ny' }),
      [
        invalid(
          'spec.versions[0].deprecationWarning',
          'x\ny',
          'can only be set for deprecated versions',
        ),
        invalid(
          'spec.versions[0].deprecationWarning',
          'x\ny',
          'must only contain printable characters; the one at index 1 is not',
        ),
      ],
    ],
    [
      'fields of the past',
      of({ preserveUnknownFields: true }),
      [
        invalid(
          'spec.preserveUnknownFields',
          true,
          'cannot set to true, set x-orch-preserve-unknown-fields to true in spec.versions[*].schema instead',
        ),
      ],
    ],
    [
      'a conversion without webhook',
      of({ conversion: { strategy: 'Webhook' } }),
      [
        required('spec.conversion.webhookClientConfig', 'required when strategy is set to Webhook'),
        required('spec.conversion.conversionReviewVersions', 'must specify one of v1, v1beta1'),
      ],
    ],
    [
      'a webhook without conversion',
      of({
        conversion: {
          strategy: 'None',
          webhook: { clientConfig: { url: 'https://h' }, conversionReviewVersions: ['v1'] },
        },
      }),
      ['webhookClientConfig', 'conversionReviewVersions'].map((name) =>
        forbidden(
          `spec.conversion.${name}`,
          'should not be set when strategy is not set to Webhook',
        ),
      ),
    ],
    [
      'columns',
      version({ additionalPrinterColumns: [{ name: '', type: 'x', format: 'y', jsonPath: 'z' }] }),
      [
        required('spec.additionalPrinterColumns[0].name'),
        invalid(
          'spec.additionalPrinterColumns[0].type',
          'x',
          'must be one of boolean,date,integer,number,string',
        ),
        invalid(
          'spec.additionalPrinterColumns[0].format',
          'y',
          'must be one of byte,date,date-time,double,float,int32,int64,password',
        ),
        invalid(
          'spec.additionalPrinterColumns[0].JSONPath',
          'z',
          'must be a simple json path starting with .',
        ),
      ],
    ],
    [
      'a scale',
      version({
        subresources: {
          scale: { specReplicasPath: '', statusReplicasPath: '.spec.x', labelSelectorPath: '.x' },
        },
      }),
      [
        required('spec.subresources.scale.specReplicasPath'),
        invalid(
          'spec.subresources.scale.statusReplicasPath',
          '.spec.x',
          'should be a json path under .status',
        ),
        invalid(
          'spec.subresources.scale.labelSelectorPath',
          '.x',
          'should be a json path under either .spec or .status',
        ),
      ],
    ],
    [
      'schemas that differ',
      of({
        versions: [
          versionOf({ type: 'object', nullable: true }),
          versionOf({ type: 'object' }, { name: 'v2', storage: false }),
        ],
      }),
      [
        forbidden(
          'spec.versions[0].schema.openAPIV3Schema.nullable',
          'nullable cannot be true at the root',
        ),
      ],
    ],
    [
      'a protected group',
      of({ group: 'g.orch.io' }, { name: 'foos.g.orch.io' }),
      [
        required(
          'metadata.annotations[api-approved.orch.io]',
          'must be the URL of the approval, or start with "unapproved" where there is none',
        ),
      ],
    ],
    [
      'an approved one',
      of(
        { group: 'g.orch.io' },
        { name: 'foos.g.orch.io', annotations: { 'api-approved.orch.io': 'https://h/1' } },
      ),
      [],
    ],
  ] as const) {
    test(name, () => expect(problems(definitions, object)).toEqual(wanted))
  }
})

describe('rules of schemas', () => {
  const EMPTY = 'must not be empty for specified object fields'
  for (const [name, object, wanted] of [
    [
      'no types',
      schema({ type: '', properties: { f: {} } }),
      [required(`${F}.type`, EMPTY), required(`${S}.type`, 'must not be empty at the root')],
    ],
    [
      'an unknown type',
      field({ type: 'x' }),
      [notSupported(`${F}.type`, 'x', 'array', 'boolean', 'integer', 'number', 'object', 'string')],
    ],
    [
      'a list without items',
      field({ type: 'array' }),
      [required(`${F}.items`, 'must be specified')],
    ],
    [
      'a dependency that is null',
      field({ type: 'object', dependencies: { a: null } }),
      [forbidden(`${F}.dependencies`, 'dependencies is not supported')],
    ],
    [
      'what is not supported',
      field({ type: 'string', $ref: '#', uniqueItems: true }),
      [
        forbidden(`${F}.$ref`, '$ref is not supported'),
        forbidden(
          `${F}.uniqueItems`,
          'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
        ),
      ],
    ],
    [
      'properties of two kinds',
      field({
        type: 'object',
        properties: { a: { type: 'string' } },
        additionalProperties: { type: 'string' },
      }),
      [
        forbidden(
          `${F}.additionalProperties`,
          'additionalProperties and properties are mutual exclusive',
        ),
      ],
    ],
    [
      'a pattern that is none',
      field({ type: 'string', pattern: '(' }),
      [
        invalid(
          `${F}.pattern`,
          '(',
          "must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
        ),
      ],
    ],
    [
      'metadata',
      schema({
        properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
      }),
      [
        forbidden(
          `${S}.properties[metadata]`,
          'must not specify anything other than name and generateName, but metadata is implicitly specified',
        ),
      ],
    ],
    [
      'alternatives that tell structure',
      field({ type: 'object', anyOf: [{ type: 'object', properties: { a: {} } }] }),
      [
        forbidden(`${F}.anyOf[0].type`, 'must be empty to be structural'),
        required(`${F}.properties[a]`, `because it is defined in ${F}.anyOf[0].properties[a]`),
      ],
    ],
    [
      'an integer or a text',
      field({
        'x-orch-int-or-string': true,
        anyOf: [{ type: 'integer' }, { type: 'string' }],
      }),
      [],
    ],
    [
      'an object inside without fields',
      field({ type: 'object', 'x-orch-embedded-resource': true }),
      [
        required(
          `${F}.properties`,
          'an embedded resource has properties, or preserves unknown fields',
        ),
      ],
    ],
    [
      'keys of a list',
      field({
        type: 'array',
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['a', 'b'],
        items: { type: 'object', properties: { a: { type: 'string' } } },
      }),
      [
        invalid(
          `${F}.x-orch-list-map-keys`,
          ['a', 'b'],
          'entries must all be names of item properties',
        ),
        required(
          `${F}.items.properties[a].default`,
          'this property is in x-orch-list-map-keys, so it must have a default or be a required property',
        ),
      ],
    ],
    [
      'a set of objects',
      field({ type: 'array', 'x-orch-list-type': 'set', items: { type: 'object' } }),
      [
        invalid(
          `${F}.items.x-orch-map-type`,
          'null',
          'must be atomic as item of a list with x-orch-list-type=set',
        ),
      ],
    ],
    [
      'expressions',
      field({ type: 'string', 'x-orch-validations': [{ rule: ' ' }, { rule: 'a\nb' }] }),
      [
        required(`${F}.x-orch-validations[0].rule`, 'rule is not specified'),
        required(`${F}.x-orch-validations[1].message`, 'a rule of several lines needs a message'),
      ],
    ],
    ['a rule', field({ type: 'string', 'x-orch-validations': [{ rule: 'self == "a"' }] }), []],
    [
      'a rule that is none',
      field({ type: 'string', 'x-orch-validations': [{ rule: 'self +' }, { rule: 'self' }] }),
      [
        invalid(
          `${F}.x-orch-validations[0].rule`,
          'self +',
          "compilation failed: ERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self +\n | ......^",
        ),
        invalid(
          `${F}.x-orch-validations[1].rule`,
          'self',
          'cel expression must evaluate to a bool',
        ),
      ],
    ],
    [
      'a rule beside another error',
      field({ type: 'string', id: 'x', 'x-orch-validations': [{ rule: 'self +' }] }),
      [forbidden(`${F}.id`, 'id is not supported')],
    ],
    [
      'a rule about the value before in a list',
      field({
        type: 'array',
        maxItems: 5,
        items: {
          type: 'object',
          properties: {
            a: { type: 'integer', 'x-orch-validations': [{ rule: 'self == oldSelf' }] },
          },
        },
      }),
      [
        invalid(
          `${F}.items.properties[a].x-orch-validations[0].rule`,
          'self == oldSelf',
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${F}`,
        ),
      ],
    ],
    [
      'a rule about the value before in a list with keys',
      field({
        type: 'array',
        maxItems: 5,
        'x-orch-list-type': 'map',
        'x-orch-list-map-keys': ['a'],
        items: {
          type: 'object',
          required: ['a'],
          properties: { a: { type: 'integer' } },
          'x-orch-validations': [{ rule: 'self == oldSelf' }],
        },
      }),
      [],
    ],
    [
      'a rule that costs too much',
      field({
        type: 'array',
        items: {
          type: 'array',
          maxItems: 10,
          items: { type: 'integer' },
          'x-orch-validations': [{ rule: 'self.all(x, x > 0)' }],
        },
      }),
      [
        forbidden(
          `${F}.items.x-orch-validations[0].rule`,
          `estimated rule cost exceeds budget by factor of 5.5x ${SIMPLIFY}`,
        ),
      ],
    ],
    [
      'a rule that costs far too much',
      field({
        type: 'array',
        items: { type: 'array', items: { type: 'integer' } },
        'x-orch-validations': [{ rule: 'self.all(x, x.all(y, y > 0))' }],
      }),
      [
        forbidden(
          `${F}.x-orch-validations[0].rule`,
          `estimated rule cost exceeds budget by factor of more than 100x ${SIMPLIFY}`,
        ),
        forbidden(
          `${F}.x-orch-validations[0].rule`,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
        forbidden(
          S,
          `x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${SIMPLIFY}`,
        ),
      ],
    ],
    [
      'a rule that does not compile, in a list whose rule costs too much',
      field({
        type: 'array',
        items: { type: 'string', 'x-orch-validations': [{ rule: 'self.x' }] },
        'x-orch-validations': [
          { rule: 'self.y' },
          { rule: 'self.all(x, self.exists_one(y, x == y))' },
        ],
      }),
      [
        invalid(
          `${F}.items.x-orch-validations[0].rule`,
          'self.x',
          "compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection\n | self.x\n | ....^",
        ),
        invalid(
          `${F}.x-orch-validations[0].rule`,
          'self.y',
          "compilation failed: ERROR: <input>:1:5: type 'list(string)' does not support field selection\n | self.y\n | ....^",
        ),
        forbidden(
          `${F}.x-orch-validations[1].rule`,
          `estimated rule cost exceeds budget by factor of more than 100x ${SIMPLIFY}`,
        ),
        forbidden(
          `${F}.x-orch-validations[1].rule`,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
        forbidden(
          S,
          `x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${SIMPLIFY}`,
        ),
      ],
    ],
    [
      'rules about objects, which are named after the way from the place of the rule',
      field({
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { n: { type: 'integer' } },
            'x-orch-validations': [{ rule: 'self == 1' }],
          },
          parts: {
            type: 'array',
            maxItems: 2,
            items: { type: 'object', properties: { n: { type: 'integer' } } },
          },
          by: {
            type: 'object',
            additionalProperties: { type: 'object', properties: { n: { type: 'integer' } } },
          },
        },
        'x-orch-validations': [
          { rule: 'self.spec == 1' },
          { rule: 'self.parts == self' },
          { rule: 'self.by["a"] == self.parts[0]' },
        ],
      }),
      [
        invalid(
          `${F}.properties[spec].x-orch-validations[0].rule`,
          'self == 1',
          "compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(selfType0, int)'\n | self == 1\n | .....^",
        ),
        invalid(
          `${F}.x-orch-validations[0].rule`,
          'self.spec == 1',
          "compilation failed: ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(selfType0.spec, int)'\n | self.spec == 1\n | ..........^",
        ),
        invalid(
          `${F}.x-orch-validations[1].rule`,
          'self.parts == self',
          "compilation failed: ERROR: <input>:1:12: found no matching overload for '_==_' applied to '(list(selfType0.parts.@idx), selfType0)'\n | self.parts == self\n | ...........^",
        ),
        invalid(
          `${F}.x-orch-validations[2].rule`,
          'self.by["a"] == self.parts[0]',
          "compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(selfType0.by.@elem, selfType0.parts.@idx)'\n | self.by[\"a\"] == self.parts[0]\n | .............^",
        ),
      ],
    ],
    [
      'rules about the keys of a map, and about what functions read',
      field({
        type: 'object',
        maxProperties: 8,
        additionalProperties: { type: 'string' },
        'x-orch-validations': [
          { rule: "self.all(key, key.matches('^[a-z]+$'))" },
          { rule: 'self.all(k, duration(self[k]) < duration("1h") && isURL(self[k]))' },
          { rule: "self.all(k, self[k].replace('a', 'b') != 'x')" },
        ],
      }),
      [],
    ],
    [
      'rules about what functions made of a bounded text',
      field({
        type: 'string',
        maxLength: 5,
        'x-orch-validations': [{ rule: 'self.substring(2).matches("^[a-z]+$")' }],
      }),
      [
        forbidden(
          `${F}.x-orch-validations[0].rule`,
          `estimated rule cost exceeds budget by factor of more than 100x ${SIMPLIFY}`,
        ),
        forbidden(
          `${F}.x-orch-validations[0].rule`,
          'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
        ),
        forbidden(
          S,
          `x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${SIMPLIFY}`,
        ),
      ],
    ],
    [
      'rules that cost too much together',
      field({
        type: 'array',
        items: { type: 'integer' },
        'x-orch-validations': Array.from({ length: 17 }, (_, i) => ({
          rule: `self.all(x, x > ${i})`,
        })),
      }),
      [
        ...[0, 1, 2, 3].map((i) =>
          forbidden(
            `${F}.x-orch-validations[${i}].rule`,
            'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
          ),
        ),
        forbidden(
          S,
          `x-orch-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.336934x ${SIMPLIFY}`,
        ),
      ],
    ],
    [
      'a default that breaks a rule',
      field({ type: 'integer', default: 3, 'x-orch-validations': [{ rule: 'self > 3' }] }),
      [invalid(`${F}.default`, 'integer', 'failed rule: self > 3')],
    ],
    [
      'a default that is its own value before',
      field({ type: 'integer', default: 3, 'x-orch-validations': [{ rule: 'self == oldSelf' }] }),
      [],
    ],
    [
      'a rule in a schema that is not structural',
      field({ items: { type: 'string' }, 'x-orch-validations': [{ rule: 'self +' }] }),
      [required(`${F}.type`, EMPTY)],
    ],
    [
      'a rule with fields of the object',
      schema({
        'x-orch-validations': [{ rule: 'self.metadata.name != "x" && self.kind == "Foo"' }],
      }),
      [],
    ],
    ['a default', field({ type: 'string', default: 'x', maxLength: 1 }), []],
    [
      'a default of another type',
      field({ type: 'string', default: 1 }),
      [typed(`${F}.default`, 'integer', 'string')],
    ],
    [
      'a default with unknown fields',
      field({
        type: 'object',
        properties: { a: { type: 'integer', maximum: 3 } },
        default: { a: 4, b: 1 },
      }),
      [
        {
          field: `${F}.default`,
          reason: 'FieldValueInvalid',
          message:
            'Invalid value: map[string]interface {}{"a":4, "b":1}: must not have unknown fields',
        },
        invalid(`${F}.default.a`, 4, 'a in body should be less than or equal to 3'),
      ],
    ],
    [
      'a default of the name',
      schema({ properties: { kind: { type: 'string', default: 'x' } } }),
      [forbidden(`${S}.properties[kind].default`, 'must not be set in top-level kind')],
    ],
    [
      'beside a status',
      of({
        versions: [
          versionOf(
            { type: 'object', oneOf: [{ required: ['spec'] }] },
            { subresources: { status: {} } },
          ),
        ],
      }),
      [
        invalid(
          S,
          'oneOf',
          'only [description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example x-orch-preserve-unknown-fields x-orch-validations] fields are allowed at the root of the schema if the status subresource is enabled',
        ),
      ],
    ],
  ] as const) {
    test(name, () => expect(problems(definitions, object)).toEqual(wanted))
  }
})

describe('changes', () => {
  const stored = () => {
    const old = of()
    definitions.prepareForCreate!(old, c)
    return old
  }
  test('a new storage version is remembered, the old one may not go', () => {
    const old = stored()
    const next = of({ versions: [versionOf({ type: 'object' }, { name: 'v2' })] })
    next.status = structuredClone(old.status)
    definitions.prepareForUpdate!(next, old, c)
    expect([next.status.storedVersions, next.metadata.generation]).toEqual([['v1', 'v2'], 2])
    expect(problems(definitions, next, old)).toEqual([
      invalid('status.storedVersions[0]', 'v1', 'must appear in spec.versions'),
    ])
  })
  test('kind and scope stay once established, group and plural always', () => {
    const old = stored()
    const spec = { scope: 'Cluster', names: { plural: 'foos', kind: 'Bar' } }
    expect(problems(definitions, of(spec), old)).toEqual([])
    old.status.conditions = [{ type: 'Established', status: 'True' }]
    expect(problems(definitions, of(spec), old)).toEqual([
      invalid('spec.scope', 'Cluster', 'field is immutable'),
      invalid('spec.names.kind', 'Bar', 'field is immutable'),
    ])
    const moved = { group: 'a.b', names: { ...names, plural: 'bars' } }
    expect(problems(definitions, of(moved, { name: 'bars.a.b' }), old)).toEqual([
      invalid('spec.group', 'a.b', 'field is immutable'),
      invalid('spec.names.plural', 'bars', 'field is immutable'),
    ])
  })
  test('what is stored may stay', () => {
    const loose = { type: 'array', 'x-orch-list-type': 'set', items: { type: 'object' } }
    const old = field(loose)
    expect(problems(definitions, field(loose), old)).toEqual([])
  })
  test('the status is not held against the versions', () => {
    const next = of()
    next.status.storedVersions = ['v0']
    next.status.acceptedNames = { plural: 'Foos', kind: 'Foo' }
    expect(statusProblems(definitions, next)).toEqual([
      invalid('status.acceptedNames.plural', 'Foos', LABEL),
    ])
  })
})
