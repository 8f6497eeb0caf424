/** Certificate requests of any content, also one that no program for requests would write. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { bitString, contextTag, der, sequence, Tag } from '../../base/der.ts'

/** An object identifier with numbers of any size, whether they are allowed or not. */
export function anyObjectId(dotted: string): Buffer {
  const [first = 0n, second = 0n, ...others] = dotted.split('.').map(BigInt)
  const bytes = [first * 40n + second, ...others].flatMap((arc) => {
    const groups = [Number(arc & 0x7fn)]
    for (let rest = arc >> 7n; rest > 0n; rest >>= 7n) groups.unshift(Number(rest & 0x7fn) | 0x80)
    return groups
  })
  return der(Tag.objectId, Buffer.from(bytes))
}

/** An attribute of a subject: dotted type, and text or element. */
export type RawAttribute = readonly [type: string, value: string | Buffer]

export const attribute = ([type, value]: RawAttribute): Buffer =>
  sequence(
    anyObjectId(type),
    typeof value === 'string' ? der(Tag.utf8String, Buffer.from(value)) : value,
  )

/** A name with one attribute in each of its sets. */
export const nameOf = (attributes: readonly RawAttribute[]): Buffer =>
  sequence(...attributes.map((one) => der(Tag.set, attribute(one))))

/** An extension request with the alternative names, as elements. */
export const alternativeNames = (...names: readonly Buffer[]): Buffer =>
  extensionRequest(sequence(anyObjectId('2.5.29.17'), der(Tag.octetString, sequence(...names))))

export const extensionRequest = (...extensions: readonly Buffer[]): Buffer =>
  sequence(anyObjectId('1.2.840.113549.1.9.14'), der(Tag.set, sequence(...extensions)))

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY = pair.publicKey.export({ type: 'spki', format: 'der' })
const ALGORITHM = sequence(anyObjectId('1.2.840.10045.4.3.2'))

/** A signed request with this subject and these attributes, PEM. */
export function rawRequest(subject: Buffer, ...attributes: readonly Buffer[]): string {
  const version = der(Tag.integer, Buffer.of(0))
  const info = sequence(version, subject, KEY, der(contextTag(0, true), ...attributes))
  const signature = bitString(sign('sha256', info, pair.privateKey))
  const body = sequence(info, ALGORITHM, signature).toString('base64')
  return `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`
}
