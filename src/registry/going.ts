import type { Typed } from '../meta/object-meta.ts'

/** Whether an object is being deleted: its writes are steps to its end, and are made on a full disk too. */
export const isGoing = ({ metadata }: Typed): boolean => metadata.deletionTimestamp !== undefined
