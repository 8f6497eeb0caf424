/** A copy in memory that holds nothing else: one in Node's pool, or a slice, keeps what is beside it alive. */
export function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
