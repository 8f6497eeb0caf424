/** Finalizers that controllers hold on objects until they are no longer in use. */
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceClient } from '../client/resource-client.ts'
import { isNotFound } from '../client/resource-client.ts'

/** Whether an object is being deleted. */
export const isTerminating = ({ metadata }: Typed): boolean =>
  metadata?.deletionTimestamp !== undefined

export const hasFinalizer = ({ metadata }: Typed, finalizer: string): boolean =>
  metadata?.finalizers?.includes(finalizer) === true

/** Adds a finalizer to an object of this state; it is no failure if the object is gone. */
export const addFinalizer = <T extends Typed>(
  of: ResourceClient<T>,
  object: T,
  finalizer: string,
): Promise<void> => put(of, object, [...(object.metadata?.finalizers ?? []), finalizer])

/** Removes a finalizer from an object of this state; it is no failure if the object is gone. */
export const removeFinalizer = <T extends Typed>(
  of: ResourceClient<T>,
  object: T,
  finalizer: string,
): Promise<void> =>
  put(
    of,
    object,
    (object.metadata?.finalizers ?? []).filter((one) => one !== finalizer),
  )

async function put<T extends Typed>(
  of: ResourceClient<T>,
  object: T,
  finalizers: readonly string[],
): Promise<void> {
  try {
    await of.update({ ...object, metadata: { ...object.metadata, finalizers } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
