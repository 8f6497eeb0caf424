/** Closes the connections of HTTP/1.1 that wait for a request. */
import type { Server } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Makes a server send what it has before it closes idle connections, also those that it closes when it closes itself:
 * Node.js takes a connection for idle as soon as the last response is made, although its client may still be receiving it.
 */
export function sendBeforeClose(
  server: Server,
  sockets: ReadonlySet<Socket>,
  flush: () => void,
): void {
  const close = server.closeIdleConnections
  server.closeIdleConnections = () => {
    flush()
    const sending = [...sockets].filter((socket) => socket.writableLength > 0)
    for (const socket of sending) socket.destroy = afterSending
    close.call(server)
    for (const socket of sending) Reflect.deleteProperty(socket, 'destroy')
  }
}

function afterSending(this: Socket): Socket {
  if (!this.writableEnded) this.destroySoon()
  return this
}
