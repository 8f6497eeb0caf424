/** DER (X.690), as far as certificates and certificate requests need it: writing and reading. */

/** Tags by their types; those of the context are made by `contextTag`. */
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

/** One element: a tag and its contents. */
export interface DerElement {
  readonly tag: number
  readonly content: Buffer
  /** All of it, tag and length included. */
  readonly whole: Buffer
}

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

/** A time in the form that RFC 5280 requires: with two digits of the year up to 2049. */
export function time(ms: number): Buffer {
  const digits = `${new Date(ms)
    .toISOString()
    .slice(0, 19)
    .replaceAll(/[^0-9]/g, '')}Z`
  return new Date(ms).getUTCFullYear() < 2050
    ? der(Tag.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : der(Tag.generalizedTime, Buffer.from(digits, 'latin1'))
}

/** The elements in a row. Throws Error when they do not fill the bytes. */
export function readDer(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let at = 0; at < bytes.length;) {
    const element = readFirst(bytes.subarray(at))
    elements.push(element)
    at += element.whole.length
  }
  return elements
}

/** The elements inside an element with a certain tag. Throws Error when it is absent or another. */
export function readInside(element: DerElement | undefined, tag: number): DerElement[] {
  return readDer(need(element, tag).content)
}

/** The element, when it has the tag. Throws Error when it is absent or another. */
export function need(element: DerElement | undefined, tag: number): DerElement {
  if (!element) throw new Error('asn1: syntax error: sequence truncated')
  if (element.tag !== tag) throw new Error("asn1: structure error: tags don't match")
  return element
}

/** The first element; what follows is left. Throws Error when it is not whole. */
export function readFirst(bytes: Buffer): DerElement {
  const truncated = () => new Error('asn1: syntax error: data truncated')
  const tag = bytes[0]
  let length = bytes[1]
  if (tag === undefined || length === undefined) throw truncated()
  // Tags of more than one byte do not occur in the structures read here.
  if ((tag & 0x1f) === 0x1f) throw new Error('asn1: syntax error: invalid tag')
  let start = 2
  if (length >= 0x80) {
    const count = length & 0x7f
    if (count === 0) throw new Error('asn1: syntax error: indefinite length found (not DER)')
    if (count > 4) throw new Error('asn1: structure error: length too large')
    if (bytes.length < start + count) throw truncated()
    length = bytes.readUIntBE(start, count)
    start += count
  }
  const end = start + length
  if (end > bytes.length) throw truncated()
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(0, end) }
}

/** The dotted form of an object identifier. */
export function readObjectIdentifier(element: DerElement | undefined): string {
  const { content } = need(element, Tag.objectId)
  const arcs: bigint[] = []
  let value = 0n
  for (const byte of content) {
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte & 0x80) continue
    arcs.push(value)
    value = 0n
  }
  const [first = 0n, ...rest] = arcs
  const top = first < 40n ? 0n : first < 80n ? 1n : 2n
  return [top, first - top * 40n, ...rest].join('.')
}
