/** Creates catalogue entries for kinds with schemas, which are added while the server runs. */
import type { Typed } from '../meta/object-meta.ts'
import { createHash } from 'node:crypto'
import { storageTag } from '../base/storage-tag.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import type { SchemaProps } from '../structural/json-schema-props.ts'
import { Decoding, type Codec, type JsonObject } from '../codec/codec.ts'
import { parseJson } from '../codec/json-text.ts'
import type { Conversion, Convert, ResourceEntry } from '../catalogue/entry.ts'
import { sameValue } from '../meta/field-errors.ts'
import { ALL_VERBS, type Deprecation, type Subresource } from '../catalogue/resource.ts'
import type { Topology } from '../notation/topology.ts'
import type { FormHolder, RecentForms } from './recent-forms.ts'
import { schemaCodec, writeSchemaMembers } from './schema-codec.ts'
import { schemaColumns, type ColumnDefinition } from './schema-columns.ts'
import { schemaScale, type ScalePaths } from './schema-scale.ts'
import { SchemaRules, schemaStatus, schemaStrategy } from './schema-strategy.ts'
import { keptConfiguration } from './schema-values.ts'
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
  const parts = { kind, storage, versions }
  versions.push(new SchemaEntry(parts, stored, storage, null))
  for (const one of others) {
    const version = new VersionOfKind(kind, one)
    versions.push(new SchemaEntry(parts, one, version, version.conversion(storage)))
  }
  return [versions[0]!, ...versions.slice(1)]
}

const ANYTHING: SchemaProps = { type: 'object', 'x-{brand}-preserve-unknown-fields': true }

class VersionOfKind implements FormHolder {
  readonly #kind: SchemaKind
  readonly #version: SchemaVersion
  #schema: SchemaProps | null = null
  #codec: Codec | null = null
  #rules: SchemaRules | null = null
  #topology: Topology | null = null
  #isUsed = false

  constructor(kind: SchemaKind, version: SchemaVersion) {
    this.#kind = kind
    this.#version = version
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

  keptConfiguration(config: JsonObject): JsonObject {
    return keptConfiguration(config, this.#form)
  }

  get #form(): SchemaProps {
    return this.#version.keepsAll ? ANYTHING : this.schema
  }

  /** Hooks and rules; `rules` are those of the version that objects are validated in. */
  life(rules: () => SchemaRules): Pick<ResourceEntry, 'strategy' | 'subresources'> {
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

  /** Documents are rarely made, and read the schemas of all kinds: those are not kept for them. */
  get publishedSchema(): JsonObject {
    return (this.#schema ?? this.#version.schema) as JsonObject
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
    const parts = { kind: this.#kind, storage: this, versions: alone }
    alone.push(new SchemaEntry(parts, this.#version, this, null))
    return {
      same: false,
      convertToStorage: mustWait,
      convertFromStorage: mustWait,
      waiting: { convert, shown: alone[0]! },
    }
  }
}

/** What the versions of a kind share. */
interface KindParts {
  readonly kind: SchemaKind
  readonly storage: VersionOfKind
  /** All entries of the kind, the stored one first, when they are made. */
  readonly versions: readonly ResourceEntry[]
}

const NONE: readonly string[] = []
const NO_LABELS: ReadonlyMap<string, string> = new Map()

/**
 * One version in the catalogue. A server may have thousands, and most are only looked up by their names: members that
 * requests need are made on first use. Others inherit from it, so that its members are not private to its class.
 */
class SchemaEntry implements ResourceEntry {
  readonly group: string
  readonly version: string
  readonly groupVersion: string
  readonly resource: string
  readonly kind: string
  readonly listKind: string
  readonly singular: string
  readonly short: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly versions: readonly ResourceEntry[]
  readonly conversion: Conversion | null
  readonly keyPrefix: string
  protected readonly parts: KindParts
  protected readonly declared: SchemaVersion
  protected readonly forms: VersionOfKind
  protected made: MadeMembers | null = null
  protected openingMade: Buffer | null = null
  protected tagMade: Buffer | null = null
  protected hashMade: string | null = null

  constructor(
    parts: KindParts,
    declared: SchemaVersion,
    forms: VersionOfKind,
    conversion: Conversion | null,
  ) {
    const { kind, versions } = parts
    this.group = kind.group
    this.version = declared.name
    this.groupVersion = `${kind.group}/${declared.name}`
    this.resource = kind.plural
    this.kind = kind.kind
    this.listKind = kind.listKind
    this.singular = kind.singular
    this.short = kind.short ?? NONE
    this.categories = kind.categories ?? NONE
    this.namespaced = kind.namespaced
    this.versions = versions
    this.conversion = conversion
    this.keyPrefix = resourcePrefix(kind.group, kind.plural)
    this.parts = parts
    this.declared = declared
    this.forms = forms
  }

  get verbs() {
    return ALL_VERBS
  }

  get mayLeave() {
    return true as const
  }

  get virtual() {
    return null
  }

  get protobuf() {
    return null
  }

  get mergeSchema() {
    return null
  }

  get behindMetadata() {
    return writeSchemaMembers
  }

  get selectable() {
    return NO_LABELS
  }

  get codec() {
    return this.forms.codec
  }

  get topology() {
    return this.forms.topology
  }

  keptConfiguration(config: JsonObject): JsonObject {
    return this.forms.keptConfiguration(config)
  }

  get storage(): ResourceEntry {
    return this.versions[0]!
  }

  get deprecated() {
    return this.declared.deprecated ?? null
  }

  get name() {
    return this.members.name
  }

  get check() {
    return this.members.check
  }

  get strategy() {
    return this.members.strategy
  }

  get subresources() {
    return this.members.subresources
  }

  get table() {
    return this.members.table
  }

  get published() {
    return this.members.published
  }

  get opening() {
    const { kind, groupVersion } = this
    return (this.openingMade ??= Buffer.from(
      `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(groupVersion)},`,
    ))
  }

  get storageTag() {
    return (this.tagMade ??= storageTag(this.version, this.parts.kind.generation))
  }

  get storageVersionHash() {
    const { group, kind, storage } = this
    return (this.hashMade ??= hashOf(`${group}/${storage.version}/${kind}`))
  }

  protected get members(): MadeMembers {
    return (this.made ??= madeMembers(this.parts, this.declared, this.forms, this.conversion))
  }
}

/** Members that only requests for the kind need. */
type MadeMembers = Pick<
  ResourceEntry,
  'name' | 'check' | 'strategy' | 'subresources' | 'table' | 'published'
>

function madeMembers(
  { kind, storage }: KindParts,
  { columns }: SchemaVersion,
  forms: VersionOfKind,
  conversion: Conversion | null,
): MadeMembers {
  // Objects with an asynchronous conversion are validated in the storage version, whose rules apply to all.
  const rules = conversion?.waiting ? () => storage.rules : () => forms.rules
  return {
    ...forms.life(rules),
    name: { group: kind.group, resource: kind.plural },
    check: (object, errors) => rules().check(object, errors),
    table: {
      columns: schemaColumns(columns),
      reads: 'served',
      view: (json) => parseJson(json) as never,
      rowOrder: null,
      rowConditions: null,
    },
    published: {
      is: 'schema',
      get schema() {
        return forms.publishedSchema
      },
    },
  }
}

/** Placeholder where only an asynchronous conversion exists. */
function mustWait(): never {
  throw new Error('objects of this version have to be waited for')
}

/** An object as the schema of another version has it. */
const rewritten = (object: Typed, from: VersionOfKind, to: VersionOfKind): Typed => {
  const plain = from.codec.plain(object as unknown as JsonObject)
  return to.codec.decode(plain, new Decoding({ keepsNull: true })) as unknown as Typed
}

/** The stored version as discovery shows it, without naming it. */
const hashOf = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
