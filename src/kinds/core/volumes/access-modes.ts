/** The ways in which a volume may be mounted, in the order in which they are listed. */
export const ACCESS_MODES = [
  'ReadOnlyMany',
  'ReadWriteMany',
  'ReadWriteOnce',
  'ReadWriteOncePod',
] as const

/** One way in which a volume may be mounted. */
export type AccessMode = (typeof ACCESS_MODES)[number]
