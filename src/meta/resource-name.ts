/** A resource in any of its versions. */
export interface ResourceName {
  /** Empty for the core group. */
  readonly group: string
  /** Lower-case plural. */
  readonly resource: string
}
