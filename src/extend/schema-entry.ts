/** Makes the entries of kinds that are described by schemas, for a catalogue that gets them while the server runs. */
import { createHash } from 'node:crypto'
import { storageTag } from '../base/storage-tag.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import type { SchemaProps } from '../kinds/apiextensions/json-schema-props.ts'
import { Decoding, type Codec, type JsonObject } from '../schema/codec.ts'
import type { Conversion, Convert, Served } from '../schema/entry.ts'
import { sameValue } from '../schema/field-errors.ts'
import { ALL_VERBS, type Subresource } from '../schema/resource.ts'
import type { Topology } from '../schema/topology.ts'
import { schemaCodec, writeSchemaMembers } from './schema-codec.ts'
import { schemaColumns, type ColumnDefinition } from './schema-columns.ts'
import { SchemaRules, schemaStatus, schemaStrategy } from './schema-strategy.ts'
import { schemaTopology } from './schema-topology.ts'

/** A kind as users describe it. */
export interface SchemaKind {
  readonly group: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly namespaced: boolean
  /** All versions whose objects may be stored, the one that is written today first. */
  readonly versions: readonly [SchemaVersion, ...SchemaVersion[]]
  /** Rises with each change of a schema. */
  readonly generation: number
  /** Who converts objects between the versions; without, they differ in nothing but their apiVersion. */
  readonly convert?: Convert
}

/** One version of such a kind. */
export interface SchemaVersion {
  readonly name: string
  /** A structural schema. */
  readonly schema: SchemaProps
  /** Whether the status is written through a sub-resource. */
  readonly status?: boolean
  readonly columns?: readonly ColumnDefinition[]
}

/** All versions of a kind, the stored one first. */
export function schemaEntries(kind: SchemaKind): readonly [Served, ...Served[]] {
  const [stored, ...others] = kind.versions
  const versions: Served[] = []
  const hub = new VersionOfKind(kind, stored)
  versions.push(hub.entry(hub, null, versions))
  for (const one of others) {
    const version = new VersionOfKind(kind, one)
    versions.push(version.entry(hub, version.conversion(hub), versions))
  }
  return [versions[0]!, ...versions.slice(1)]
}

class VersionOfKind {
  readonly schema: SchemaProps
  readonly codec: Codec
  readonly rules: SchemaRules
  readonly #kind: SchemaKind
  readonly #version: SchemaVersion
  readonly #groupVersion: string
  #topology: Topology | null = null

  constructor(kind: SchemaKind, version: SchemaVersion) {
    this.#kind = kind
    this.#version = version
    this.#groupVersion = `${kind.group}/${version.name}`
    this.schema = version.schema
    this.codec = schemaCodec(version.schema)
    this.rules = new SchemaRules(version.schema, this.codec)
  }

  /** `versions`: all entries of the kind, the stored one first, when they are made. */
  entry(hub: VersionOfKind, conversion: Conversion | null, versions: readonly Served[]): Served {
    const { group, plural, kind } = this.#kind
    const { name: version } = this.#version
    const topology = () => (this.#topology ??= schemaTopology(this.schema))
    // Objects that wait for their conversion are looked at in the stored version, whose rules are those of all.
    const rules = conversion?.waiting ? hub.rules : this.rules
    return {
      ...this.#names(),
      codec: this.codec,
      protobuf: null,
      get topology() {
        return topology()
      },
      mergeSchema: null,
      check: (object, errors) => rules.check(object, errors),
      ...this.#life(rules),
      table: {
        columns: schemaColumns(this.#version.columns),
        reads: 'served',
        view: (json) => JSON.parse(json.toString('utf8')) as never,
        rowOrder: null,
        rowConditions: null,
      },
      published: { is: 'schema', schema: this.schema as JsonObject },
      versions,
      get hub() {
        return versions[0]!
      },
      conversion,
      deprecated: null,
      opening: Buffer.from(
        `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(this.#groupVersion)},`,
      ),
      behindMetadata: writeSchemaMembers,
      keyPrefix: resourcePrefix(group, plural),
      storageTag: storageTag(version, this.#kind.generation),
      selectable: new Map(),
      storageVersionHash: hashOf(`${group}/${hub.#version.name}/${kind}`),
    }
  }

  #names() {
    const { group, plural, kind, listKind, singular, short, categories, namespaced } = this.#kind
    return {
      group,
      version: this.#version.name,
      groupVersion: this.#groupVersion,
      resource: plural,
      kind,
      listKind,
      singular,
      short: short ?? [],
      categories: categories ?? [],
      namespaced,
      verbs: ALL_VERBS,
      virtual: null,
      name: { group, resource: plural },
    }
  }

  #life(rules: SchemaRules) {
    const { namespaced } = this.#kind
    const hasStatus = this.#version.status === true
    const subresources = new Map<string, Subresource<any>>()
    if (hasStatus) subresources.set('status', schemaStatus(rules, this.schema))
    return { strategy: schemaStrategy(rules, { namespaced, hasStatus }), subresources }
  }

  /** To the stored version and back. */
  conversion(hub: VersionOfKind): Conversion {
    const { convert } = this.#kind
    if (convert) return this.#waiting(convert)
    const same = sameValue(this.schema, hub.schema)
    return {
      same,
      toHub: same ? (object) => object as unknown : (object) => rewritten(object, this, hub),
      fromHub: same ? (object) => object as unknown : (object) => rewritten(object, hub, this),
    }
  }

  #waiting(convert: Convert): Conversion {
    const alone: Served[] = []
    alone.push(this.entry(this, null, alone))
    return {
      same: false,
      toHub: mustWait,
      fromHub: mustWait,
      waiting: { convert, shown: alone[0]! },
    }
  }
}

/** Stands where nobody converts without waiting. */
function mustWait(): never {
  throw new Error('objects of this version have to be waited for')
}

/** An object as the schema of another version has it. */
const rewritten = (object: JsonObject, from: VersionOfKind, to: VersionOfKind): JsonObject =>
  to.codec.decode(from.codec.plain(object), new Decoding())

/** The stored version as discovery shows it, without naming it. */
const hashOf = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
