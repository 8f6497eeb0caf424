/** Closes an HTTP/1.1 connection whose client still sends, so that it can read why the request is rejected. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** How long a client may take to read the response and stop sending, milliseconds. */
const LINGER_MS = 1_000

/**
 * Sends the last bytes and goes on reading for a while, discarding input: a connection that closes with unread bytes is
 * reset, and on many systems the response is lost with it.
 */
export function endReading(socket: Duplex, last?: string): void {
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  socket.end(last)
}

/** Closes the connection this way once this response, its last, is written. */
export function lingerAfter(response: ServerResponse): void {
  const { socket } = response.req
  // Node.js calls this then; its own implementation resets the connection when more bytes arrive.
  socket.destroySoon = () => endReading(socket)
}

/** Whether the last bytes were sent on the connection: further input must not be parsed as a request. */
export const isLingering = (socket: Duplex): boolean => socket.writableEnded
