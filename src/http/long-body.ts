/** Sends bodies in chunks, with yields to the event loop between them. */
import { constants, createGzip } from 'node:zlib'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { SharedPace } from '../base/shared-pace.ts'
import type { ApiResponse, Context } from './context.ts'
import type { Out } from './exchange.ts'
import type { Pieces } from './pieces.ts'

/** Bodies larger than this are compressed for clients that accept it. */
export const GZIP_FROM = 131_072
/** Bytes of the chunks of a long body. */
export const CHUNK = 256 << 10

/** Whether the client accepts compressed bodies. */
export const takesGzip = (context: Context) =>
  /(^|[ ,])gzip(;q=(0\.0*[1-9]|1)|[ ,]|$)/.test(
    String(context.exchange.headers['accept-encoding'] ?? ''),
  )

// Buffers of sent chunks, for the next list: fresh memory costs more than the copy into it.
const spare: ArrayBufferLike[] = []
const MAX_SPARE = 4

/** Fresh memory for a chunk. */
export const newChunk = () => Buffer.allocUnsafeSlow(CHUNK)

/** Memory for a chunk, of one that was sent if there is some. */
export function takeChunk(): Buffer {
  const memory = spare.pop()
  return memory ? Buffer.from(memory) : newChunk()
}

function giveBack(chunk: Buffer): void {
  if (chunk.buffer.byteLength === CHUNK && spare.length < MAX_SPARE) spare.push(chunk.buffer)
}

/** A complete body. A large one is sent in chunks, with yields to the event loop between them. */
export function pacedBody(body: Buffer): ApiResponse['body'] {
  if (body.length <= CHUNK) return body
  function* chunks(): Generator<Buffer> {
    for (let at = 0; at < body.length; at += CHUNK) yield body.subarray(at, at + CHUNK)
  }
  return (out, pieces) => sendChunks(out, pieces, chunks())
}

/** Sends chunks, or the only one, with yields to the event loop between their pieces. */
export async function sendChunks(
  out: Out,
  pieces: Pieces,
  chunks: Iterable<Buffer>,
  { isOnly = false, pace = null }: Sending = {},
): Promise<void> {
  const nextSize = pieces.of()
  for (const chunk of chunks) {
    let at = 0
    while (at < chunk.length) {
      if (out.closed) return
      const end = at + nextSize()
      const isLast = end >= chunk.length
      const ok = isLast
        ? out.write(at === 0 ? chunk : chunk.subarray(at), () => giveBack(chunk))
        : out.write(chunk.subarray(at, end))
      if (isLast && isOnly) break
      await (ok
        ? isLast && pace
          ? pace.giveWay()
          : yieldToEventLoop()
        : waited(out.drained(), pace))
      at = end
    }
    if (isOnly) break
  }
  out.end()
}

interface Sending {
  /** There is one chunk alone. */
  readonly isOnly?: boolean
  /** Of chunks that are made as they are sent, and take long. */
  readonly pace?: SharedPace | null
}

const waited = (event: Promise<void>, pace: SharedPace | null): Promise<void> =>
  pace ? pace.wait(event) : event

/** Sends chunks compressed; `pace`: see `Sending`. */
export async function gzipTo(
  out: Out,
  chunks: Iterable<Buffer>,
  pace: SharedPace | null = null,
): Promise<void> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  gzip.on('data', (data: Buffer) => {
    if (out.closed) return
    if (!out.write(data)) {
      gzip.pause()
      void out.drained().then(() => gzip.resume())
    }
  })
  const ended = new Promise<void>((resolve, reject) => {
    gzip.once('end', resolve)
    gzip.once('error', reject)
  })
  for (const chunk of chunks) {
    if (out.closed) break
    const ok = gzip.write(chunk)
    if (!ok) await waited(new Promise((resolve) => gzip.once('drain', resolve)), pace)
    if (pace) await pace.giveWay()
    else if (ok) await yieldToEventLoop()
  }
  gzip.end()
  await ended
  out.end()
}
