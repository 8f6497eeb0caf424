/** Frames of HTTP/2 (RFC 9113, section 4). */
import { ownCopy } from '../base/own-copy.ts'

export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
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
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const

/** Why a stream or a connection ends (RFC 9113, section 7). */
export const CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const

/** The connection preface of a client. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
/** Bytes of a window unless the settings change it. */
export const DEFAULT_WINDOW = 65_535
export const MAX_WINDOW = 0x7fff_ffff
/** Bytes of a payload that every peer must take, and the most that ours may send. */
export const MAX_PAYLOAD = 16_384
export const HEADER_BYTES = 9

/** An error that ends a connection, with the code for its GOAWAY. */
export class ConnectionFault extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.name = 'ConnectionFault'
    this.code = code
  }
}

/** Writes a frame's header to `into`; returns the start of its payload. */
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
  into[at + 5] = stream >> 24
  into[at + 6] = stream >> 16
  into[at + 7] = stream >> 8
  into[at + 8] = stream
  return at + HEADER_BYTES
}

/** The header of a frame. */
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

/**
 * Called with a frame; a long DATA comes in pieces, of which the last has the flags. `size` is the flow-controlled
 * length: the payload with its padding.
 */
export type FrameListener = (
  type: number,
  flags: number,
  stream: number,
  payload: Buffer,
  size: number,
) => void

/** Finds the frames in the bytes read, of which it keeps copies. */
export class FrameParser {
  readonly #told: FrameListener
  #rest: Buffer | null = null
  /** Bytes that are still to come of a DATA frame, which is passed on as it comes. */
  #dataLeft = 0
  #dataFlags = 0
  #dataStream = 0
  /** Bytes of the payload of the current frame, whether or not all of them came. */
  frameBytes = 0

  constructor(told: FrameListener) {
    this.#told = told
  }

  /** Throws {@link ConnectionFault} on frames that are too long. */
  push(piece: Buffer): void {
    const data = this.#rest ? Buffer.concat([this.#rest, piece]) : piece
    this.#rest = null
    let at = 0
    while (at < data.length) {
      if (this.#dataLeft > 0) {
        const end = Math.min(data.length, at + this.#dataLeft)
        this.#dataLeft -= end - at
        const flags = this.#dataLeft === 0 ? this.#dataFlags : 0
        this.#told(FRAME.DATA, flags, this.#dataStream, data.subarray(at, end), end - at)
        at = end
        continue
      }
      const start = at + HEADER_BYTES
      if (start > data.length) break
      const length = (data[at]! << 16) | (data[at + 1]! << 8) | data[at + 2]!
      if (length > MAX_PAYLOAD)
        throw new ConnectionFault(CODE.FRAME_SIZE_ERROR, 'what is no HTTP/2 came')
      const type = data[at + 3]!
      const flags = data[at + 4]!
      const stream = word(data, at + 5) & MAX_WINDOW
      if (type === FRAME.DATA && (flags & FLAG.PADDED) === 0 && length > 0) {
        this.frameBytes = length
        this.#dataLeft = length
        this.#dataFlags = flags
        this.#dataStream = stream
        at = start
        continue
      }
      if (start + length > data.length) break
      at = start + length
      this.frameBytes = length
      this.#told(type, flags, stream, unpadded(type, flags, data.subarray(start, at)), length)
    }
    if (at < data.length) this.#rest = ownCopy(data.subarray(at))
  }
}

/** Four bytes as a number below 2^32. */
export const word = (data: Buffer, at: number): number =>
  ((data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!) >>> 0

/** A payload without padding and priority fields. */
function unpadded(type: number, flags: number, payload: Buffer): Buffer {
  if ((type !== FRAME.DATA && type !== FRAME.HEADERS) || (flags & PADS) === 0) return payload
  const isPadded = (flags & FLAG.PADDED) !== 0
  const padding = isPadded ? (payload[0] ?? 0) : 0
  const before = (isPadded ? 1 : 0) + (type === FRAME.HEADERS && flags & FLAG.PRIORITY ? 5 : 0)
  if (before + padding > payload.length)
    throw new ConnectionFault(CODE.PROTOCOL_ERROR, 'a frame with too much padding came')
  return payload.subarray(before, payload.length - padding)
}

const PADS = FLAG.PADDED | FLAG.PRIORITY
