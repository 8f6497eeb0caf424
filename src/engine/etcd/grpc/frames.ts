/** Length-prefixed messages of gRPC: a byte for compression, four for the length, the message. */

const PREFIX_BYTES = 5

/** A message in wire format, not compressed. */
export function frameOf(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, PREFIX_BYTES)
  return frame
}

/** The prefix of a message in wire format. */
export function prefixOf(message: Buffer): Buffer {
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES)
  prefix[0] = 0
  prefix.writeUInt32BE(message.length, 1)
  return prefix
}

/** The message that a piece is, with its prefix; null when it is less or more than one, or compressed. */
export function wholeMessage(piece: Buffer): Buffer | null {
  const isWhole =
    piece.length >= PREFIX_BYTES &&
    piece[0] === 0 &&
    piece.readUInt32BE(1) === piece.length - PREFIX_BYTES
  return isWhole ? piece.subarray(PREFIX_BYTES) : null
}

/** Puts messages together as their bytes come. */
export class FrameReader {
  #pieces: Buffer[] = []
  #bytes = 0
  /** Bytes at which the next message is whole. */
  #wanted = PREFIX_BYTES
  readonly #maxBytes: number

  constructor(maxBytes = Infinity) {
    this.#maxBytes = maxBytes
  }

  /** Returns the messages that are complete. Throws on a compressed one, which was never requested, and one too large. */
  push(piece: Buffer): readonly Buffer[] {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes < this.#wanted) return []
    let data = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces)
    const messages: Buffer[] = []
    for (;;) {
      this.#wanted = PREFIX_BYTES
      if (data.length < PREFIX_BYTES) break
      if (data[0] !== 0) throw new Error('a compressed message')
      this.#wanted = PREFIX_BYTES + data.readUInt32BE(1)
      if (this.#wanted > this.#maxBytes) throw new Error('a message that is too large')
      if (data.length < this.#wanted) break
      messages.push(data.subarray(PREFIX_BYTES, this.#wanted))
      data = data.subarray(this.#wanted)
    }
    this.#pieces = data.length === 0 ? [] : [data]
    this.#bytes = data.length
    return messages
  }

  /** Whether a message has begun and not ended. */
  get halfway(): boolean {
    return this.#bytes > 0
  }
}
