/** What handlers, cache and documents need to know of a kind, whatever it is made of. */
import type { Codec, JsonObject } from '../codec/codec.ts'
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

/** One resource in one served version. Made of a declaration, or of a schema. */
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
  /** Set while its objects are removed together with the kind: no more are made. */
  readonly isLeaving?: true
  /** For kinds that are not stored: names what a request does or what is read (src/registry/actions). */
  readonly virtual: string | null
  /** For error details. */
  readonly name: ResourceName

  /** Reads and writes the JSON of this version. */
  readonly codec: Codec
  /** The binary form; null: there is none. */
  readonly protobuf: LateProtobuf | null
  /** How objects are owned and merged by apply; null: as their values are. */
  readonly topology: Topology | null
  /** What strategic merge patch goes by; null: the kind takes no such patches. */
  readonly mergeSchema: Shape | null
  /** What is checked of an object of the stored version before the strategy is asked. */
  readonly check: (object: Typed, errors: FieldErrors) => void
  /** What the kind says about the life of its objects, in their stored version. */
  readonly strategy: Strategy
  readonly table: TableView
  /** What the documents of the API say of it. */
  readonly published: Published

  /** The version that is stored; itself when it is this one. */
  readonly storage: ResourceEntry
  /** All versions of the same objects, the stored one first. */
  readonly versions: readonly ResourceEntry[]
  /** Conversion of this version; null for the stored one. */
  readonly conversion: Conversion | null
  readonly deprecated: Deprecation | null
  /** Start of every object's JSON: `{"kind":"…","apiVersion":"…",` */
  readonly opening: Buffer
  /** Writes what stands behind the metadata in every object's JSON. */
  readonly behindMetadata: WriteMembers
  /** All keys of the resource start with this. */
  readonly keyPrefix: string
  /** What records in this version carry. */
  readonly storageTag: Buffer
  readonly subresources: ReadonlyMap<string, Subresource<any>>
  /** Field selector labels beside those of metadata, and what they are called in the stored version. */
  readonly selectable: ReadonlyMap<string, string>
  readonly storageVersionHash: string
}

/** Hooks and rules of a kind. */
export type Strategy<T = any> = Omit<
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

/** How objects are shown in tables. */
export interface TableView {
  readonly columns: readonly Column<any>[]
  /** The JSON that cells read: of the stored version, or of the served one. */
  readonly reads: 'stored' | 'served'
  /** Such JSON as cells read it; what is known of it is stepped over. */
  readonly view: (json: Buffer, known?: KnownObject) => Typed
  /** Order of the rows, where it is not that of names. */
  readonly rowOrder: ((a: any, b: any) => number) | null
  /** What marks the row of an object. */
  readonly rowConditions: ((object: any) => readonly RowCondition[]) | null
}

/** How objects of a version become those of the stored one, and back. */
export interface Conversion {
  /** Same wire form: only the apiVersion differs, so bytes are sent without parsing. */
  readonly same: boolean
  convertToStorage(object: any, c: HookContext): any
  convertFromStorage(storage: any, c: HookContext): any
  /** Set when somebody else converts, for whom the request has to wait: then the two above are not called. */
  readonly waiting?: WaitingConversion
}

/** Conversion that asks somebody else. */
export interface WaitingConversion {
  /** See {@link Convert}. */
  readonly convert: Convert
  /** The entry of the version for objects that are in it already: as if it were the stored one. */
  readonly shown: ResourceEntry
}

/**
 * Converts objects of one kind, in their JSON form, to one of its group versions: as many as were given, in the same
 * order. Rejects with a StatusError when they cannot be had.
 */
export type Convert = (
  objects: readonly JsonObject[],
  groupVersion: string,
) => Promise<readonly JsonObject[]>

/** What the documents of the API say of a kind: a declaration, or a schema as it is to be published. */
export type Published =
  | {
      readonly is: 'shape'
      readonly shape: Shape
      /** Group version that the shapes are published under, as a template. */
      readonly home: string
      /** Marks in which the published schema differs from the shape's. */
      readonly relabel: Readonly<Record<string, Partial<FieldFacts>>> | null
    }
  /** Names of keywords that carry the brand are templates. */
  | { readonly is: 'schema'; readonly schema: JsonObject }
