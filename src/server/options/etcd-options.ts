/** Where an etcd is and how it is met. */
export interface EtcdPlace {
  readonly servers: readonly string[]
  /** PEM */
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
  /** Put before every key. */
  readonly prefix: string
}

/** Options of the connection to etcd and of its maintenance. */
export interface EtcdUse extends EtcdPlace {
  /** What carries the calls: `builtin`, or `grpc-js`, for which the package `@grpc/grpc-js` is installed beside. */
  readonly transport?: 'builtin' | 'grpc-js'
  /** How often etcd is compacted, by one of its servers, milliseconds; 5 minutes by default, 0: not by them. */
  readonly compactionIntervalMs?: number
  /** How long events share a lease, milliseconds; a minute by default. */
  readonly leaseReuseMs?: number
  /** How long checks of health wait for etcd, milliseconds; 2 s by default. */
  readonly healthCheckTimeoutMs?: number
  /** How long the check of readiness waits for it, milliseconds; 2 s by default. */
  readonly readyCheckTimeoutMs?: number
}
