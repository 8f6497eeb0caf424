import type { ClientConfig } from './client-config.ts'

/** The port of a URL, that of its protocol where it names none. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** The host of a URL, without the brackets of IPv6. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

/** The address of a server. Throws an Error when it is none. */
export function serverUrl({ server, ca, cert, insecureSkipTlsVerify }: ClientConfig): URL {
  const isSecure = ca !== undefined || cert !== undefined || insecureSkipTlsVerify
  const full = server.includes('://') ? server : `${isSecure ? 'https' : 'http'}://${server}`
  // The message leaves out the text: it may hold a password.
  if (!URL.canParse(full)) throw new Error('server is not a URL')
  const url = new URL(full)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Error('server is not an http or https URL')
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('server must not hold a user name or password')
  }
  return url
}
