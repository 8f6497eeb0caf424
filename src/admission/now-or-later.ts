/** Values that are in memory in most cases: what needs them waits for no promise then. */
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { ResourceName } from '../meta/resource-name.ts'

export type NowOrLater<T> = T | Promise<T>

/** Works with a value as soon as it is known. */
export const whenKnown = <T, R>(
  value: NowOrLater<T>,
  work: (value: T) => NowOrLater<R>,
): NowOrLater<R> => (value instanceof Promise ? value.then(work) : work(value))

/** The live object, not to be changed; null when absent. */
export const objectNamed = <T extends Typed = Typed>(
  objects: Pick<ObjectSource, 'get' | 'known'>,
  resource: ResourceName,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
): NowOrLater<T | null> =>
  objects.known?.<T>(resource, namespace, name) ?? objects.get<T>(resource, namespace, name)
