/** Tunnels through proxies (RFC 9110 9.3.6). */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { transportProblem } from '../outgoing/transport-problem.ts'
import { bareHost, portOf } from './server-address.ts'

const CONNECT_MS = 30_000

/** A proxy that refused to connect, or cannot be reached. The text holds no credentials. */
class ProxyFailure extends Error {
  /** Shown as it is where the connection to a server fails. */
  readonly code: string

  constructor(proxy: URL, why: string) {
    super(`proxyconnect tcp: ${proxy.host}: ${why}`)
    this.code = this.message
  }
}

/** Opens a connection to a server through a proxy. Rejects with an Error that names the proxy. */
export function openTunnel(proxy: URL, server: URL): Promise<Socket> {
  const target = `${server.hostname}:${portOf(server)}`
  const credentials = Buffer.from(
    `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`,
  )
  const hasUser = proxy.username !== '' || proxy.password !== ''
  const failed = (why: string) => new ProxyFailure(proxy, why)
  return new Promise((resolve, reject) => {
    const outgoing = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      method: 'CONNECT',
      host: bareHost(proxy),
      port: portOf(proxy),
      path: target,
      agent: false,
      timeout: CONNECT_MS,
      headers: {
        host: target,
        ...(hasUser ? { 'proxy-authorization': `Basic ${credentials.toString('base64')}` } : {}),
      },
    })
    outgoing.once('connect', (answer, socket: Socket, head: Buffer) => {
      if (answer.statusCode !== 200) {
        socket.destroy()
        reject(failed(`${answer.statusCode} ${answer.statusMessage}`))
        return
      }
      socket.setTimeout(0)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    outgoing.once('response', (answer) => {
      answer.destroy()
      reject(failed(`${answer.statusCode} ${answer.statusMessage}`))
    })
    outgoing.once('timeout', () =>
      outgoing.destroy(Object.assign(new Error(), { code: 'no answer came in time' })),
    )
    outgoing.once('error', (error) => reject(failed(transportProblem(error, bareHost(proxy)))))
    outgoing.end()
  })
}
