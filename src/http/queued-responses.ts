/** Responses of HTTP/1.1 that wait for those before them on their connection. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface WithQueue {
  queued?: Set<ServerResponse>
}

/** Where Node.js keeps the response that is being sent. */
interface WithResponse {
  readonly _httpMessage?: ServerResponse | null
}

/**
 * Closes a response with its connection, also while it waits: Node.js tells only the response that is being sent, so that
 * the requests of the others would go on for ever.
 */
export function closeWithConnection(response: ServerResponse): void {
  // It is being sent.
  if (response.socket !== null) return
  const { socket } = response.req as { readonly socket: Socket & WithQueue }
  if (socket.destroyed) {
    process.nextTick(close, response)
    return
  }
  const queued = (socket.queued ??= watched(socket))
  queued.add(response)
  response.once('close', () => queued.delete(response))
}

/** Whether a response is being sent on a connection: it has no place for another one. */
export const isAnswering = (socket: object): boolean =>
  ((socket as WithResponse)._httpMessage ?? null) !== null

function watched(socket: Socket): Set<ServerResponse> {
  const queued = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const response of queued) close(response)
  })
  return queued
}

function close(response: ServerResponse): void {
  if (response.destroyed || response.socket !== null) return
  response.destroy()
  response.emit('close')
}
