import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Identity } from '../transport.ts'

/** A socket on its way to a server, which is ended when the server agrees to TLS but not to HTTP/2. */
export function openSocket(url: URL, { ca, cert, key }: Identity): Socket {
  const isTls = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (isTls ? 443 : 80))
  if (!isTls) return connectTcp({ host, port, noDelay: true })
  const socket = connectTls({
    ...{ host, port, ALPNProtocols: ['h2'] },
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
