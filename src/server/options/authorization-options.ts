/** Options of authorization. */
export interface AuthorizationOptions {
  /** Authorizers in the order in which they are called: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny. */
  readonly modes?: readonly string[]
  /** Policies of ABAC, one JSON object on each line. */
  readonly policyFile?: string
  /** A service that decides. */
  readonly webhook?: {
    /** Client configuration, YAML. */
    readonly configFile: string
    readonly version?: string
    /** Milliseconds that allowed requests are cached; 5 minutes by default. */
    readonly authorizedTtlMs?: number
    /** The same for everything else; 30 seconds by default. */
    readonly unauthorizedTtlMs?: number
  }
}

/** The default authorization modes. */
export const STANDARD_MODES: readonly string[] = ['Node', 'RBAC']
