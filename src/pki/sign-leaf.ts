/** Makes certificates for the keys of others (RFC 5280). Loaded when one is to be signed. */
import { createPrivateKey, sign, X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  distinguishedName,
  namesIn,
  type AlternativeNames,
  type Attributes,
} from '../base/certificate-names.ts'
import {
  bitString,
  contextTag,
  der,
  need,
  objectId,
  readDer,
  readInside,
  sequence,
  Tag,
  time,
} from '../base/der.ts'
import { algorithmOf, issuerOf, newSerial } from './issue.ts'
import type { Issued } from './subject.ts'

/** A certificate that is to be signed. */
export interface LeafContent extends AlternativeNames {
  readonly subject: Attributes
  /** DER. */
  readonly publicKey: Buffer
  /** Names of usages, such as `digital signature`. */
  readonly usages: readonly string[]
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

const VERSION_3 = der(contextTag(0, true), der(Tag.integer, Buffer.of(2)))
const EXTENSIONS = contextTag(3, true)
const TRUE = der(Tag.boolean, Buffer.of(0xff))
const KEY_USAGE = objectId('2.5.29.15')
const ALTERNATIVE_NAMES = objectId('2.5.29.17')
const BASIC_CONSTRAINTS = objectId('2.5.29.19')
const AUTHORITY_KEY_ID = objectId('2.5.29.35')
const EXTENDED_KEY_USAGE = objectId('2.5.29.37')
const COMMON_NAME = '2.5.4.3'

/** Bits of the key's usage, from the first on. */
const KEY_BITS: readonly (readonly string[])[] = [
  ['digital signature', 'signing'],
  ['content commitment'],
  ['key encipherment'],
  ['data encipherment'],
  ['key agreement'],
  ['cert sign'],
  ['crl sign'],
  ['encipher only'],
  ['decipher only'],
]
const PURPOSE = '1.3.6.1.5.5.7.3'
const PURPOSES: ReadonlyMap<string, string> = new Map([
  ['any', '2.5.29.37.0'],
  ['server auth', `${PURPOSE}.1`],
  ['client auth', `${PURPOSE}.2`],
  ['code signing', `${PURPOSE}.3`],
  ['email protection', `${PURPOSE}.4`],
  ['s/mime', `${PURPOSE}.4`],
  ['ipsec end system', `${PURPOSE}.5`],
  ['ipsec tunnel', `${PURPOSE}.6`],
  ['ipsec user', `${PURPOSE}.7`],
  ['timestamping', `${PURPOSE}.8`],
  ['ocsp signing', `${PURPOSE}.9`],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
])

/**
 * Signs a certificate, which is that of no authority; PEM. Throws when the issuer's key is neither EC nor RSA, and when the
 * certificate read again has not the content that was checked.
 */
export function signLeaf(content: LeafContent, issuer: Issued): string {
  const { name, keyId } = issuerOf(issuer.cert)
  const key = createPrivateKey(issuer.key)
  const algorithm = algorithmOf(key)
  const signed = sequence(
    VERSION_3,
    der(Tag.integer, newSerial()),
    algorithm,
    name,
    sequence(time(content.notBeforeMs), time(content.notAfterMs)),
    subjectOf(content),
    content.publicKey,
    der(EXTENSIONS, sequence(...extensionsOf(content, keyId))),
  )
  if (!isDeepStrictEqual(signedContent(signed), wantedContent(content)))
    throw new Error('refusing to sign: the certificate differs from what was checked')
  const certificate = sequence(signed, algorithm, bitString(sign('sha256', signed, key)))
  return new X509Certificate(certificate).toString()
}

/** Of several common names the last, which is the one that counts. */
function attributesOf({ subject }: LeafContent): Attributes {
  const last = subject.findLastIndex(([type]) => type === COMMON_NAME)
  return subject.filter(([type], i) => type !== COMMON_NAME || i === last)
}

/** The texts that were checked, in one encoding. */
const subjectOf = (content: LeafContent): Buffer =>
  sequence(
    ...attributesOf(content).map(([type, text]) =>
      der(Tag.set, sequence(objectId(type), der(Tag.utf8String, Buffer.from(text)))),
    ),
  )

/** What a certificate says of its subject. */
interface SubjectContent {
  readonly subject: Attributes
  readonly publicKey: Buffer
  readonly names: AlternativeNames
}

const wantedContent = (content: LeafContent): SubjectContent => ({
  subject: attributesOf(content),
  publicKey: content.publicKey,
  names: {
    dnsNames: content.dnsNames,
    emailAddresses: content.emailAddresses,
    ipAddresses: content.ipAddresses,
    uris: content.uris,
  },
})

/** The content of the part of a certificate that is signed, read as those read it who trust it. */
function signedContent(signed: Buffer): SubjectContent {
  const parts = readInside(readDer(signed)[0], Tag.sequence)
  const extensions = readInside(readInside(parts[7], EXTENSIONS)[0], Tag.sequence)
  const names = extensions
    .map((extension) => readInside(extension, Tag.sequence))
    .find(([id]) => id?.whole.equals(ALTERNATIVE_NAMES))
  return {
    subject: distinguishedName(need(parts[5], Tag.sequence)),
    publicKey: need(parts[6], Tag.sequence).whole,
    names: namesIn(names?.at(-1)?.content ?? Buffer.alloc(0)),
  }
}

function extensionsOf(content: LeafContent, issuer: Buffer): Buffer[] {
  const extension = (id: Buffer, isCritical: boolean, value: Buffer) =>
    sequence(id, ...(isCritical ? [TRUE] : []), der(Tag.octetString, value))
  const bits = keyBits(content.usages)
  const purposes = [...new Set(content.usages.map((usage) => PURPOSES.get(usage)))]
    .filter((oid) => oid !== undefined)
    .map(objectId)
  const names = namesOf(content)
  return [
    ...(bits ? [extension(KEY_USAGE, true, bits)] : []),
    ...(purposes.length > 0 ? [extension(EXTENDED_KEY_USAGE, false, sequence(...purposes))] : []),
    extension(BASIC_CONSTRAINTS, true, sequence()),
    extension(AUTHORITY_KEY_ID, false, sequence(der(contextTag(0, false), issuer))),
    ...(names.length > 0 ? [extension(ALTERNATIVE_NAMES, false, sequence(...names))] : []),
  ]
}

/** The usages as a bit string without trailing zeros; null without any. */
function keyBits(usages: readonly string[]): Buffer | null {
  const set = KEY_BITS.map((names) => names.some((name) => usages.includes(name)))
  const last = set.lastIndexOf(true)
  if (last === -1) return null
  const bytes = Buffer.alloc((last >> 3) + 1)
  for (const [bit, isSet] of set.entries()) {
    if (isSet) bytes[bit >> 3]! |= 0x80 >> (bit & 7)
  }
  return bitString(bytes, 7 - (last & 7))
}

const namesOf = (content: LeafContent): Buffer[] => [
  ...content.dnsNames.map((text) => der(contextTag(2, false), Buffer.from(text, 'latin1'))),
  ...content.emailAddresses.map((text) => der(contextTag(1, false), Buffer.from(text, 'latin1'))),
  ...content.ipAddresses.map((bytes) => der(contextTag(7, false), bytes)),
  ...content.uris.map((text) => der(contextTag(6, false), Buffer.from(text, 'latin1'))),
]
