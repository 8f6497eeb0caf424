import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { Agent } from 'node:https'
import { badRequest } from '../../meta/errors.ts'
import type { Call, ConnectDependencies, ExtensionReach, Reach, User } from '../context.ts'

/** Certificates for connections to node agents. */
export interface AgentTls {
  /** Authorities of the agents' certificates, PEM; without them any certificate is accepted. */
  readonly ca?: string
  /** Client certificate of this server, PEM. */
  readonly cert?: string
  readonly key?: string
}

/** Certificates for connections to a server that has a name of its own. */
export interface ServerTls extends AgentTls {
  /** Name that its certificate must be for. */
  readonly serverName: string
  /** Whether its certificate is verified: with the authorities of the system where none are given. */
  readonly verified: boolean
}

/** Connections to one server or several; requests that can be repeated share open ones. */
export interface TargetAgents {
  readonly shared: Agent
  readonly single: Agent
}

/** Target of a connect request. */
export interface Target {
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** Empty: the default port of the scheme. */
  readonly port: string
  /** Path with a leading slash, without the query. */
  readonly path: string
  /** Query with its question mark, or empty. */
  readonly query: string
  /** Certificates; null accepts any certificate, as for addresses that no certificate names. */
  readonly tls: AgentTls | ServerTls | null
  /** The target requires an upgraded connection. */
  readonly upgradeRequired?: true
  /** Path of this server that maps to the root of the target, for redirects; absent where there is none. */
  readonly prefix?: string
  /** Addresses of the host name; without them it is resolved. */
  readonly addresses?: readonly LookupAddress[]
  /** Content type that overrides that of the target. */
  readonly contentType?: string
  /**
   * User whose identity is passed on: the target is another API server, which answers in the place of this one. Failures
   * are texts. Absent: the target learns of no user.
   */
  readonly user?: User
  /** Header by which the target continues the trace of the request, instead of the one that came with it. */
  readonly traceparent?: string
  /** Whether redirects of the target are refused. */
  readonly refusesRedirects?: boolean
  /** Connections to use; without them every request makes its own. */
  readonly agents?: TargetAgents
}

/** Resolves the target of a connect request; null: none, the response is empty. */
export type Connect = (api: ConnectDependencies, call: ConnectCall) => Promise<Target | null>

/** A connect request. */
export interface ConnectCall extends Call {
  /** Rest of the path, with its leading slash when there is one; as sent, without the query. */
  readonly rest: string
  /** Query as sent, with its question mark, or empty. */
  readonly rawQuery: string
  /** Path up to the rest. */
  readonly base: string
}

/** Parses `[scheme:]name[:port]`. Throws 400. */
export function schemeNamePort(
  text: string,
  what: string,
): {
  scheme: 'http' | 'https' | ''
  name: string
  port: string
} {
  const parts = text.split(':')
  const [scheme, name, port] =
    parts.length === 1 ? ['', parts[0]!, ''] : parts.length === 2 ? ['', ...parts] : parts
  const isScheme = scheme === '' || scheme === 'http' || scheme === 'https'
  const isPort = /^(?:|[0-9]{1,5}|[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)$/.test(port ?? '')
  if (parts.length > 3 || !isScheme || !name || !isPort)
    throw badRequest(`invalid ${what} request ${JSON.stringify(text)}`)
  return { scheme, name, port: port ?? '' }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
/** Addresses of this machine's links, and those that mean no machine. */
const local = new BlockList()
local.addSubnet('169.254.0.0', 16, 'ipv4')
local.addSubnet('224.0.0.0', 4, 'ipv4')
local.addAddress('0.0.0.0', 'ipv4')
local.addAddress('255.255.255.255', 'ipv4')
local.addAddress('::', 'ipv6')
local.addSubnet('fe80::', 10, 'ipv6')
local.addSubnet('ff00::', 8, 'ipv6')

/**
 * Refuses loopback, link-local and multicast addresses: they are not the cluster's. Extension servers may be on loopback. A
 * host name passes and is checked when it is resolved. Throws 400.
 */
export function checkProxyable({ proxiesToLoopback, isForExtensions }: Reach, host: string): void {
  // The zone of an address names its link.
  const address = host.replace(/%.*$/s, '')
  const family = isIP(address)
  const isIn = (list: BlockList) =>
    family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
  const isLoopback = isIn(loopback) || host === 'localhost' || host.endsWith('.localhost')
  const isRefused = isIn(local) || (isLoopback && isForExtensions !== true)
  if (host === '' || (isRefused && !proxiesToLoopback)) throw badRequest('address not allowed')
}

/** Which addresses connections to extension servers may reach. */
export const extensionReach = ({ proxiesToLoopback, dial }: Reach): ExtensionReach => ({
  proxiesToLoopback,
  isForExtensions: true,
  ...(dial ? { dial } : {}),
})

/**
 * The same for a name, by all of its addresses: connect to exactly these. None behind an egress proxy, which looks names
 * up in its own network. Throws 400.
 */
export async function proxyableAddresses(reach: Reach, host: string): Promise<LookupAddress[]> {
  checkProxyable(reach, host)
  if (reach.dial) return []
  let addresses: LookupAddress[]
  try {
    const { lookup } = await import('node:dns/promises')
    addresses = await lookup(host, { all: true })
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error))
  }
  for (const { address } of addresses) checkProxyable(reach, address)
  return addresses
}

/**
 * DNS lookup at connect time, the only one that is decisive: a name may resolve to something else each time. Fails with
 * 400 when any of the addresses is refused.
 */
export const proxyableLookup =
  (reach: Reach, lookup: typeof dnsLookup = dnsLookup): LookupFunction =>
  (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, addresses) => {
      try {
        if (error) throw error
        for (const { address } of addresses) checkProxyable(reach, address)
      } catch (thrown) {
        done(thrown as NodeJS.ErrnoException, '')
        return
      }
      const [first] = addresses
      if (options.all === true || !first) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
