import { isIP } from 'node:net'
import type { IncomingHttpHeaders } from 'node:http'

/** Addresses of proxies that one event lists at most. */
const MAX_ADDRESSES = 64

/**
 * The addresses that a request came from: those that proxies name, which anyone can forge, and last that of the
 * connection.
 */
export function sourceAddresses(headers: IncomingHttpHeaders, remote: string): string[] {
  const found: string[] = []
  const forwarded = headers['x-forwarded-for']
  if (forwarded !== undefined) {
    const texts = String(forwarded).split(',', MAX_ADDRESSES)
    found.push(...texts.map((text) => text.trim()).filter((text) => isIP(text) !== 0))
  }
  const real = headers['x-real-ip']
  if (typeof real === 'string' && isIP(real) !== 0 && !found.includes(real)) found.push(real)
  const address = remote.startsWith('::ffff:') ? remote.slice('::ffff:'.length) : remote
  if (address !== '' && found.at(-1) !== address) found.push(address)
  return found
}
