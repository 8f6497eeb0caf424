/** The chunked transfer coding of HTTP/1.1 (RFC 9112, section 7.1). */

/** Longer pieces are not copied into frames. */
export const FRAME_UP_TO = 16 << 10

export const LINE_END = Buffer.from('\r\n')

/** The last piece that was framed: a watch event goes to all of its watchers, one after the other. */
let framed: { readonly chunk: Buffer; readonly frame: Buffer } | null = null

/** What stands before a piece. */
export const chunkSize = (chunk: Buffer): string => `${chunk.length.toString(16)}\r\n`

/** A piece as chunk, framed once for all receivers. */
export function chunkFrame(chunk: Buffer): Buffer {
  if (framed?.chunk === chunk) return framed.frame
  const frame = Buffer.concat([Buffer.from(chunkSize(chunk), 'latin1'), chunk, LINE_END])
  if (framed === null) setImmediate(() => (framed = null))
  framed = { chunk, frame }
  return frame
}
