import type { Socket } from 'node:net'

/** What a stream knows about itself, of which this is needed. */
interface WithState {
  readonly _readableState?: { reading: boolean }
}

/**
 * Passes what a socket receives on, past the queue of its stream, which costs more than reading a request. The queue is used
 * while the stream is paused, and whenever it is not empty. Returns what ends it.
 */
export function readDirectly(socket: Socket, take: (bytes: Buffer) => void): () => void {
  const { _readableState: state } = socket as WithState
  if (state === undefined) return () => {}
  const { push } = socket
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!Buffer.isBuffer(chunk) || socket.readableFlowing !== true || socket.readableLength > 0)
      return push.call(socket, chunk, encoding)
    // As the queue does: the stream may ask for more.
    state.reading = false
    take(chunk)
    return true
  }
  return () => void Reflect.deleteProperty(socket, 'push')
}
