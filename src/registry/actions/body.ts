import type { ResourceEntry } from '../../catalogue/catalogue.ts'
import type { Typed } from '../../meta/object-meta.ts'
import type { ActionSubresource } from '../../catalogue/resource.ts'
import type { ShapeClass } from '../../notation/shape.ts'
import { type ActionDependencies, type Call } from '../context.ts'
import type { WriteOptions } from '../options.ts'
import { parseBody, readObject } from '../read-body.ts'
import { takeNamespace } from '../write.ts'

/** The body of an action, and its kind. */
export interface ActionBody<T> {
  readonly object: T
  readonly kind: ResourceEntry
}

/** Reads the body of an action: one of the kinds it takes, by its apiVersion. Throws 400 and 415. */
export async function readActionBody<T extends Typed>(
  api: ActionDependencies,
  call: Call,
  { input, also = [] }: Pick<ActionSubresource, 'input' | 'also'>,
  options: WriteOptions,
): Promise<ActionBody<T>> {
  const kind = api.catalogue.body(
    also.length === 0 ? input : await chosen(api, call, [input, ...also]),
  )
  const own = { ...call, served: kind }
  const object = (await readObject(own, options, call.context())) as T
  takeNamespace(own, object)
  return { object, kind }
}

async function chosen(
  api: ActionDependencies,
  call: Call,
  kinds: readonly ShapeClass<unknown>[],
): Promise<ShapeClass<unknown>> {
  try {
    const { kind, protobuf } = api.catalogue.body(kinds[0]!)
    const value = (await parseBody(await call.body(), { v: api.v, kind, protobuf })) as {
      apiVersion?: unknown
    } | null
    const wanted = kinds.find((kind) => api.catalogue.body(kind).groupVersion === value?.apiVersion)
    return wanted ?? kinds[0]!
  } catch {
    // The actual decoder reports the error.
    return kinds[0]!
  }
}
