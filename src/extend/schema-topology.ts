/** How apply owns and merges objects that a schema describes, by its list types and map types. */
import { isEmbedded } from '../structural/embedded-rules.ts'
import type { SchemaProps } from '../structural/json-schema-props.ts'
import { additionalOf, itemsOf, propertyOf } from '../structural/walk-schema.ts'
import { UNRESOLVED } from '../codec/codec.ts'
import { ObjectMeta } from '../meta/object-meta.ts'
import {
  DEDUCED,
  fieldStep,
  SCALARS,
  topologyOf,
  type DeclaredField,
  type ListTopology,
  type MapTopology,
  type Topology,
} from '../notation/topology.ts'
import { isNameless, preserves } from './schema-values.ts'

/** The topology of whole objects. */
export const schemaTopology = (schema: SchemaProps): Topology => mapOf(schema, true)

function topologyFor(schema: SchemaProps): Topology {
  if (schema['x-{brand}-int-or-string'] === true) return SCALARS.any
  switch (schema.type) {
    case 'string':
      return SCALARS.string
    case 'boolean':
      return SCALARS.boolean
    case 'integer':
    case 'number':
      return SCALARS.number
    case 'array':
      return listOf(schema)
    case 'object':
      return mapOf(schema, isEmbedded(schema))
    default:
      return DEDUCED
  }
}

function mapOf(schema: SchemaProps, whole: boolean): MapTopology {
  const fields = new Map<string, DeclaredField>()
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    fields.set(name, { element: fieldStep(name), of: once(() => topologyFor(property)) })
  if (whole) {
    for (const name of ['apiVersion', 'kind'])
      fields.set(name, { element: fieldStep(name), of: () => SCALARS.string })
    const metadata = () => topologyOf(ObjectMeta.shape, UNRESOLVED)
    fields.set('metadata', { element: fieldStep('metadata'), of: metadata })
  }
  return {
    is: 'map',
    atomic: schema['x-{brand}-map-type'] === 'atomic',
    fields,
    rest: restOf(schema),
  }
}

/** Schema of undeclared keys; null: there are none. */
function restOf(schema: SchemaProps): (() => Topology) | null {
  const additional = additionalOf(schema)
  if (additional) return once(() => topologyFor(additional))
  return isNameless(schema) || preserves(schema) || schema.additionalProperties === true
    ? () => DEDUCED
    : null
}

function listOf(schema: SchemaProps): ListTopology {
  const items = itemsOf(schema)
  const of = once(() => (items ? topologyFor(items) : DEDUCED))
  const type = schema['x-{brand}-list-type']
  if (type === 'set') return { is: 'list', relation: 'set', keys: [], of }
  if (type !== 'map') return { is: 'list', relation: 'atomic', keys: [], of }
  const keys = (schema['x-{brand}-list-map-keys'] ?? []).map((name) => ({
    name,
    standard: items ? propertyOf(items, name)?.default : undefined,
  }))
  return { is: 'list', relation: 'keyed', keys, of }
}

function once(make: () => Topology): () => Topology {
  let made: Topology | undefined
  return () => (made ??= make())
}
