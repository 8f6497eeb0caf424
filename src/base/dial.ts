/** How connections to other servers are opened, where that is not left to the platform. */
import type { Duplex } from 'node:stream'

/** A host, without brackets, and a port. */
export interface Address {
  readonly host: string
  readonly port: number
}

/** Opens a connection to an address, before TLS. Rejects with an Error that can be shown. */
export type Dial = (address: Address) => Promise<Duplex>

/** How servers are reached, by the network that they are in; absent: directly. */
export interface Egress {
  /** Servers beside this one, such as the webhooks of configuration files. */
  readonly controlplane?: Dial
  /** The store. */
  readonly etcd?: Dial
  /** Nodes, pods and services. */
  readonly cluster?: Dial
}

/** As in `host:port`. */
export const hostPort = ({ host, port }: Address): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`
