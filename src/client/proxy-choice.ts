/** Proxies between a client and its server: which one to use. */
import { BlockList, isIP } from 'node:net'
import { bareHost, portOf } from './server-address.ts'

/** Reads the address of a proxy; `http` where it names no protocol. Throws an Error when it cannot be used. */
export function proxyUrl(text: string, name: string): URL {
  const full = text.includes('://') ? text : `http://${text}`
  // The message leaves out the text: it may hold a password.
  if (!URL.canParse(full)) throw new Error(`${name} is not a URL`)
  const url = new URL(full)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`${name} is not an http or https URL: other proxies are not supported`)
  }
  return url
}

/**
 * The proxy that the environment names for a server, or undefined. Servers of this machine, and those that `NO_PROXY`
 * lists, are reached without.
 */
export function environmentProxy(
  server: URL,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const get = (name: string) => env[name] || env[name.toLowerCase()] || ''
  const proxy = get(server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
  if (proxy === '' || isLocal(bareHost(server))) return undefined
  return isListed(server, get('NO_PROXY')) ? undefined : proxy
}

const isIn = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Hosts of URLs have one spelling. */
const isLocal = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

function isListed(server: URL, list: string): boolean {
  const host = bareHost(server).toLowerCase()
  return list
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .some((item) => item !== '' && matches(item, host, portOf(server)))
}

/** One item of the list: `*`, an address, a range of them, or a domain with those below it; each may name a port. */
function matches(item: string, host: string, port: number): boolean {
  if (item === '*') return true
  const range = /^(.+)\/(\d{1,3})$/.exec(item)
  if (range) return isInRange(host, range[1]!, Number(range[2]))
  const named = isIP(item) === 0 ? /^(.*):(\d+)$/.exec(item) : null
  if (named && Number(named[2]) !== port) return false
  const name = (named?.[1] ?? item).replace(/^\[(.*)\]$/, '$1')
  if (isIP(name) !== 0) return isIP(host) === isIP(name) && isInRange(host, name, null)
  if (isIP(host) !== 0) return false
  // With a dot, or `*.`, in front only what is below the domain.
  const isBelow = name.startsWith('.') || name.startsWith('*.')
  const domain = name.replace(/^\*?\./, '')
  return host.endsWith(`.${domain}`) || (!isBelow && host === domain)
}

function isInRange(host: string, address: string, bits: number | null): boolean {
  const version = isIP(address)
  if (version === 0 || isIP(host) !== version) return false
  const most = version === 6 ? 128 : 32
  if (bits !== null && bits > most) return false
  const list = new BlockList()
  list.addSubnet(address, bits ?? most, version === 6 ? 'ipv6' : 'ipv4')
  return isIn(list, host)
}
