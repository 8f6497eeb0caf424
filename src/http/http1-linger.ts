/** The end of a connection of HTTP/1.1 whose client still sends: it must be able to read why nobody takes that. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** How long a client may take to read its answer and to stop, milliseconds. */
const LINGER_MS = 1_000

/**
 * Says the last and goes on reading for a while, whatever comes: a connection that ends with unread bytes is reset,
 * and on many systems the answer is lost with it.
 */
export function endReading(socket: Duplex, last?: string): void {
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.end(last)
}

/** Makes the connection end so when this answer, its last, is written. */
export function lingerAfter(response: ServerResponse): void {
  const { socket } = response.req
  // What Node.js calls then; its own resets the connection when something comes behind.
  socket.destroySoon = () => endReading(socket)
}

/** Whether the last was said on the connection: what still comes must not be taken for a request. */
export const isLingering = (socket: Duplex): boolean => socket.writableEnded
