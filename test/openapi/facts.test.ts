/** Definitions of version 3 beside the facts about the release. */
import { kubernetes } from '../../src/vocabulary/kubernetes.ts'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/openapi/document.ts'
import { factsOf } from '../facts.ts'
import { documentsIn } from './document.ts'

interface FactField {
  readonly name: string
  readonly type: string
  readonly required?: boolean
  readonly pointer?: boolean
  readonly omitempty?: boolean
  readonly default?: unknown
  readonly enum?: readonly string[]
  readonly list?: string
  readonly listKeys?: readonly string[]
  readonly mapType?: string
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
}
interface FactType {
  readonly fields?: readonly FactField[]
  readonly structType?: string
  readonly openapi?: { readonly type?: string; readonly format?: string }
  readonly unions?: readonly { discriminator: string; fields: Record<string, string> }[]
}

/** What is meant to differ, and why. */
const MEANT: Readonly<Record<string, string>> = {
  'PersistentVolumeSpec.claimRef': 'granular on top of an atomic shape; the notation has one mark',
  'CSIStorageCapacityList.items': 'the only list of objects whose items have a key',
  'APIResource.verbs': 'a list type with a name of its own',
  'StatefulSetStatus.availableReplicas': 'always written, yet optional; the notation has one mark',
  'Event.reportingComponent': 'the same',
  'Event.reportingInstance': 'the same',
  'FlowSchemaSpec.matchingPrecedence': 'the same',
  'LimitedPriorityLevelConfiguration.assuredConcurrencyShares': 'the same',
  'QueuingConfiguration.queues': 'the same',
  'QueuingConfiguration.handSize': 'the same',
  'QueuingConfiguration.queueLengthLimit': 'the same',
}

/** Group version of the facts, and name, of a definition. */
function placeOfType(definition: string): [file: string, name: string] {
  const [name, version, group] = definition.split('.').toReversed() as [string, string, string]
  return [/^v\d/.test(version) ? `${group}.${version}` : version, name]
}

const typesOf = (file: string) => factsOf<{ types: Record<string, FactType> }>(`${file}.json`).types

/** A schema in the words of the facts. */
function typeOf(schema: Json, file: string): string {
  const [wrapped] = (schema.allOf ?? [schema]) as Json[]
  if (typeof wrapped!.$ref === 'string') {
    const [of, name] = placeOfType(wrapped!.$ref)
    return of === file ? name : `${of}.${name}`
  }
  if (schema.type === 'array') return `[]${typeOf(schema.items as Json, file)}`
  if (schema.additionalProperties) {
    return `map[string]${typeOf(schema.additionalProperties as Json, file)}`
  }
  switch (schema.format ?? schema.type) {
    case 'byte':
      return 'bytes'
    case 'double':
      return 'float64'
    case 'boolean':
      return 'bool'
    default:
      return String(schema.format ?? schema.type)
  }
}

const SCALARS: Readonly<Record<string, unknown>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
}
const ZEROS = new Set(['""', 'false', '0', '{}'])
const isCollection = (type: string) => /^(\[\]|map\[)/.test(type) || type === 'bytes'

/** Rule 2 of the facts. */
function defaultOf(field: FactField): unknown {
  if (field.default !== undefined) return field.default
  if (field.pointer || isCollection(field.type) || field.type === 'any') return undefined
  if (!Object.hasOwn(SCALARS, field.type)) return {}
  return field.omitempty ? undefined : SCALARS[field.type]
}

const { schemas } = documentsIn('kubernetes')

describe('definitions agree with the facts', () => {
  test.each(Object.entries(schemas))('%s', (definition, schema) => {
    const [file, name] = placeOfType(definition)
    const types = typesOf(file)
    const item = name.endsWith('List') && !types[name] ? types[name.slice(0, -4)] : undefined
    if (item) return
    const type = types[name]!
    expect(type, 'the facts know the type').toBeDefined()
    if (type.openapi) {
      expect({ type: schema.type, format: schema.format }).toEqual({
        type: type.openapi.type,
        format: type.openapi.format,
      })
      return
    }
    // Names with brand words are templates; types that are lists are published as lists.
    const fields = type.fields!.map((field) => ({
      ...field,
      name: kubernetes.resolve(field.name),
      type: field.type.replace('ExtraValue', '[]string'),
    }))
    const properties = (schema.properties ?? {}) as Record<string, Json>
    expect(Object.keys(properties).sort()).toEqual(fields.map((f) => f.name).sort())
    expect(schema['x-kubernetes-map-type']).toBe(type.structType)
    expect(schema['x-kubernetes-unions']).toEqual(
      type.unions?.map((u) => ({
        discriminator: u.discriminator,
        'fields-to-discriminateBy': u.fields,
      })),
    )
    const required = fields.filter((f) => f.required).map((f) => f.name)
    expect(schema.required ?? []).toEqual(required)
    for (const field of fields) {
      const where = `${name}.${field.name}`
      if (Object.hasOwn(MEANT, where)) continue
      const property = properties[field.name]!
      const standard = defaultOf(field)
      expect(
        {
          type: typeOf(property, file),
          enum: property.enum,
          list: property['x-kubernetes-list-type'],
          listKeys: property['x-kubernetes-list-map-keys'],
          mapType: property['x-kubernetes-map-type'],
          patchStrategy: property['x-kubernetes-patch-strategy'],
          patchMergeKey: property['x-kubernetes-patch-merge-key'],
        },
        where,
      ).toEqual({
        type: field.type,
        enum: field.pointer || field.type !== 'string' ? undefined : field.enum,
        list: field.list,
        listKeys: field.listKeys,
        mapType: field.mapType,
        patchStrategy: field.patchStrategy,
        patchMergeKey: field.patchMergeKey,
      })
      // Declarations tell more defaults than the field publishes: those that its server fills by program.
      const told = property.default
      const more = field.pointer || !ZEROS.has(JSON.stringify(told))
      if (field.default !== undefined || told === undefined || !more) {
        expect(told, where).toEqual(standard)
      }
    }
  })
})
