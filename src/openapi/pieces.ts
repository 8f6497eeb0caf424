/**
 * Parts of compressed documents, each compressed once. Documents are joined from them without looking inside: raw
 * deflate streams that end at a byte, between the header and the trailer of one gzip file.
 *
 *     header | piece | "," | piece | end of the stream | checksum and length of all
 */
import { createHash } from 'node:crypto'
import { constants, crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib'

/** Bytes in their compressed form. */
export interface Piece {
  readonly packed: Buffer
  /** Of the bytes before they were compressed. */
  readonly length: number
  readonly crc: number
  readonly digest: Buffer
}

/** Compresses pieces one after the other. What compresses has much memory, which is used again for the next one. */
export class Packer {
  #stream: DeflateRaw | null = null
  #last: Promise<unknown> = Promise.resolve()

  /** Compresses bytes. */
  piece(bytes: Uint8Array): Promise<Piece> {
    const made = this.#last.then(async () => described(bytes, await this.#pack(bytes)))
    this.#last = made.catch(() => {})
    return made
  }

  /** Gives its memory back; it may be used again. */
  rest(): void {
    this.#stream?.destroy()
    this.#stream = null
  }

  #pack(bytes: Uint8Array): Promise<Buffer> {
    const stream = (this.#stream ??= createDeflateRaw())
    return new Promise((resolve, reject) => {
      const packed: Buffer[] = []
      const collect = (chunk: Buffer) => void packed.push(chunk)
      const failed = (error: unknown) => {
        this.#stream = null
        reject(error as Error)
      }
      stream.on('data', collect).once('error', failed)
      stream.write(bytes)
      stream.flush(constants.Z_SYNC_FLUSH, () => {
        stream.off('data', collect).off('error', failed)
        // The next piece must not refer to this one.
        stream.reset()
        resolve(Buffer.concat(packed))
      })
    })
  }
}

/** Few bytes, as they are. */
export function literal(text: string | Uint8Array): Piece {
  const bytes = Buffer.from(text)
  if (bytes.length > MAX_STORED) throw new Error('too long for one block')
  const head = Buffer.alloc(STORED_HEAD)
  head.writeUInt16LE(bytes.length, 1)
  head.writeUInt16LE(~bytes.length & 0xff_ff, 3)
  return described(bytes, Buffer.concat([head, bytes]))
}

/** Length of an uncompressed block of a deflate stream, and of what is before it. */
const MAX_STORED = 0xff_ff
const STORED_HEAD = 5

const described = (bytes: Uint8Array, packed: Buffer): Piece => ({
  packed,
  length: bytes.length,
  crc: crc32(bytes),
  digest: createHash('sha512').update(bytes).digest(),
})

/** No flags, no time, an unknown system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** So many take less than a millisecond. */
const PIECES_PER_STEP = 100
/** An empty last block. */
const END = Buffer.from([3, 0])

/** The gzip file of the pieces one after the other, and what identifies it. In steps: there may be thousands. */
export function* joined(
  pieces: readonly Piece[],
): Generator<void, { readonly gzip: Buffer; readonly hash: string }> {
  const hash = createHash('sha512')
  let crc = 0
  let length = 0
  let count = 0
  for (const one of pieces) {
    crc = crcOfBoth(crc, one)
    length += one.length
    hash.update(one.digest)
    if (++count % PIECES_PER_STEP === 0) yield
  }
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(crc >>> 0, 0)
  tail.writeUInt32LE(length >>> 0, 4)
  const gzip = Buffer.concat([GZIP_HEAD, ...pieces.map(({ packed }) => packed), END, tail])
  return { gzip, hash: hash.digest('hex').toUpperCase() }
}

/** The pieces with one between every two. */
export function separated(pieces: readonly Piece[], between: Piece): Piece[] {
  return pieces.flatMap((one, i) => (i === 0 ? [one] : [between, one]))
}

/**
 * The checksum of bytes with others behind them: the first one times x to the power of the number of bits behind it,
 * modulo the polynomial of the checksum. Polynomials have their coefficients in reverse order.
 */
const crcOfBoth = (before: number, { crc, length }: Piece): number =>
  (product(powerOfBytes(length), before) ^ crc) >>> 0

const POLYNOMIAL = 0xed_b8_83_20
const ONE = 0x80_00_00_00

function product(a: number, b: number): number {
  let result = 0
  let factor = b
  for (let bit = ONE; bit !== 0 && a !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) {
      result ^= factor
      a = (a ^ bit) >>> 0
    }
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL
  }
  return result >>> 0
}

/** x to the powers of two: the bits of a byte are the fourth. */
const POWERS: readonly number[] = (() => {
  const powers = [ONE >>> 1]
  while (powers.length < 40) powers.push(product(powers.at(-1)!, powers.at(-1)!))
  return powers
})()

function powerOfBytes(length: number): number {
  let power = ONE
  for (let i = 3, left = length; left > 0; i++, left = Math.floor(left / 2))
    if (left % 2 === 1) power = product(POWERS[i]!, power)
  return power
}
