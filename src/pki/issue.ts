/** Makes X.509 certificates (RFC 5280). Loaded only when something must be issued. */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'
import { addressFamily } from '../base/address-family.ts'
import { ipToBigInt } from '../base/ip-range.ts'
import {
  bitString,
  contextTag,
  der,
  objectId,
  readDer,
  sequence,
  Tag,
  time,
  type DerElement,
} from '../base/der.ts'
import type { Issued, Subject } from './subject.ts'

const COMMON_NAME = objectId('2.5.4.3')
const ORGANIZATION = objectId('2.5.4.10')
const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const SHA256_WITH_RSA = sequence(objectId('1.2.840.113549.1.1.11'), der(Tag.null))
const SUBJECT_KEY_ID = objectId('2.5.29.14')
const KEY_USAGE = objectId('2.5.29.15')
const SUBJECT_ALTERNATIVE_NAME = objectId('2.5.29.17')
const BASIC_CONSTRAINTS = objectId('2.5.29.19')
const AUTHORITY_KEY_ID = objectId('2.5.29.35')
const EXTENDED_KEY_USAGE = objectId('2.5.29.37')
const SERVER_AUTHENTICATION = objectId('1.3.6.1.5.5.7.3.1')
const CLIENT_AUTHENTICATION = objectId('1.3.6.1.5.5.7.3.2')

const TRUE = der(Tag.boolean, Buffer.of(0xff))
const VERSION_3 = der(contextTag(0, true), der(Tag.integer, Buffer.of(2)))
const EXTENSIONS = contextTag(3, true)
// Bits of the key's usage: signatures, keys that encipher, certificates, lists of those taken back.
const AUTHORITY_USAGE = bitString(Buffer.of(0b1000_0110), 1)
const LEAF_USAGE = bitString(Buffer.of(0b1010_0000), 5)

export interface IssueOptions {
  readonly subject: Subject
  readonly notBeforeMs: number
  readonly notAfterMs: number
  readonly use: 'authority' | 'server' | 'client'
  /** Names and addresses of a server. */
  readonly hosts?: readonly string[]
  /** Authority that signs, with an EC or RSA key; the certificate signs itself when absent. */
  readonly issuer?: Issued
}

/** A new P-256 key pair, PEM. */
export function newKeyPair(): { readonly publicKey: string; readonly privateKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

/** A certificate for a new P-256 key. Throws when the issuer's key is neither EC nor RSA. */
export function issue(options: IssueOptions): Issued {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' })
  const subject = nameOf(options.subject)
  const keyId = keyIdOf(publicKey)
  // The issuer's name is taken from its certificate: it must be the same to the byte.
  const issuer = options.issuer ? issuerOf(options.issuer.cert) : { name: subject, keyId }
  const signer = options.issuer ? createPrivateKey(options.issuer.key) : pair.privateKey
  const signature = algorithmOf(signer)
  const signed = sequence(
    VERSION_3,
    der(Tag.integer, newSerial()),
    signature,
    issuer.name,
    sequence(time(options.notBeforeMs), time(options.notAfterMs)),
    subject,
    publicKey,
    der(EXTENSIONS, sequence(...extensionsOf(options, keyId, issuer.keyId))),
  )
  const certificate = sequence(signed, signature, bitString(sign('sha256', signed, signer)))
  return {
    cert: new X509Certificate(certificate).toString(),
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** Name and key id of an issuer, as its certificate has them. */
export function issuerOf(pem: string): { name: Buffer; keyId: Buffer } {
  const parts = within(within(only(new X509Certificate(pem).raw))[0]!)
  // Versions before the third do not say which they are.
  const from = parts[0]!.tag === contextTag(0, true) ? 1 : 0
  const extensions = parts.find(({ tag }) => tag === EXTENSIONS)
  const own = extensions
    ? within(within(extensions)[0]!).find((one) => within(one)[0]!.whole.equals(SUBJECT_KEY_ID))
    : undefined
  return {
    // After number, algorithm, issuer and times.
    name: parts[from + 4]!.whole,
    keyId: own ? only(within(own).at(-1)!.content).content : keyIdOf(parts[from + 5]!.whole),
  }
}

const only = (bytes: Buffer): DerElement => readDer(bytes)[0]!
const within = ({ content }: DerElement): DerElement[] => readDer(content)

/** The algorithm of signatures with a key. Throws when it is neither EC nor RSA. */
export function algorithmOf(key: KeyObject): Buffer {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return ECDSA_WITH_SHA256
    case 'rsa':
      return SHA256_WITH_RSA
    default:
      throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType}: use EC or RSA`)
  }
}

/** RFC 5280 4.2.1.2, first method: of the bits of the key, without the count of unused ones. */
const keyIdOf = (publicKey: Buffer): Buffer =>
  createHash('sha1')
    .update(within(only(publicKey))[1]!.content.subarray(1))
    .digest()

/** Positive and at most 20 bytes, as RFC 5280 requires. */
export function newSerial(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return bytes
}

function nameOf({ commonName, organization }: Subject): Buffer {
  const part = (type: Buffer, text: string) =>
    der(Tag.set, sequence(type, der(Tag.utf8String, Buffer.from(text))))
  return sequence(
    ...(organization === undefined ? [] : [part(ORGANIZATION, organization)]),
    part(COMMON_NAME, commonName),
  )
}

function extensionsOf(options: IssueOptions, own: Buffer, issuer: Buffer): Buffer[] {
  const { use, hosts = [] } = options
  const extension = (id: Buffer, isCritical: boolean, value: Buffer) =>
    sequence(id, ...(isCritical ? [TRUE] : []), der(Tag.octetString, value))
  const isAuthority = use === 'authority'
  const list = [
    extension(BASIC_CONSTRAINTS, true, isAuthority ? sequence(TRUE) : sequence()),
    extension(KEY_USAGE, true, isAuthority ? AUTHORITY_USAGE : LEAF_USAGE),
    extension(SUBJECT_KEY_ID, false, der(Tag.octetString, own)),
    extension(AUTHORITY_KEY_ID, false, sequence(der(contextTag(0, false), issuer))),
  ]
  if (!isAuthority) {
    const purpose = use === 'server' ? SERVER_AUTHENTICATION : CLIENT_AUTHENTICATION
    list.push(extension(EXTENDED_KEY_USAGE, false, sequence(purpose)))
  }
  if (hosts.length > 0) {
    list.push(extension(SUBJECT_ALTERNATIVE_NAME, false, sequence(...hosts.map(hostName))))
  }
  return list
}

/** A name of the kind that is written in ASCII, or an address. */
const hostName = (host: string): Buffer =>
  addressFamily(host) === 0
    ? der(contextTag(2, false), Buffer.from(host, 'latin1'))
    : der(contextTag(7, false), addressBytes(host))

function addressBytes(address: string): Buffer {
  const bytes = addressFamily(address) === 4 ? 4 : 16
  return Buffer.from(
    ipToBigInt(address)
      .toString(16)
      .padStart(2 * bytes, '0'),
    'hex',
  )
}
