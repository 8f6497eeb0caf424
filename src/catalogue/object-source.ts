import type { ObjectPlace } from '../base/store-keys.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceName } from '../meta/resource-name.ts'

/** Told of objects as they come, change and go. */
export interface ObjectHandler<T extends Typed = Typed> {
  /** Every object that is there at the start, then each created or changed one. Not to be changed. */
  set(object: T): void
  /** Told instead of `set` where it is there: `read` gives the object when it is needed, null if it cannot be read. */
  named?(place: ObjectPlace, read: () => T | null): void
  /** An object that is gone, in its last state. */
  removed(object: T): void
}

/** How parts of the server that are not request handlers read objects: from memory, in their stored version. */
export interface ObjectSource {
  /** The live object, not to be changed; null when absent. The last write of this server is seen. */
  get<T extends Typed = Typed>(
    resource: ResourceName,
    namespace: string,
    name: string,
  ): Promise<T | null>
  /** Resolves when `get` sees what other servers wrote before the call; null when there are none. */
  fresh?(): Promise<void> | null
  /**
   * Hands over every object of a resource, resolves, and from then on tells each committed change in order.
   * Returns what ends it. A resource that is not served has no objects.
   */
  follow<T extends Typed = Typed>(
    resource: ResourceName,
    handler: ObjectHandler<T>,
  ): Promise<() => void>
}
