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
