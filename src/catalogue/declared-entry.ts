/** Makes the entries of declared kinds: handlers use only what is derived from their shapes here. */
import { createHash } from 'node:crypto'
import { storageTag } from '../base/storage-tag.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { declaredCheck } from './check.ts'
import { codecOf } from '../codec/codec.ts'
import type { ResourceEntry, Strategy } from './entry.ts'
import { overCodecOf, type OverCodec } from '../codec/over.ts'
import { membersWriter } from '../codec/json-writer.ts'
import { viewJson } from '../codec/json-view.ts'
import { protobufOfShape } from '../codec/late-protobuf.ts'
import type { Typed } from '../meta/object-meta.ts'
import { ALL_VERBS, type Deprecation, type Resource, type Version } from './resource.ts'
import { groupVersionOf } from '../meta/home.ts'
import type { Shape } from '../notation/shape.ts'
import { STANDARD_COLUMNS } from './table.ts'
import { topologyOf } from '../notation/topology.ts'

/** All versions of a declared kind, the storage version first. */
export function declaredEntries(
  declaration: Resource,
  v: Vocabulary,
): readonly [ResourceEntry, ...ResourceEntry[]] {
  const kind = new DeclaredKind(declaration, v)
  const { storage, versions: others = {}, deprecated = null } = declaration
  const stored: ResourceEntry = kind.entry({
    home: storage.shape.home,
    shape: storage.shape,
    deprecated,
  })
  kind.versions.push(stored)
  for (const [home, version] of Object.entries(others)) {
    const { shape } = version.shape
    const { deprecated: since = null } = version
    kind.versions.push(kind.entry({ home, shape, deprecated: since, conversion: version }))
  }
  return [stored, ...kind.versions.slice(1)]
}

/** Members that differ between versions. */
interface OneVersion {
  readonly home: string
  readonly shape: Shape
  readonly deprecated: Deprecation | null
  /** Absent for the storage version. */
  readonly conversion?: Version<Typed>
}

const TYPE_AND_METADATA = ['kind', 'apiVersion', 'metadata']

class DeclaredKind {
  readonly versions: ResourceEntry[] = []
  readonly #declaration: Resource
  readonly #v: Vocabulary
  /** Members that all versions share. */
  readonly #common: ReturnType<typeof commonOf>

  constructor(declaration: Resource, v: Vocabulary) {
    this.#declaration = declaration
    this.#v = v
    this.#common = commonOf(declaration, v)
  }

  entry(one: OneVersion): ResourceEntry {
    return new DeclaredEntry(
      { declaration: this.#declaration, v: this.#v, common: this.#common },
      one,
      this.versions,
    )
  }
}

/** What all versions of a kind are made from. */
interface KindParts {
  readonly declaration: Resource
  readonly v: Vocabulary
  readonly common: ReturnType<typeof commonOf>
}

/** All have one hidden class, so that reading a member costs the same however many kinds are in use. */
class DeclaredEntry implements ResourceEntry {
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
  readonly verbs: ResourceEntry['verbs']
  readonly virtual: string | null
  readonly name: ResourceEntry['name']
  readonly codec: ResourceEntry['codec']
  readonly over: OverCodec
  readonly protobuf: ResourceEntry['protobuf']
  readonly mergeSchema: Shape
  readonly check: ResourceEntry['check']
  readonly strategy: Strategy
  readonly table: ResourceEntry['table']
  readonly published: ResourceEntry['published']
  readonly storage: ResourceEntry
  readonly versions: readonly ResourceEntry[]
  readonly conversion: ResourceEntry['conversion']
  readonly deprecated: Deprecation | null
  readonly opening: Buffer
  readonly behindMetadata: ResourceEntry['behindMetadata']
  readonly keyPrefix: string
  readonly storageTag: Buffer
  readonly subresources: ResourceEntry['subresources']
  readonly selectable: ResourceEntry['selectable']
  readonly #kind: KindParts

  constructor(of: KindParts, one: OneVersion, versions: readonly ResourceEntry[]) {
    const { declaration, v, common } = of
    const { home, shape, deprecated, conversion } = one
    const { group, version } = groupVersionOf(home, v)
    this.#kind = of
    this.group = group
    this.version = version
    this.groupVersion = group === '' ? version : `${group}/${version}`
    this.resource = common.resource
    this.kind = common.kind
    this.listKind = common.listKind
    this.singular = common.singular
    this.short = common.short
    this.categories = common.categories
    this.namespaced = common.namespaced
    this.verbs = common.verbs
    this.virtual = common.virtual
    this.name = { group, resource: declaration.plural }
    this.codec = codecOf(shape, v)
    this.over = overCodecOf(shape, v)
    this.protobuf = protobufOfShape(shape, v)
    this.mergeSchema = shape
    this.check = common.check
    this.strategy = common.strategy
    this.table = common.table
    this.published = { is: 'shape', shape, home, relabel: conversion?.relabel ?? null }
    this.storage = versions[0] ?? this
    this.versions = versions
    this.conversion = conversion ?? null
    this.deprecated = deprecated
    this.opening = Buffer.from(
      `{"kind":${JSON.stringify(this.kind)},"apiVersion":${JSON.stringify(this.groupVersion)},`,
    )
    this.behindMetadata = membersWriter(shape, v, TYPE_AND_METADATA)
    this.keyPrefix = common.keyPrefix
    this.storageTag = storageTag(version)
    this.subresources = common.subresources
    this.selectable = selectableOf(declaration, home)
  }

  // Compiled at the first apply.
  get topology(): ResourceEntry['topology'] {
    return topologyOf(this.mergeSchema, this.#kind.v)
  }

  // Used by discovery only.
  get storageVersionHash(): string {
    const { declaration, v } = this.#kind
    const stored = groupVersionOf(declaration.storage.shape.home, v)
    return hashOf(`${stored.group}/${stored.version}/${this.kind}`)
  }
}

function commonOf(declaration: Resource, v: Vocabulary) {
  const { storage, ...options } = declaration
  const { shape } = storage
  const { columns, rowOrder = null, rowConditions = null } = options
  return {
    resource: options.plural,
    kind: shape.name,
    listKind: `${shape.name}List`,
    singular: shape.name.toLowerCase(),
    short: options.short ?? [],
    categories: options.categories ?? [],
    namespaced: options.scope === 'namespace',
    verbs: ALL_VERBS.filter((verb) => !options.without?.includes(verb)),
    virtual: options.virtual ?? null,
    check: declaredCheck(shape, v),
    strategy: strategyOf(declaration),
    table: {
      columns: columns ?? STANDARD_COLUMNS,
      reads: 'stored' as const,
      view: (json: Buffer, known?: Parameters<typeof viewJson>[3]) =>
        viewJson(shape, v, json, known) as Typed,
      rowOrder,
      rowConditions,
    },
    keyPrefix: resourcePrefix(groupVersionOf(shape.home, v).group, options.plural),
    subresources: new Map(Object.entries(options.subresources ?? {})),
  }
}

/** The hooks and rules of a declaration, all with one hidden class. */
function strategyOf(declaration: Resource): Strategy {
  const of: Strategy = declaration
  const all: { readonly [K in keyof Required<Strategy>]: Strategy[K] | undefined } = {
    setDefaults: of.setDefaults,
    sharesParts: of.sharesParts,
    prepareForCreate: of.prepareForCreate,
    prepareForUpdate: of.prepareForUpdate,
    prepare: of.prepare,
    validate: of.validate,
    validateUpdate: of.validateUpdate,
    canonicalize: of.canonicalize,
    allocate: of.allocate,
    allocations: of.allocations,
    removes: of.removes,
    warn: of.warn,
    onTerminate: of.onTerminate,
    isHeld: of.isHeld,
    grace: of.grace,
    nameRule: of.nameRule,
    takesPlainFinalizers: of.takesPlainFinalizers,
    needsType: of.needsType,
    createOnUpdate: of.createOnUpdate,
    needsVersionOnUpdate: of.needsVersionOnUpdate,
    refusesDelete: of.refusesDelete,
    deleteAnswers: of.deleteAnswers,
    heldDeleteAnswers: of.heldDeleteAnswers,
    orphansByDefault: of.orphansByDefault,
    deleteWarning: of.deleteWarning,
    selectable: of.selectable,
    unknownSelector: of.unknownSelector,
    noNamespaceSelector: of.noNamespaceSelector,
    unowned: of.unowned,
  }
  // What is undefined is absent.
  return all as Strategy
}

function selectableOf(
  { selectable = {}, selectableAliases = {}, versions }: Resource,
  home: string,
): Map<string, string> {
  const own = versions?.[home]?.selectableAliases
  if (own) return new Map(Object.entries(own))
  const names = Object.keys(selectable).map((name) => [name, name] as const)
  return new Map([...names, ...Object.entries(selectableAliases)])
}

/** The storage version as discovery shows it: as a hash. */
const hashOf = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 8).toString('base64')
