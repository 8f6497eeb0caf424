/** The interface of a kind for handlers, cache and documents, declared or custom. */
import type { Steps } from '../base/steps.ts'
import type { Codec, JsonObject } from '../codec/codec.ts'
import type { OverCodec } from '../codec/over.ts'
import type { ResourceName } from '../meta/resource-name.ts'
import type { FieldErrors } from '../meta/field-errors.ts'
import type { WriteMembers } from '../codec/json-writer.ts'
import type { KnownObject } from '../codec/json-view.ts'
import type { LateProtobuf } from '../codec/late-protobuf.ts'
import type { Typed } from '../meta/object-meta.ts'
import type {
  Column,
  Deprecation,
  HookContext,
  ResourceOptions,
  RowCondition,
  Subresource,
  Verb,
} from './resource.ts'
import type { FieldFacts, Shape } from '../notation/shape.ts'
import type { Topology } from '../notation/topology.ts'

/** One resource in one served version. Made from a declaration or a schema. */
export interface ResourceEntry {
  readonly group: string
  readonly version: string
  /** `v1` or `group/version`, as in `apiVersion`. */
  readonly groupVersion: string
  readonly resource: string
  readonly kind: string
  readonly listKind: string
  readonly singular: string
  readonly short: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  /** Set while its objects are removed together with the kind: creates are refused. */
  readonly isLeaving?: true
  /** Set for kinds that may be removed while the server runs. */
  readonly mayLeave?: true
  /** For kinds that are not stored: names the implementation of the request (src/registry/actions). */
  readonly virtual: string | null
  /** For error details. */
  readonly name: ResourceName

  /** Reads and writes the JSON of this version. */
  readonly codec: Codec
  /** The same for objects that share parts with others; absent: there is no such way. */
  readonly over?: OverCodec
  /** The binary form; null: there is none. */
  readonly protobuf: LateProtobuf | null
  /** Ownership and merging of fields in apply; null: deduced from the values. */
  readonly topology: Topology | null
  /** The part of a configuration that objects keep, without the fields of places that name none; absent: all of it. */
  readonly keptConfiguration?: (config: JsonObject) => JsonObject
  /** Merge rules of strategic merge patch; null: the kind does not accept such patches. */
  readonly mergeSchema: Shape | null
  /**
   * Declarative checks of an object of the storage version, before the strategy runs. In steps where it is slow. `before`: a
   * stored object that passed them, and that may share parts with this one.
   */
  readonly check: (object: Typed, errors: FieldErrors, before?: Typed) => void | Steps<void>
  /** Hooks and rules of the kind, for its storage version. */
  readonly strategy: Strategy
  readonly table: TableView
  /** Its part of the API documents. */
  readonly published: Published

  /** The storage version; the entry itself if it is that version. */
  readonly storage: ResourceEntry
  /** All versions of the same objects, the storage version first. */
  readonly versions: readonly ResourceEntry[]
  /** Conversion of this version; null for the storage version. */
  readonly conversion: Conversion | null
  readonly deprecated: Deprecation | null
  /** Start of every object's JSON: `{"kind":"…","apiVersion":"…",` */
  readonly opening: Buffer
  /** Writes the members after the metadata in every object's JSON. */
  readonly behindMetadata: WriteMembers
  /** All keys of the resource start with this. */
  readonly keyPrefix: string
  /** Tag of records in this version. */
  readonly storageTag: Buffer
  readonly subresources: ReadonlyMap<string, Subresource<Typed>>
  /** Field selector labels beside those of metadata, with their names in the storage version. */
  readonly selectable: ReadonlyMap<string, string>
  readonly storageVersionHash: string
}

/** Hooks and rules of a kind. */
export type Strategy<T extends Typed = Typed> = Omit<
  ResourceOptions<T>,
  | 'plural'
  | 'scope'
  | 'short'
  | 'categories'
  | 'without'
  | 'virtual'
  | 'selectableAliases'
  | 'columns'
  | 'rowOrder'
  | 'rowConditions'
  | 'subresources'
  | 'versions'
  | 'deprecated'
>

/** Table representation of objects. */
export interface TableView {
  readonly columns: readonly Column<Typed>[]
  /** The JSON that cells read: of the storage version, or of the served one. */
  readonly reads: 'stored' | 'served'
  /** A view of such JSON for cells; known objects in it are skipped. */
  readonly view: (json: Buffer, known?: KnownObject) => Typed
  /** Order of the rows, where it differs from name order. */
  readonly rowOrder: ((a: Typed, b: Typed) => number) | null
  /** The conditions of an object's row. */
  readonly rowConditions: ((object: Typed) => readonly RowCondition[]) | null
}

/** Converts objects of a version to the storage version, and back. */
export interface Conversion {
  /** Same wire form: only the apiVersion differs, so bytes are sent without parsing. */
  readonly same: boolean
  convertToStorage(object: Typed, c: HookContext): Typed
  convertFromStorage(storage: Typed, c: HookContext): Typed
  /** Set when conversion is asynchronous: then the two above are not called. */
  readonly waiting?: WaitingConversion
}

/** Asynchronous conversion, such as by a webhook. */
export interface WaitingConversion {
  /** See {@link Convert}. */
  readonly convert: Convert
  /** The entry for objects that already have the version: as if it were the storage version. */
  readonly shown: ResourceEntry
}

/** An object to convert. A stored one is passed on as it is stored. */
export interface Convertible {
  /** With its kind and apiVersion. */
  json(): Buffer
  /** The metadata in it. */
  metadata(): Buffer
}

/**
 * Converts objects of one kind to one of its group versions: the same number, in the same order. The documents are made
 * as they are taken. Rejects, or throws while they are taken, with a StatusError or an Error that states the reason.
 */
export type Convert = (
  objects: readonly Convertible[],
  kind: string,
  groupVersion: string,
) => Promise<Iterable<JsonObject>>

/** Source of the API documents of a kind: a declaration, or a schema to publish. */
export type Published =
  | {
      readonly is: 'shape'
      readonly shape: Shape
      /** Group version that the shapes are published under, as a template. */
      readonly home: string
      /** Facts in which the published schema differs from the shape. */
      readonly relabel: Readonly<Record<string, Partial<FieldFacts>>> | null
    }
  /** Keyword names that contain the brand are templates. */
  | { readonly is: 'schema'; readonly schema: JsonObject }
