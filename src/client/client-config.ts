/** A program that provides credentials, as declared in a client configuration. */
export interface ExecConfig {
  /** A path, or a name that is looked up in the search path. */
  readonly command: string
  readonly args: readonly string[]
  /** Added to the environment of the program. */
  readonly env: readonly { readonly name: string; readonly value: string }[]
  /** Version of the exchanged objects. */
  readonly apiVersion: string
  /** Shown to users who lack the program; empty for no hint. */
  readonly installHint: string
  /** Whether the program receives information about the server. */
  readonly provideClusterInfo: boolean
  /** Whether it may, or must, talk to a person. */
  readonly interactiveMode?: InteractiveMode
}

/** See {@link ExecConfig}. */
export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always'

/** User to impersonate. */
export interface Impersonation {
  readonly user: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: readonly (readonly [key: string, values: readonly string[]])[]
}

/** Settings of a client for one server; certificates and keys are PEM, paths are absolute. */
export interface ClientConfig {
  readonly server: string
  /** Authority of the server's certificate; that of the machine when absent. */
  readonly ca?: string
  /** Name that the server's certificate must be for; the host of the server when absent. */
  readonly tlsServerName?: string
  readonly insecureSkipTlsVerify?: boolean
  readonly proxyUrl?: string
  readonly cert?: string
  readonly key?: string
  /** Files of certificate and key, for reloading. */
  readonly certFile?: string
  readonly keyFile?: string
  /** Bearer token. */
  readonly token?: string
  /** Holds the bearer token, which may change. */
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly exec?: ExecConfig
  readonly impersonate?: Impersonation
  /** Further settings of the cluster, by name. */
  readonly clusterExtensions?: ReadonlyMap<string, unknown>
  /** Namespace for commands that name none. */
  readonly namespace?: string
}
