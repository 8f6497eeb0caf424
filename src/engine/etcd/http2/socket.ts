import { connect as connectTcp, isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { Address } from '../../../base/dial.ts'
import { SERVER_TRUST } from '../../../base/server-trust.ts'
import type { Identity } from '../transport.ts'

/** Host and port of a URL. */
export function addressOf({ protocol, hostname, port }: URL): Address {
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
}

/**
 * A socket on its way to a server, which is ended when the server agrees to TLS but not to HTTP/2. It uses `dialled` where
 * that is given.
 */
export function openSocket(
  url: URL,
  { ca, cert, key }: Identity,
  dialled: Duplex | null = null,
): Duplex {
  const isTls = url.protocol === 'https:'
  const { host, port } = addressOf(url)
  if (!isTls) return dialled ?? connectTcp({ host, port, noDelay: true })
  // What is around it closes with it.
  dialled?.on('error', () => {})
  const socket = connectTls({
    ...SERVER_TRUST,
    ...{ host, port, ALPNProtocols: ['h2'] },
    ...(dialled ? { socket: dialled } : {}),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
  })
  socket.setNoDelay(true)
  socket.once('secureConnect', () => {
    if (socket.alpnProtocol !== 'h2') socket.destroy(new Error('the server does not speak HTTP/2'))
  })
  return socket
}
