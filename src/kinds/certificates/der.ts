/** One element of DER: a tag and what is in it. */
export interface DerElement {
  readonly tag: number
  /** What is in it. */
  readonly content: Buffer
  /** All of it, tag and length included. */
  readonly whole: Buffer
}

/** Tags that are asked for. */
export const Tag = {
  integer: 0x02,
  bitString: 0x03,
  objectIdentifier: 0x06,
  sequence: 0x30,
  set: 0x31,
  attributes: 0xa0,
} as const

/** The elements that stand one after the other. Throws Error when they do not fill the bytes. */
export function readDer(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = []
  for (let at = 0; at < bytes.length;) {
    const element = readElement(bytes.subarray(at))
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

function readElement(bytes: Buffer): DerElement {
  const truncated = () => new Error('asn1: syntax error: data truncated')
  const tag = bytes[0]
  let length = bytes[1]
  if (tag === undefined || length === undefined) throw truncated()
  // Tags of more than one byte have no place in what is read here.
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
  const { content } = need(element, Tag.objectIdentifier)
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
