import type { ObjectPlace } from '../base/store-keys.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceName } from '../meta/resource-name.ts'

/** An object that is decoded on demand. */
export interface UnreadObject<T extends Typed = Typed> {
  readonly revision: number
  /** Decodes the object; null if it is unreadable. */
  read(): T | null
  /** The same with nothing in all objects and lists under some names: much cheaper where those are large. */
  readWithout(...names: readonly string[]): T | null
  /**
   * The JSON value as it is stored, with nothing in those: cheaper again. Bytes are text in it, and what the codec fills
   * in may be missing. Null if it is unreadable.
   */
  outline(...names: readonly string[]): unknown
  /** Whether the JSON text of the object contains a text, which is found soonest near its end. */
  mentions(text: string): boolean
}

/** Notified of added, changed and deleted objects. */
export interface ObjectHandler<T extends Typed = Typed> {
  /** Every present object at the start, then each created or changed one. Must not be changed. */
  set(object: T): void
  /** Called instead of `set` if defined. */
  named?(place: ObjectPlace, object: UnreadObject<T>): void
  /** A deleted object, in its last state. */
  removed(object: T): void
}

/** Read access to objects for parts of the server other than request handlers: from memory, in the storage version. */
export interface ObjectSource {
  /** The live object, not to be changed; null when absent. Includes the last write of this server. */
  get<T extends Typed = Typed>(
    resource: ResourceName,
    namespace: string,
    name: string,
  ): Promise<T | null>
  /** As `get`, at once; undefined when only that can tell, since the resource is not in memory yet. */
  known?<T extends Typed = Typed>(
    resource: ResourceName,
    namespace: string,
    name: string,
  ): T | null | undefined
  /** Resolves when `get` sees what other servers wrote before the call; null without other servers. */
  fresh?(): Promise<void> | null
  /**
   * Passes every object of a resource to the handler, resolves, and from then on reports each committed change in
   * order. Returns a function that stops it. A resource that is not served has no objects.
   */
  follow<T extends Typed = Typed>(
    resource: ResourceName,
    handler: ObjectHandler<T>,
  ): Promise<() => void>
}
