/** Creates catalogue entries for kinds with schemas, which are added while the server runs. */
import type { Typed } from '../meta/object-meta.ts'
import { createHash } from 'node:crypto'
import { storageTag } from '../base/storage-tag.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import type { SchemaProps } from '../structural/json-schema-props.ts'
import { Decoding, type Codec, type JsonObject } from '../codec/codec.ts'
import type { Conversion, Convert, ResourceEntry } from '../catalogue/entry.ts'
import { sameValue } from '../meta/field-errors.ts'
import { ALL_VERBS, type Deprecation, type Subresource } from '../catalogue/resource.ts'
import type { Topology } from '../notation/topology.ts'
import type { FormHolder, RecentForms } from './recent-forms.ts'
import { schemaCodec, writeSchemaMembers } from './schema-codec.ts'
import { schemaColumns, type ColumnDefinition } from './schema-columns.ts'
import { schemaScale, type ScalePaths } from './schema-scale.ts'
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
  /** All versions whose objects may be stored, the storage version first. */
  readonly versions: readonly [SchemaVersion, ...SchemaVersion[]]
  /** Rises with each change of a schema. */
  readonly generation: number
  /** Converts objects between the versions; without it, they differ only in their apiVersion. */
  readonly convert?: Convert
  /** Decides how long derived forms are kept; without it, as long as the entries. */
  readonly recent?: RecentForms
}

/** One version of such a kind. */
export interface SchemaVersion {
  readonly name: string
  /** A structural schema. Read once, on first use. */
  readonly schema: SchemaProps
  /** Nothing is pruned or filled in: the schema validates only, and need not be structural. */
  readonly keepsAll?: boolean
  /** Whether the status is written through a sub-resource. */
  readonly status?: boolean
  /** Where `/scale` finds its numbers, if there is one: paths as definitions have them. */
  readonly scale?: ScalePaths
  /** Set when clients are warned of the version. */
  readonly deprecated?: Deprecation
  readonly columns?: readonly ColumnDefinition[]
}

/**
 * All versions of a kind, the stored one first. Cheap: everything that derives from a schema is computed on first use,
 * since on a server with many kinds most are never requested.
 */
export function schemaEntries(kind: SchemaKind): readonly [ResourceEntry, ...ResourceEntry[]] {
  const [stored, ...others] = kind.versions
  const versions: ResourceEntry[] = []
  const storage = new VersionOfKind(kind, stored)
  versions.push(storage.entry(storage, null, versions))
  for (const one of others) {
    const version = new VersionOfKind(kind, one)
    versions.push(version.entry(storage, version.conversion(storage), versions))
  }
  return [versions[0]!, ...versions.slice(1)]
}

const ANYTHING: SchemaProps = { type: 'object', 'x-{brand}-preserve-unknown-fields': true }

class VersionOfKind implements FormHolder {
  readonly #kind: SchemaKind
  readonly #version: SchemaVersion
  readonly #groupVersion: string
  #schema: SchemaProps | null = null
  #codec: Codec | null = null
  #rules: SchemaRules | null = null
  #topology: Topology | null = null
  #isUsed = false

  constructor(kind: SchemaKind, version: SchemaVersion) {
    this.#kind = kind
    this.#version = version
    this.#groupVersion = `${kind.group}/${version.name}`
  }

  get schema(): SchemaProps {
    this.#isUsed = true
    if (this.#schema) return this.#schema
    this.#schema = this.#version.schema
    this.#kind.recent?.add(this)
    return this.#schema
  }

  wasUsed(): boolean {
    const isUsed = this.#isUsed
    this.#isUsed = false
    return isUsed
  }

  drop(): void {
    this.#schema = null
    this.#codec = null
    this.#rules = null
    this.#topology = null
  }

  get codec(): Codec {
    this.#isUsed = true
    return (this.#codec ??= schemaCodec(this.#form))
  }

  get rules(): SchemaRules {
    this.#isUsed = true
    const { scale = null } = this.#version
    return (this.#rules ??= new SchemaRules(this.schema, this.codec, scale))
  }

  get topology(): Topology {
    this.#isUsed = true
    return (this.#topology ??= schemaTopology(this.#form))
  }

  get #form(): SchemaProps {
    return this.#version.keepsAll ? ANYTHING : this.schema
  }

  /** `versions`: all entries of the kind, the stored one first, when they are made. */
  entry(
    storage: VersionOfKind,
    conversion: Conversion | null,
    versions: readonly ResourceEntry[],
  ): ResourceEntry {
    const { group, plural, kind } = this.#kind
    const { name: version } = this.#version
    // Objects with an asynchronous conversion are validated in the storage version, whose rules apply to all.
    const rules = conversion?.waiting ? () => storage.rules : () => this.rules
    const itself = this as VersionOfKind
    let hash: string | undefined
    return {
      ...this.#names(),
      get codec() {
        return itself.codec
      },
      protobuf: null,
      get topology() {
        return itself.topology
      },
      mergeSchema: null,
      check: (object, errors) => rules().check(object, errors),
      ...this.#life(rules),
      table: {
        columns: schemaColumns(this.#version.columns),
        reads: 'served',
        view: (json) => JSON.parse(json.toString('utf8')) as never,
        rowOrder: null,
        rowConditions: null,
      },
      published: {
        is: 'schema',
        // Documents are rarely made, and read the schemas of all kinds: those are not kept for them.
        get schema() {
          return (itself.#schema ?? itself.#version.schema) as JsonObject
        },
      },
      versions,
      get storage() {
        return versions[0]!
      },
      conversion,
      deprecated: this.#version.deprecated ?? null,
      opening: Buffer.from(
        `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(this.#groupVersion)},`,
      ),
      behindMetadata: writeSchemaMembers,
      keyPrefix: resourcePrefix(group, plural),
      storageTag: storageTag(version, this.#kind.generation),
      selectable: new Map(),
      get storageVersionHash() {
        return (hash ??= hashOf(`${group}/${storage.#version.name}/${kind}`))
      },
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
      mayLeave: true as const,
      virtual: null,
      name: { group, resource: plural },
    }
  }

  #life(rules: () => SchemaRules) {
    const { namespaced } = this.#kind
    const { scale, status: hasStatus = false } = this.#version
    const subresources = new Map<string, Subresource<Typed>>()
    if (hasStatus)
      subresources.set(
        'status',
        schemaStatus(rules, () => this.schema),
      )
    if (scale) subresources.set('scale', schemaScale(scale))
    return { strategy: schemaStrategy(rules, { namespaced, hasStatus }), subresources }
  }

  /** To the stored version and back. */
  conversion(storage: VersionOfKind): Conversion {
    const { convert } = this.#kind
    if (convert) return this.#waiting(convert)
    let same: boolean | null = null
    const isSame = () => (same ??= sameValue(this.schema, storage.schema))
    return {
      get same() {
        return isSame()
      },
      convertToStorage: (object) => (isSame() ? object : rewritten(object, this, storage)),
      convertFromStorage: (object) => (isSame() ? object : rewritten(object, storage, this)),
    }
  }

  #waiting(convert: Convert): Conversion {
    const alone: ResourceEntry[] = []
    alone.push(this.entry(this, null, alone))
    return {
      same: false,
      convertToStorage: mustWait,
      convertFromStorage: mustWait,
      waiting: { convert, shown: alone[0]! },
    }
  }
}

/** Placeholder where only an asynchronous conversion exists. */
function mustWait(): never {
  throw new Error('objects of this version have to be waited for')
}

/** An object as the schema of another version has it. */
const rewritten = (object: Typed, from: VersionOfKind, to: VersionOfKind): Typed => {
  const plain = from.codec.plain(object as unknown as JsonObject)
  return to.codec.decode(plain, new Decoding()) as unknown as Typed
}

/** The stored version as discovery shows it, without naming it. */
const hashOf = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
