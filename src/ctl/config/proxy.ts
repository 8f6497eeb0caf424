/** The proxy for a server, as the environment names it. */

type Env = Readonly<Record<string, string | undefined>>

/** The URL of the proxy; null where the server is reached directly. */
export function proxyFor(server: string, env: Env): string | null {
  if (!URL.canParse(server)) return null
  const url = new URL(server)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const proxy = env[name.toUpperCase()] || env[name] || ''
  if (proxy === '' || isLocal(host)) return null
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const excluded = (env.NO_PROXY || env.no_proxy || '').split(',')
  if (excluded.some((entry) => covers(entry.trim().toLowerCase(), host, port))) return null
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

const isLocal = (host: string) =>
  host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '') return false
  if (entry === '*') return true
  const [, name = entry, ofPort] = /^(.*):(\d+)$/.exec(entry) ?? []
  if (ofPort !== undefined && ofPort !== port) return false
  const slash = name.indexOf('/')
  if (slash !== -1) return isInRange(host, name.slice(0, slash), Number(name.slice(slash + 1)))
  const bare = name.replace(/^\*?\./, '')
  return name.startsWith('.') || name.startsWith('*.')
    ? host.endsWith(`.${bare}`)
    : host === bare || host.endsWith(`.${bare}`)
}

function isInRange(host: string, base: string, bits: number): boolean {
  const [a, b] = [host, base].map(ipv4)
  if (a === null || b === null || a === undefined || b === undefined || !(bits >= 0 && bits <= 32))
    return false
  return bits === 0 || a >>> (32 - bits) === b >>> (32 - bits)
}

function ipv4(text: string): number | null {
  const parts = text.split('.').map(Number)
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return null
  return parts.reduce((all, part) => all * 256 + part, 0)
}
