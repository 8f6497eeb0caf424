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

/** Largest number in an object identifier, and largest integer that is read as a number: those of the reference. */
const MAX_NUMBER = 2 ** 31 - 1

/** An object identifier, from its dotted form. Throws Error when it has none. */
export function objectId(dotted: string): Buffer {
  const arcs = dotted
    .split('.')
    .map((text) => (/^(?:0|[1-9][0-9]{0,9})$/.test(text) ? Number(text) : -1))
  const [first = -1, second = -1, ...others] = arcs
  const isValid = arcs.every((arc) => arc >= 0 && arc <= MAX_NUMBER) && first <= 2
  const top = first * 40 + second
  if (!isValid || arcs.length < 2 || (first < 2 && second >= 40) || top > MAX_NUMBER)
    throw new Error('asn1: structure error: invalid object identifier')
  return der(Tag.objectId, Buffer.from([top, ...others].flatMap(base128)))
}

/** A number of at most 31 bits in groups of seven, the highest first. */
function base128(value: number): number[] {
  const groups = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80)
  return groups
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
    // One value has one encoding, so that what is read and what is written cannot differ.
    if (bytes[start] === 0)
      throw new Error('asn1: structure error: superfluous leading zeros in length')
    if (length < 0x80) throw new Error('asn1: structure error: non-minimal length')
    start += count
  }
  const end = start + length
  if (end > bytes.length) throw truncated()
  return { tag, content: bytes.subarray(start, end), whole: bytes.subarray(0, end) }
}

/** A number that is not negative and has at most 31 bits. Throws Error for others. */
export function readSmallInteger(element: DerElement | undefined): number {
  const { content } = need(element, Tag.integer)
  const [first, second = 0] = content
  if (first === undefined) throw new Error('asn1: structure error: empty integer')
  const isPadded =
    content.length > 1 && (first === 0 ? second < 0x80 : first === 0xff && second >= 0x80)
  if (isPadded) throw new Error('asn1: structure error: integer not minimally-encoded')
  if (first >= 0x80) throw new Error('asn1: structure error: integer is negative')
  const value = content.length > 5 ? Infinity : content.readUIntBE(0, content.length)
  if (value > MAX_NUMBER) throw new Error('asn1: structure error: integer too large')
  return value
}

/** The dotted form of an object identifier. Throws Error when it has numbers of more than 31 bits, or is not DER. */
export function readObjectIdentifier(element: DerElement | undefined): string {
  const { content } = need(element, Tag.objectId)
  if (content.length === 0) throw new Error('asn1: structure error: zero length OBJECT IDENTIFIER')
  const arcs: number[] = []
  for (let at = 0; at < content.length;) {
    const [value, length] = readBase128(content, at)
    arcs.push(value)
    at += length
  }
  const [first = 0, ...rest] = arcs
  const top = first < 40 ? 0 : first < 80 ? 1 : 2
  return [top, first - top * 40, ...rest].join('.')
}

function readBase128(bytes: Buffer, from: number): [value: number, length: number] {
  if (bytes[from] === 0x80)
    throw new Error('asn1: structure error: integer is not minimally encoded')
  let value = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!
    value = value * 0x80 + (byte & 0x7f)
    if (value > MAX_NUMBER) throw new Error('asn1: structure error: base 128 integer too large')
    if (byte < 0x80) return [value, at - from + 1]
  }
  throw new Error('asn1: syntax error: truncated base 128 integer')
}
