import { isIP, isIPv4, SocketAddress } from 'node:net'

const PLAIN = /^[0-9a-fA-F:.]+$/

/**
 * 4 or 6, or 0 for no address. Same as `isIP`, which makes a large regular expression at its first
 * call; a start calls it often enough to notice.
 */
export function addressFamily(text: string): 0 | 4 | 6 {
  if (!text.includes(':')) return isIPv4(text) ? 4 : 0
  // Zones are seldom, and read in another way there.
  if (!PLAIN.test(text)) return isIP(text) === 6 ? 6 : 0
  try {
    void new SocketAddress({ address: text, family: 'ipv6' })
    return 6
  } catch {
    return 0
  }
}
