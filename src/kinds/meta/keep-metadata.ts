import type { ObjectMeta } from '../../meta/object-meta.ts'

const OF_OTHERS = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** For a status that leaves metadata alone: takes back changes of what people and other controllers write. */
export function keepMetadata(next: ObjectMeta, old: ObjectMeta): void {
  for (const name of OF_OTHERS) keep(next, old, name)
}

/** The same for all metadata, but for the record of who manages which field. */
export function keepAllMetadata(next: ObjectMeta, old: ObjectMeta): void {
  const names = new Set([...Object.keys(next), ...Object.keys(old)]) as Set<keyof ObjectMeta>
  for (const name of names) if (name !== 'managedFields') keep(next, old, name)
}

function keep<K extends keyof ObjectMeta>(next: ObjectMeta, old: ObjectMeta, name: K): void {
  if (old[name] === undefined) delete next[name]
  else next[name] = structuredClone(old[name])
}
