/** Help for the tests of kinds. */
import type { Typed } from '../meta/object-meta.ts'
import type { PartSubresource, Resource } from '../catalogue/resource.ts'

/** A part of a kind, such as its status. Throws Error when the sub-resource is absent or of another sort. */
export function partOf<T extends Typed>(
  { subresources }: Resource<T>,
  name: string,
): PartSubresource<T> {
  const found = subresources?.[name]
  if (found?.serves !== 'part') throw new Error(`${name} is no part`)
  return found
}
