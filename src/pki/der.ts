/** DER (X.690), as far as certificates are made of it. */

/** Tags by what they stand for; those of the context are made by `contextTag`. */
export const Tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** The tag of a numbered part. */
export const contextTag = (number: number, isConstructed: boolean): number =>
  (isConstructed ? 0xa0 : 0x80) | number

/** A value with its tag and length. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Buffer.of(tag, ...lengthBytes(length)), ...parts])
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 0x100)) bytes.unshift(rest % 0x100)
  return [0x80 | bytes.length, ...bytes]
}

/** Parts in order. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(Tag.sequence, ...parts)

/** An object identifier, from its dotted form. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...others].flatMap((arc) => {
    const groups = [arc & 0x7f]
    for (let rest = arc >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80)
    return groups
  })
  return der(Tag.objectId, Buffer.from(bytes))
}

/** Bits that fill their bytes, or of which the last ones are unused. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer =>
  der(Tag.bitString, Buffer.of(unused), bytes)

/** A time in the form that RFC 5280 asks for: with two digits of the year up to 2049. */
export function time(ms: number): Buffer {
  const digits = `${new Date(ms)
    .toISOString()
    .slice(0, 19)
    .replaceAll(/[^0-9]/g, '')}Z`
  return new Date(ms).getUTCFullYear() < 2050
    ? der(Tag.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : der(Tag.generalizedTime, Buffer.from(digits, 'latin1'))
}

/** One value as it was read. */
export interface DerValue {
  readonly tag: number
  readonly content: Buffer
  /** With tag and length. */
  readonly whole: Buffer
}

/** The values that stand in a row. Throws RangeError where they do not end with the bytes. */
export function readDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length;) {
    const tag = bytes.readUInt8(at)
    let start = at + 2
    let length = bytes.readUInt8(at + 1)
    if (length >= 0x80) {
      const size = length & 0x7f
      length = bytes.readUIntBE(start, size)
      start += size
    }
    const end = start + length
    if (end > bytes.length) throw new RangeError('a value does not end')
    values.push({ tag, content: bytes.subarray(start, end), whole: bytes.subarray(at, end) })
    at = end
  }
  return values
}
