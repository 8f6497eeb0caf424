/** Who decides whether requests may pass. */
export interface AuthorizationOptions {
  /** Authorizers in the order they are asked: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny. */
  readonly modes?: readonly string[]
  /** Policies of ABAC, one JSON object on each line. */
  readonly policyFile?: string
  /** A service that decides. */
  readonly webhook?: {
    /** Client configuration, YAML. */
    readonly configFile: string
    readonly version?: string
    /** Milliseconds that what it allowed is remembered; 5 minutes by default. */
    readonly authorizedTtlMs?: number
    /** The same for everything else; 30 seconds by default. */
    readonly unauthorizedTtlMs?: number
  }
}

/** What decides when nothing is said. */
export const STANDARD_MODES: readonly string[] = ['Node', 'RBAC']
