/** The file of `--egress-selector-config-file`: an EgressSelectorConfiguration. */
import type { Egress } from '../base/dial.ts'
import {
  listAt,
  membersOfKind,
  recordAt,
  refuseFaults,
  textAt,
  UnknownMembers,
} from '../meta/config-members.ts'
import { FieldErrors } from '../meta/field-errors.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** A network that servers are in. */
export type Network = keyof Egress

/** Files of the certificates for a proxy; an empty path: none is given. */
export interface TlsFiles {
  readonly caBundle: string
  readonly clientKey: string
  readonly clientCert: string
}

/** Where a proxy is. */
export type ProxyPlace =
  | { readonly url: URL; readonly tls: TlsFiles | null }
  | { readonly udsName: string }

/** How a network is reached; networks that are reached directly are left out. */
export interface EgressSelection {
  readonly network: Network
  readonly protocol: 'HTTPConnect' | 'GRPC'
  readonly place: ProxyPlace
}

/** What the check of a file asks. */
export interface EgressFiles {
  /** Whether a path leads to something. */
  exists(path: string): boolean
}

const VERSIONS = ['apiserver{api}/v1beta1', 'apiserver{api}/v1alpha1']
const NETWORKS = ['cluster', 'controlplane', 'etcd'] as const
/** The former name of a network. */
const FORMER = 'master'
const PROTOCOLS = ['Direct', 'HTTPConnect', 'GRPC'] as const

/** The document with all of its members, those that are absent empty. */
interface Written {
  readonly name: string
  readonly protocol: string
  readonly transport: {
    readonly tcp: { readonly url: string; readonly tls: TlsFiles | null } | null
    readonly uds: { readonly udsName: string } | null
  } | null
}

/** Decodes a document strictly. Throws an Error that says everything that is wrong. */
export function readEgressConfiguration(
  document: unknown,
  v: Vocabulary,
  files: EgressFiles,
): readonly EgressSelection[] {
  const versions = VERSIONS.map((one) => v.resolve(one))
  const members = membersOfKind(document, 'EgressSelectorConfiguration', versions)
  const unknown = new UnknownMembers()
  unknown.collect(members, ['kind', 'apiVersion', 'egressSelections'])
  const written = listAt(members['egressSelections'], 'egressSelections').map((one, i) =>
    decoded(one, `egressSelections[${i}]`, unknown),
  )
  unknown.refuse()
  const errors = new FieldErrors()
  const seen = new Set<string>()
  const found: EgressSelection[] = []
  for (const [i, selection] of written.entries()) {
    const at = errors.at('egressSelections', i)
    const network = networkOf(selection.name, seen, at.at('name'))
    const connection = connectionOf(selection, at.at('connection'), files)
    if (network && connection) found.push({ network, ...connection })
  }
  refuseFaults(errors)
  return found
}

function decoded(value: unknown, at: string, unknown: UnknownMembers): Written {
  const selection = recordAt(value, at)
  unknown.collect(selection, ['name', 'connection'], `${at}.`)
  const inConnection = `${at}.connection`
  const connection = recordAt(selection['connection'], inConnection)
  unknown.collect(connection, ['proxyProtocol', 'transport'], `${inConnection}.`)
  return {
    name: textAt(selection['name'], `${at}.name`),
    protocol: textAt(connection['proxyProtocol'], `${inConnection}.proxyProtocol`),
    transport: decodedTransport(connection['transport'], `${inConnection}.transport`, unknown),
  }
}

function decodedTransport(
  value: unknown,
  at: string,
  unknown: UnknownMembers,
): Written['transport'] {
  if (isAbsent(value)) return null
  const { tcp, uds, ...rest } = recordAt(value, at)
  unknown.collect(rest, [], `${at}.`)
  return {
    tcp: isAbsent(tcp) ? null : decodedTcp(tcp, `${at}.tcp`, unknown),
    uds: isAbsent(uds) ? null : textsOf(uds, ['udsName'], `${at}.uds`, unknown),
  }
}

function decodedTcp(value: unknown, at: string, unknown: UnknownMembers) {
  const { url, tlsConfig, ...rest } = recordAt(value, at)
  unknown.collect(rest, [], `${at}.`)
  const files = ['caBundle', 'clientKey', 'clientCert'] as const
  return {
    url: textAt(url, `${at}.url`),
    tls: isAbsent(tlsConfig) ? null : textsOf(tlsConfig, files, `${at}.tlsConfig`, unknown),
  }
}

/** An object of texts. */
function textsOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
  at: string,
  unknown: UnknownMembers,
): Readonly<Record<Name, string>> {
  const members = recordAt(value, at)
  unknown.collect(members, names, `${at}.`)
  const texts = names.map((name) => [name, textAt(members[name], `${at}.${name}`)] as const)
  return Object.fromEntries(texts) as Record<Name, string>
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

function networkOf(name: string, seen: Set<string>, at: FieldErrors): Network | null {
  const lower = name.toLowerCase()
  const canonical = lower === FORMER ? 'controlplane' : lower
  const network = NETWORKS.find((one) => one === canonical)
  if (!network) at.notSupported(name, NETWORKS)
  else if (seen.has(network)) at.duplicate(network)
  else {
    seen.add(network)
    return network
  }
  return null
}

/** How a selection connects; null: directly, or there is a fault. */
function connectionOf(
  { protocol, transport }: Written,
  at: FieldErrors,
  files: EgressFiles,
): Pick<EgressSelection, 'protocol' | 'place'> | null {
  const inTransport = at.at('transport')
  const known = PROTOCOLS.find((one) => one === protocol)
  if (!known) {
    at.at('proxyProtocol').notSupported(protocol, PROTOCOLS)
    return null
  }
  if (known === 'Direct') {
    if (transport) inTransport.invalid('direct', 'config must be absent for direct connect')
    return null
  }
  if (!transport) {
    inTransport.required(`transport must be set for ${known}`)
    return null
  }
  const { tcp, uds } = transport
  if (tcp && uds) inTransport.at('tcp').invalid('tcp', 'TCP and UDS cannot both be set')
  else if (uds) {
    if (uds.udsName !== '') return { protocol: known, place: uds }
    inTransport.at('uds', 'udsName').invalid('nil', 'must be present for UDS connections')
  } else if (known === 'GRPC') inTransport.at('uds').required('UDS must be set with GRPC')
  else if (!tcp) inTransport.at('tcp').required('One of TCP or UDS must be set')
  else {
    const place = tcpPlace(tcp, inTransport.at('tcp'), files)
    if (place) return { protocol: known, place }
  }
  return null
}

function tcpPlace(
  { url: text, tls }: { readonly url: string; readonly tls: TlsFiles | null },
  at: FieldErrors,
  files: EgressFiles,
): ProxyPlace | null {
  const before = at.list.length
  const isSecure = text.startsWith('https://')
  if (isSecure && tls) checkTls(tls, at.at('tlsConfig'), files)
  else if (isSecure) at.at('tlsConfig').required('TLSConfig must be present when using HTTPS')
  else if (!text.startsWith('http://'))
    at.at('url').invalid(shown(text), 'supported connection protocols are http:// and https://')
  else if (tls) at.at('tlsConfig').invalid('nil', 'config must not be present when using HTTP')
  const url = URL.canParse(text) ? new URL(text) : null
  if (at.list.length > before) return null
  if (url) return { url, tls }
  at.at('url').invalid(shown(text), 'must be the URL of a host')
  return null
}

/** A URL without the credentials that it may hold. */
const shown = (url: string): string => url.replace(/\/\/[^/]*@/, '//')

function checkTls(
  { caBundle, clientKey, clientCert }: TlsFiles,
  at: FieldErrors,
  { exists }: EgressFiles,
): void {
  if (caBundle !== '' && !exists(caBundle))
    at.at('caBundle').invalid(caBundle, 'TLS config ca bundle does not exist')
  if (clientCert === '') at.at('clientCert').invalid('nil', 'Using TLS requires clientCert')
  else if (!exists(clientCert))
    at.at('clientCert').invalid(clientCert, 'TLS client cert does not exist')
  if (clientKey === '') at.at('clientKey').invalid('nil', 'Using TLS requires clientKey')
  else if (!exists(clientKey))
    at.at('clientKey').invalid(clientKey, 'TLS client key does not exist')
}
