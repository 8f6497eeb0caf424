/** Connections of HTTP requests that are opened by a dialer instead of the platform. */
import { Agent as HttpAgent, type AgentOptions } from 'node:http'
import { Agent as HttpsAgent, type AgentOptions as TlsAgentOptions } from 'node:https'
import { Socket, type TcpNetConnectOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { Dial } from '../base/dial.ts'

/** An agent whose connections a dialer opens, for requests over TLS. Requests fail with the error of the dialer. */
export const secureAgentThrough = (dial: Dial, options: TlsAgentOptions): HttpsAgent =>
  through(new HttpsAgent(options), dial, true)

/** The same for requests without TLS. */
export const plainAgentThrough = (dial: Dial, options: AgentOptions): HttpAgent =>
  through(new HttpAgent(options), dial, false)

function through<A extends HttpAgent>(agent: A, dial: Dial, isSecure: boolean): A {
  agent.createConnection = (to, ready) => {
    const { host = '', port } = to as TcpNetConnectOpts
    dial({ host, port: Number(port) }).then(
      (socket) => ready?.(null, isSecure ? secured(socket, to as ConnectionOptions) : socket),
      (error: Error) => ready?.(error, new Socket()),
    )
    return undefined
  }
  return agent
}

/** TLS on a connection, which closes with it. */
export function secured(socket: Duplex, options: ConnectionOptions): TLSSocket {
  socket.on('error', () => {})
  return connect({ ...options, socket })
}
