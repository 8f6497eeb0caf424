/** Frames of HTTP/2 (RFC 9113, section 4). */

export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const

export const FLAG = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const

export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
} as const

/** Bytes of a payload that every peer must take, and the most that ours may send. */
export const MAX_PAYLOAD = 16_384
export const HEADER_BYTES = 9

/** Writes a frame's header to `into`; returns where its payload goes. */
export function writeHeader(
  into: Buffer,
  at: number,
  { type, flags, stream, length }: FrameHeader,
): number {
  into[at] = length >> 16
  into[at + 1] = length >> 8
  into[at + 2] = length
  into[at + 3] = type
  into[at + 4] = flags
  into.writeUInt32BE(stream, at + 5)
  return at + HEADER_BYTES
}

/** What stands before a payload. */
export interface FrameHeader {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly length: number
}

/** A whole frame. */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(HEADER_BYTES + payload.length)
  writeHeader(whole, 0, { type, flags, stream, length: payload.length })
  payload.copy(whole, HEADER_BYTES)
  return whole
}

/** Four bytes. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The payload of SETTINGS. */
export function settings(values: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(values.length * 6)
  for (const [i, [id, value]] of values.entries()) {
    payload.writeUInt16BE(id, i * 6)
    payload.writeUInt32BE(value, i * 6 + 2)
  }
  return payload
}

/** Told of a frame; a long DATA comes in pieces, of which the last has the flags. */
export type FrameListener = (type: number, flags: number, stream: number, payload: Buffer) => void

/** Finds the frames in what is read. */
export class FrameParser {
  readonly #told: FrameListener
  #rest: Buffer | null = null
  /** Bytes that are still to come of a DATA frame, which is passed on as it comes. */
  #dataLeft = 0
  #dataFlags = 0
  #dataStream = 0

  constructor(told: FrameListener) {
    this.#told = told
  }

  /** Throws on frames that are too long. */
  push(piece: Buffer): void {
    const data = this.#rest ? Buffer.concat([this.#rest, piece]) : piece
    this.#rest = null
    let at = 0
    while (at < data.length) {
      if (this.#dataLeft > 0) {
        const end = Math.min(data.length, at + this.#dataLeft)
        this.#dataLeft -= end - at
        const flags = this.#dataLeft === 0 ? this.#dataFlags : 0
        this.#told(FRAME.DATA, flags, this.#dataStream, data.subarray(at, end))
        at = end
        continue
      }
      const start = at + HEADER_BYTES
      if (start > data.length) break
      const length = data.readUIntBE(at, 3)
      if (length > MAX_PAYLOAD) throw new Error('what is no HTTP/2 came')
      const type = data[at + 3]!
      const flags = data[at + 4]!
      const stream = data.readUInt32BE(at + 5) & 0x7fffffff
      if (type === FRAME.DATA && (flags & FLAG.PADDED) === 0 && length > 0) {
        this.#dataLeft = length
        this.#dataFlags = flags
        this.#dataStream = stream
        at = start
        continue
      }
      if (start + length > data.length) break
      at = start + length
      this.#told(type, flags, stream, unpadded(type, flags, data.subarray(start, at)))
    }
    if (at < data.length) this.#rest = data.subarray(at)
  }
}

/** A payload without what is only there to hide its length or to say what is more urgent. */
function unpadded(type: number, flags: number, payload: Buffer): Buffer {
  if (type !== FRAME.DATA && type !== FRAME.HEADERS) return payload
  const isPadded = (flags & FLAG.PADDED) !== 0
  const padding = isPadded ? (payload[0] ?? 0) : 0
  const before = (isPadded ? 1 : 0) + (type === FRAME.HEADERS && flags & FLAG.PRIORITY ? 5 : 0)
  if (before + padding > payload.length) throw new Error('a frame with too much padding')
  return payload.subarray(before, payload.length - padding)
}
