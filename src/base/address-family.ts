import { isIP, isIPv4, SocketAddress } from 'node:net'

const PLAIN = /^[0-9a-fA-F:.]+$/

/**
 * 4 or 6, or 0 for what is no address. Says what `isIP` says, which makes a large regular expression when it is first
 * asked; a start asks often enough to feel it.
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
