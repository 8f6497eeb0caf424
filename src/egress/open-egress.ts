/** The dialers of an EgressSelectorConfiguration. */
import type { Duplex } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import { hostPort, type Dial, type Egress } from '../base/dial.ts'
import type { Ids } from '../base/ids.ts'
import { egressDialDuration, egressDialFailures } from '../metrics/declared/services.ts'
import type { Registry } from '../metrics/registry.ts'
import { proxyCredentials, TunnelFailure } from '../outgoing/tunnel.ts'
import type { EgressSelection } from './configuration.ts'
import { grpcTunnel } from './grpc-tunnel.ts'
import { httpConnect } from './http-connect.ts'
import { proxyAt, type Proxy } from './proxy-place.ts'

/** What dialers need. */
export interface EgressParts {
  readonly clock: Clock
  readonly ids: Pick<Ids, 'fraction'>
  readonly metrics: Registry
}

/** Until the connection to the target must be there. */
const TIMEOUT_MS = 30_000

/** A connection that an egress proxy did not open. */
class EgressFailure extends Error {
  /** Shown as it is where the connection to a server fails. */
  readonly code: string

  constructor(proxy: Proxy, target: string, cause: TunnelFailure) {
    super(
      cause.stage === 'connect'
        ? `failed to connect to the egress proxy ${proxy.name}: ${cause.message}`
        : `proxy error from ${proxy.name} while dialing ${target}: ${cause.message}`,
      { cause },
    )
    this.code = this.message
  }
}

/** Reads the certificates that the selections name, and makes their dialers. Throws an Error that names the file. */
export function openEgress(selections: readonly EgressSelection[], parts: EgressParts): Egress {
  return Object.fromEntries(
    selections.map((selection) => [selection.network, dialOf(selection, parts)]),
  )
}

function dialOf({ protocol, place }: EgressSelection, parts: EgressParts): Dial {
  const proxy = proxyAt(place)
  const limits = { ...parts, timeoutMs: TIMEOUT_MS }
  if (protocol === 'GRPC')
    return measured(grpcTunnel(proxy, limits), { proxy, protocol: 'grpc', ...parts })
  const headers = 'url' in place ? proxyCredentials(place.url) : {}
  const open = httpConnect(proxy, headers, limits)
  return measured(open, { proxy, protocol: 'http_connect', ...parts })
}

interface Measured extends EgressParts {
  readonly proxy: Proxy
  readonly protocol: 'http_connect' | 'grpc'
}

function measured(
  open: (target: string) => Promise<Duplex>,
  { proxy, protocol, metrics }: Measured,
): Dial {
  const { transport } = proxy
  return async (address) => {
    const begin = performance.now()
    const target = hostPort(address)
    try {
      const socket = await open(target)
      const seconds = (performance.now() - begin) / 1000
      metrics.of(egressDialDuration).with({ protocol, transport }).observe(seconds)
      return socket
    } catch (error) {
      const failure =
        error instanceof TunnelFailure ? error : new TunnelFailure('proxy', String(error))
      const { stage } = failure
      metrics.of(egressDialFailures).with({ protocol, stage, transport }).inc()
      throw new EgressFailure(proxy, target, failure)
    }
  }
}
