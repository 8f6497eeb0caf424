/** Tunnels through the proxies of client configurations. */
import type { Duplex } from 'node:stream'
import { addressFamily } from '../base/address-family.ts'
import { systemClock } from '../base/clock.ts'
import { hostPort, type Address, type Dial } from '../base/dial.ts'
import { openConnection, openTunnel, proxyCredentials, TunnelFailure } from '../outgoing/tunnel.ts'
import { bareHost, portOf } from './server-address.ts'

const CONNECT_MS = 30_000

/** A proxy that refused to connect, or cannot be reached. The text holds no credentials. */
class ProxyFailure extends Error {
  /** Shown as it is where the connection to a server fails. */
  readonly code: string

  constructor(proxy: URL, cause: unknown) {
    const why = cause instanceof TunnelFailure ? cause.message : String(cause)
    super(`proxyconnect tcp: ${proxy.host}: ${why}`, { cause })
    this.code = this.message
  }
}

/**
 * Opens connections through a proxy, which itself is reached by `dial` where that is given. They fail with an Error that
 * names the proxy.
 */
export const proxyDial =
  (proxy: URL, dial: Dial | null): Dial =>
  async (to: Address): Promise<Duplex> => {
    const at = { host: bareHost(proxy), port: portOf(proxy) }
    const servername = addressFamily(at.host) === 0 ? at.host : undefined
    const tls = proxy.protocol === 'https:' ? { host: at.host, servername } : null
    try {
      return await openTunnel({
        connect: async (signal) => openConnection(dial ? await dial(at) : at, tls, signal),
        proxyHost: at.host,
        target: hostPort(to),
        headers: proxyCredentials(proxy),
        clock: systemClock,
        timeoutMs: CONNECT_MS,
      })
    } catch (error) {
      throw new ProxyFailure(proxy, error)
    }
  }
