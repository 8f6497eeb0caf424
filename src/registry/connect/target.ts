import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { badRequest } from '../../meta/errors.ts'
import type { Call, ConnectDependencies, Reach } from '../context.ts'

/** Certificates for connections to node agents. */
export interface AgentTls {
  /** Authorities of the agents' certificates, PEM; any certificate is taken without. */
  readonly ca?: string
  /** What this server shows, PEM. */
  readonly cert?: string
  readonly key?: string
}

/** Where a connect request goes. */
export interface Target {
  readonly scheme: 'http' | 'https'
  readonly host: string
  /** Empty: that of the scheme. */
  readonly port: string
  /** Path with a leading slash, without the query. */
  readonly path: string
  /** Query with its question mark, or empty. */
  readonly query: string
  /** Certificates; null trusts whoever answers, as for addresses that no certificate names. */
  readonly tls: AgentTls | null
  /** Only a connection that is upgraded makes sense. */
  readonly upgradeRequired?: true
  /** Path of this server that stands for the root of the target, for redirects; absent where there is none. */
  readonly prefix?: string
  /** What the host's name stands for; it is looked up without. */
  readonly addresses?: readonly LookupAddress[]
  /** Content type whatever the target says. */
  readonly contentType?: string
}

/** Finds out where a connect request goes; null: nowhere, and there is nothing to say. */
export type Connect = (api: ConnectDependencies, call: ConnectCall) => Promise<Target | null>

/** A connect request. */
export interface ConnectCall extends Call {
  /** Rest of the path, with its leading slash when there is one; as it was sent, without the query. */
  readonly rest: string
  /** Query as it was sent, with its question mark, or empty. */
  readonly rawQuery: string
  /** Path up to the rest. */
  readonly base: string
}

/** `[scheme:]name[:port]`, as it may stand for a name. Throws 400. */
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

const own = new BlockList()
own.addSubnet('127.0.0.0', 8, 'ipv4')
own.addSubnet('169.254.0.0', 16, 'ipv4')
own.addSubnet('224.0.0.0', 4, 'ipv4')
own.addAddress('0.0.0.0', 'ipv4')
own.addAddress('255.255.255.255', 'ipv4')
own.addAddress('::1', 'ipv6')
own.addAddress('::', 'ipv6')
own.addSubnet('fe80::', 10, 'ipv6')
own.addSubnet('ff00::', 8, 'ipv6')

/**
 * Refuses addresses of the machine that this server runs on and of its link, and of many at once: they are not the
 * cluster's. What is no address passes, and is looked at when it is looked up. Throws 400.
 */
export function checkProxyable({ proxiesToLoopback }: Reach, host: string): void {
  // The zone of an address says on which link it is.
  const address = host.replace(/%.*$/s, '')
  const family = isIP(address)
  const isOwn =
    family === 0
      ? host === 'localhost' || host.endsWith('.localhost')
      : own.check(address, family === 6 ? 'ipv6' : 'ipv4')
  if (host === '' || (isOwn && !proxiesToLoopback)) throw badRequest('address not allowed')
}

/** The same for a name, by all that it stands for: that is what has to be connected to. Throws 400. */
export async function proxyableAddresses(reach: Reach, host: string): Promise<LookupAddress[]> {
  checkProxyable(reach, host)
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
 * A look-up of names for the moment of connecting, which is the only one that counts: a name may stand for something
 * else each time. Fails with 400 when any of the addresses is refused.
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
