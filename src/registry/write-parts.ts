/** The fields of an object that a write may change. */
import type { ResourceEntry } from '../catalogue/catalogue.ts'
import { copyJson } from '../codec/json-clone.ts'
import { setOwn } from '../codec/json-scanner.ts'
import type { Typed } from '../meta/object-meta.ts'
import type { PartSubresource } from '../catalogue/resource.ts'

/** The main endpoint preserves fields that sub-resources write. */
export function keepParts(next: Typed, old: Typed, served: ResourceEntry): void {
  for (const part of served.subresources.values()) {
    if (part.serves !== 'part') continue
    // Other paths lie inside fields that the main endpoint writes too.
    for (const path of part.of)
      if (path === 'status' || path.startsWith('status.')) move(next, old, path)
  }
}

/** A status-like sub-resource writes its paths and preserves the rest of the object. */
export function takePart(
  next: Typed,
  old: Typed,
  part: PartSubresource<Typed>,
  sharesParts: boolean,
): void {
  const target = next as unknown as Record<string, unknown>
  const others = old as unknown as Record<string, unknown>
  const inside = part.of.filter((path) => path.includes('.'))
  const written = inside.length > 0 ? { ...target } : null
  for (const name in others) {
    if (isOfBoth(name) || part.of.includes(name)) continue
    const value = others[name]
    setOwn(target, name, sharesParts && isMap(value) ? { ...value } : copyJson(value))
  }
  for (const name in target) {
    if (!isOfBoth(name) && !part.of.includes(name) && !Object.hasOwn(others, name))
      delete target[name]
  }
  for (const path of inside) move(next, written as unknown as Typed, path)
}

/** Members that no sub-resource writes, and that none preserves. */
const isOfBoth = (name: string): boolean =>
  name === 'metadata' || name === 'kind' || name === 'apiVersion'

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sets the value at a dotted path; objects on the way are replaced, since others may share them. */
function move(to: Typed, from: Typed, path: string): void {
  const steps = path.split('.')
  const last = steps.pop()!
  let target = to as unknown as Record<string, unknown>
  let source: Record<string, unknown> | undefined = from as unknown as Record<string, unknown>
  for (const step of steps) {
    const own = { ...(target[step] as Record<string, unknown> | undefined) }
    target[step] = own
    target = own
    source = source?.[step] as Record<string, unknown> | undefined
  }
  const value = source?.[last]
  if (value === undefined) delete target[last]
  else target[last] = value
}
