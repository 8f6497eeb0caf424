import type { Typed } from '../meta/object-meta.ts'
import type { ObjectPlace } from '../base/store-keys.ts'
import type { ResourceName } from '../meta/resource-name.ts'

/**
 * How plugins write objects. Writes pass admission, checks and ownership as requests of the server itself do: the same
 * plugin is called for them too. It must not write the object of the request that it is called for: that waits for the
 * request to end.
 */
export interface ObjectWriter {
  /** Makes an object; kind and version may be left out. Throws StatusError. */
  create<T extends Typed = Typed>(
    resource: ResourceName,
    namespace: string,
    object: object,
  ): Promise<T>
  /**
   * Changes an object, or one part of it such as `status`, in its stored version. `change` is called again, on a fresh
   * copy, when the object changed meanwhile; throw from it to write nothing. Throws StatusError.
   */
  change<T extends Typed = Typed>(
    resource: ResourceName,
    place: ObjectPlace & { readonly subresource?: string },
    change: (object: T) => void,
  ): Promise<T>
}
