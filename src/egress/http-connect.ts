/** Connections through a proxy that speaks HTTP CONNECT. */
import type { Duplex } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { openTunnel } from '../outgoing/tunnel.ts'
import type { Proxy } from './proxy-place.ts'

/** Opens connections to `host:port` through a proxy. They fail with a TunnelFailure. */
export const httpConnect =
  (
    proxy: Proxy,
    headers: Readonly<Record<string, string>>,
    limits: { readonly clock: Clock; readonly timeoutMs: number },
  ) =>
  (target: string): Promise<Duplex> =>
    openTunnel({
      connect: (signal) => proxy.connect(signal),
      proxyHost: proxy.host,
      target,
      headers,
      ...limits,
    })
