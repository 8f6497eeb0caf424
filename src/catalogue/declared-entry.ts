/** Makes the entries of declared kinds: handlers use only what is derived from their shapes here. */
import { createHash } from 'node:crypto'
import { storageTag } from '../base/storage-tag.ts'
import { resourcePrefix } from '../base/store-keys.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { declaredCheck } from './check.ts'
import { codecOf } from '../codec/codec.ts'
import type { ResourceEntry } from './entry.ts'
import { overCodecOf } from '../codec/over.ts'
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

  entry({ home, shape, deprecated, conversion }: OneVersion): ResourceEntry {
    const v = this.#v
    const { versions } = this
    const declaration = this.#declaration
    const { group, version } = groupVersionOf(home, v)
    const groupVersion = group === '' ? version : `${group}/${version}`
    const { kind } = this.#common
    return {
      ...this.#common,
      group,
      version,
      groupVersion,
      name: { group, resource: declaration.plural },
      codec: codecOf(shape, v),
      over: overCodecOf(shape, v),
      protobuf: protobufOfShape(shape, v),
      // Compiled at the first apply.
      get topology() {
        return topologyOf(shape, v)
      },
      mergeSchema: shape,
      published: { is: 'shape', shape, home, relabel: conversion?.relabel ?? null },
      versions,
      get storage() {
        return versions[0]!
      },
      conversion: conversion ?? null,
      deprecated,
      opening: Buffer.from(
        `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(groupVersion)},`,
      ),
      behindMetadata: membersWriter(shape, v, TYPE_AND_METADATA),
      storageTag: storageTag(version),
      selectable: selectableOf(declaration, home),
      // Used by discovery only.
      get storageVersionHash() {
        const { storage } = declaration
        const stored = groupVersionOf(storage.shape.home, v)
        return hashOf(`${stored.group}/${stored.version}/${kind}`)
      },
    }
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
    strategy: declaration,
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
