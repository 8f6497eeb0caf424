/** The port of a URL, that of its protocol where it names none. */
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** The host of a URL, without the brackets of IPv6. */
export const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')
