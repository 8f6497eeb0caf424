import type { ObjectMeta } from '../../meta/object-meta.ts'

const OF_OTHERS = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** For status updates that ignore metadata: restores labels, annotations, finalizers and owners. */
export function keepMetadata(next: ObjectMeta, old: ObjectMeta): void {
  for (const name of OF_OTHERS) keep(next, old, name)
}

/** Restores all metadata but the managed fields. */
export function keepAllMetadata(next: ObjectMeta, old: ObjectMeta): void {
  const names = new Set([...Object.keys(next), ...Object.keys(old)]) as Set<keyof ObjectMeta>
  for (const name of names) if (name !== 'managedFields') keep(next, old, name)
}

function keep<K extends keyof ObjectMeta>(next: ObjectMeta, old: ObjectMeta, name: K): void {
  if (old[name] === undefined) delete next[name]
  else next[name] = structuredClone(old[name])
}
