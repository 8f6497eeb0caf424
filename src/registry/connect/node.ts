import type { Node } from '../../kinds/core/node/node.ts'
import { plainError } from '../../meta/errors.ts'
import type { ConnectDependencies } from '../context.ts'
import { readCore } from './objects.ts'
import { proxyableAddresses, schemeNamePort, type ConnectCall, type Target } from './target.ts'

const AGENT_PORT = 10_250
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

/** The agent of a node, or another port of its machine. Throws 400, 404 and 500. */
export async function nodeTarget(api: ConnectDependencies, call: ConnectCall): Promise<Target> {
  const { scheme, name, port } = schemeNamePort(call.name, 'node')
  const agent = await agentOf(api, name)
  const addresses = await proxyableAddresses(api, agent.host)
  const { host } = agent
  const common = { host, path: call.rest, query: call.rawQuery, prefix: call.base, addresses }
  if (port === '' || port === agent.port)
    return { ...common, scheme: 'https', port: agent.port, tls: api.agentTls }
  return { ...common, scheme: scheme === '' ? 'http' : scheme, port, tls: null }
}

/** Address of a node's agent. Throws 404, and 500 when the node has no address. */
export async function agentOf(
  api: ConnectDependencies,
  name: string,
): Promise<{ host: string; port: string }> {
  const { status } = await readCore<Node>(api, 'nodes', '', name)
  const host = agentHost(api, status)
  if (host === undefined) {
    const known = (status.addresses ?? []).map(({ type }) => type).join(' ')
    throw plainError(`no preferred addresses found; known addresses: [${known}]`)
  }
  const port = status.daemonEndpoints['{agent}Endpoint'].Port
  return { host, port: String(port === 0 ? AGENT_PORT : port) }
}

/** The address of the type that is preferred among those that a node has; undefined: it has none of them. */
export function agentHost(
  { agentAddressTypes = [] }: Pick<ConnectDependencies, 'agentAddressTypes'>,
  { addresses = [] }: Node['status'],
): string | undefined {
  const types = agentAddressTypes.length === 0 ? ADDRESS_TYPES : agentAddressTypes
  return types
    .map((type) => addresses.find((address) => address.type === type)?.address)
    .find((address) => address !== undefined && address !== '')
}
