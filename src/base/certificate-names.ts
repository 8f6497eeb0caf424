/** The names in certificates and requests: subjects and alternative names. */
import { isAscii, isUtf8 } from 'node:buffer'
import {
  contextTag,
  readDer,
  readInside,
  readObjectIdentifier,
  Tag,
  type DerElement,
} from './der.ts'

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?*&]*$/
const NUMERIC = /^[0-9 ]*$/

function ascii(bytes: Buffer): string | null {
  return isAscii(bytes) ? bytes.toString('latin1') : null
}

/** Readers of the types of strings, by their tags; null: the bytes are not of the type. */
const READERS: ReadonlyMap<
  number,
  readonly [type: string, read: (bytes: Buffer) => string | null]
> = new Map([
  [0x0c, ['UTF8String', (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : null)]],
  [0x12, ['NumericString', (bytes) => matching(bytes, NUMERIC)]],
  [0x13, ['PrintableString', (bytes) => matching(bytes, PRINTABLE)]],
  // What its other characters mean depends on the reader.
  [0x14, ['T61String', ascii]],
  [0x16, ['IA5String', ascii]],
  [0x1e, ['BMPString', utf16]],
])

const matching = (bytes: Buffer, pattern: RegExp): string | null => {
  const text = bytes.toString('latin1')
  return pattern.test(text) ? text : null
}

/** Without pairs of surrogates: such a string has characters of two bytes only. */
function utf16(bytes: Buffer): string | null {
  if (bytes.length % 2 !== 0) return null
  const text = Buffer.from(bytes).swap16().toString('utf16le')
  return /[\ud800-\udfff]/.test(text) ? null : text
}

/**
 * The text of an element. Throws Error for other types than those of the reference, for bytes that are not of the type, and
 * for a zero character, at which some programs stop to read.
 */
function directoryText({ tag, content }: DerElement): string {
  const reader = READERS.get(tag)
  if (!reader) throw new Error('x509: unsupported string type in the subject')
  const [type, read] = reader
  const text = read(content)
  if (text === null) throw new Error(`asn1: syntax error: ${type} contains invalid character`)
  if (text.includes('\0')) throw new Error('x509: the subject contains a zero character')
  return text
}

/** Attributes of a name in order: dotted type and text. */
export type Attributes = readonly (readonly [type: string, text: string])[]

/** Alternative names of the kinds that certificates get. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[]
  readonly emailAddresses: readonly string[]
  /** Addresses of 4 or 16 bytes. */
  readonly ipAddresses: readonly Buffer[]
  readonly uris: readonly string[]
}

const EMAIL = contextTag(1, false)
const DNS = contextTag(2, false)
const URI = contextTag(6, false)
const IP = contextTag(7, false)

/** Attributes of a name in order: dotted type and text. Throws Error if it cannot be parsed. */
export const distinguishedName = (name: DerElement): [type: string, text: string][] =>
  readInside(name, Tag.sequence)
    .flatMap((set) => readInside(set, Tag.set))
    .map((pair) => {
      const [id, value, ...others] = readInside(pair, Tag.sequence)
      if (!value || others.length > 0)
        throw new Error('asn1: structure error: an attribute has a type and a value')
      return [readObjectIdentifier(id), directoryText(value)]
    })

/** The alternative names in the value of an extension. Throws Error if it cannot be parsed. */
export function namesIn(extension: Buffer): AlternativeNames {
  const [list, ...trailing] = readDer(extension)
  if (trailing.length > 0) throw new Error('asn1: syntax error: trailing data')
  const names = list ? readInside(list, Tag.sequence) : []
  const texts = (tag: number, what: string) =>
    names
      .filter((one) => one.tag === tag)
      .map(({ content }) => {
        // At a zero character some programs stop to read.
        if (!isAscii(content) || content.includes(0))
          throw new Error(`x509: SAN ${what} is malformed`)
        return content.toString('latin1')
      })
  const ipAddresses = names.filter((one) => one.tag === IP).map(({ content }) => content)
  const odd = ipAddresses.find(({ length }) => length !== 4 && length !== 16)
  if (odd) throw new Error(`x509: cannot parse IP address of length ${odd.length}`)
  return {
    dnsNames: texts(DNS, 'dNSName'),
    emailAddresses: texts(EMAIL, 'rfc822Name'),
    ipAddresses,
    uris: texts(URI, 'uniformResourceIdentifier'),
  }
}
