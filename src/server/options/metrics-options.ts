/** Which metrics show. */
export interface MetricsOptions {
  /** Shows metrics that are hidden since they were deprecated; only the previous release is allowed, `1.24`. */
  readonly showHiddenForVersion?: string
  /** Names of metrics that are not shown. */
  readonly disabled?: readonly string[]
  /** Allowed values, separated by commas, by `metric,label`; others are shown as `unexpected`. */
  readonly allowLabels?: ReadonlyMap<string, string>
}
