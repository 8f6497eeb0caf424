import type { Typed } from '../meta/object-meta.ts'

/** Whether an object is being deleted: its writes lead to its removal, and are allowed on a full disk too. */
export const isGoing = ({ metadata }: Typed): boolean => metadata.deletionTimestamp !== undefined
