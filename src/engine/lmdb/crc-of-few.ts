/** CRC-32 of a few bytes, where a view of them and a call of the runtime take longer than the bytes do. */

const POLYNOMIAL = 0xedb88320

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ POLYNOMIAL : sum >>> 1
  return sum
})

/** The same as `crc32` of the platform for the bytes from one place to another. */
export function crcOfFew(bytes: Uint8Array, from: number, to: number): number {
  let sum = -1
  for (let i = from; i < to; i++) sum = TABLE[(sum ^ bytes[i]!) & 0xff]! ^ (sum >>> 8)
  return ~sum >>> 0
}
