import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import {
  contextTag,
  need,
  readDer,
  readInside,
  readObjectIdentifier,
  Tag,
  type DerElement,
} from '../../base/der.ts'
import { pemBlocks } from './pem.ts'

/** Subject of a PKCS#10 request. */
export interface RequestSubject {
  readonly commonName: string
  readonly organizations: readonly string[]
}

const RSA = '1.2.840.113549.1.1'
const ECDSA = '1.2.840.10045.4'

/** Signature algorithms by object identifier, with their digest; null if the algorithm includes it. */
const ALGORITHMS: ReadonlyMap<string, { readonly key: string; readonly digest: string | null }> =
  new Map([
    [`${RSA}.5`, { key: 'rsa', digest: 'sha1' }],
    [`${RSA}.11`, { key: 'rsa', digest: 'sha256' }],
    [`${RSA}.12`, { key: 'rsa', digest: 'sha384' }],
    [`${RSA}.13`, { key: 'rsa', digest: 'sha512' }],
    [`${ECDSA}.1`, { key: 'ec', digest: 'sha1' }],
    [`${ECDSA}.3.2`, { key: 'ec', digest: 'sha256' }],
    [`${ECDSA}.3.3`, { key: 'ec', digest: 'sha384' }],
    [`${ECDSA}.3.4`, { key: 'ec', digest: 'sha512' }],
    ['1.3.101.112', { key: 'ed25519', digest: null }],
  ])
const PSS = `${RSA}.10`
const PSS_DIGESTS: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])

/** The problem with a request (base64 of PEM of PKCS#10), or null. Verifies its signature. */
export function requestProblem(base64: string): string | null {
  try {
    const [info, algorithm, signature] = partsOf(base64)
    const key = subjectKey(info)
    checkSignature(info.whole, algorithm, signature, key)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The subject of a request (base64 of PEM of PKCS#10). Throws Error if it cannot be parsed. */
export function requestSubject(base64: string): RequestSubject {
  const [info] = partsOf(base64)
  return subjectOf(attributesOf(info))
}

/** What a certificate is made of; names are the only extension that is taken from a request. */
export interface RequestContent extends RequestSubject {
  /** Attributes of the subject in order: dotted type and text. */
  readonly subject: readonly (readonly [type: string, text: string])[]
  /** The public key, DER. */
  readonly publicKey: Buffer
  readonly dnsNames: readonly string[]
  readonly emailAddresses: readonly string[]
  /** Addresses of 4 or 16 bytes. */
  readonly ipAddresses: readonly Buffer[]
  readonly uris: readonly string[]
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ALTERNATIVE_NAMES = '2.5.29.17'
/** Tags of alternative names. */
const EMAIL = contextTag(1, false)
const DNS = contextTag(2, false)
const URI = contextTag(6, false)
const IP = contextTag(7, false)

/** Reads a request (base64 of PEM of PKCS#10). Throws Error if it cannot be parsed. */
export function requestContent(base64: string): RequestContent {
  const [info] = partsOf(base64)
  const subject = attributesOf(info)
  const names = alternativeNames(info)
  const texts = (tag: number) =>
    names.filter((one) => one.tag === tag).map(({ content }) => content.toString('latin1'))
  const ipAddresses = names.filter((one) => one.tag === IP).map(({ content }) => content)
  if (ipAddresses.some(({ length }) => length !== 4 && length !== 16)) {
    throw new Error('x509: cannot parse IP address of a subjectAltName')
  }
  return {
    ...subjectOf(subject),
    subject,
    publicKey: need(readDer(info.content)[2], Tag.sequence).whole,
    dnsNames: texts(DNS),
    emailAddresses: texts(EMAIL),
    ipAddresses,
    uris: texts(URI),
  }
}

function subjectOf(subject: RequestContent['subject']): RequestSubject {
  const values = (type: string) => subject.filter(([one]) => one === type).map(([, text]) => text)
  return { commonName: values(COMMON_NAME).at(-1) ?? '', organizations: values(ORGANIZATION) }
}

const attributesOf = (info: DerElement): [type: string, text: string][] =>
  readInside(readDer(info.content)[1], Tag.sequence)
    .flatMap((set) => readInside(set, Tag.set))
    .map((pair) => readInside(pair, Tag.sequence))
    .map(([id, value]) => [readObjectIdentifier(id), textOf(value)])

/** The requested alternative names, of every kind. */
function alternativeNames(info: DerElement): DerElement[] {
  const attributes = readDer(info.content)[3]
  if (attributes?.tag !== contextTag(0, true)) return []
  return readDer(attributes.content)
    .map((attribute) => readInside(attribute, Tag.sequence))
    .filter(([id]) => readObjectIdentifier(id) === EXTENSION_REQUEST)
    .flatMap(([, values]) => readInside(values, Tag.set))
    .flatMap((extensions) => readInside(extensions, Tag.sequence))
    .map((extension) => readInside(extension, Tag.sequence))
    .filter(([id]) => readObjectIdentifier(id) === ALTERNATIVE_NAMES)
    .flatMap((extension) => readDer(need(extension.at(-1), Tag.octetString).content))
    .flatMap((names) => readInside(names, Tag.sequence))
}

/** Tag of the digest in the parameters of RSA-PSS. */
const HASH = contextTag(0, true)
const BMP_STRING = 0x1e

function textOf(element: DerElement | undefined): string {
  if (!element) return ''
  if (element.tag !== BMP_STRING) return element.content.toString('utf8')
  return element.content.length % 2 === 0
    ? Buffer.from(element.content).swap16().toString('utf16le')
    : ''
}

/** The signed part, the algorithm and the signature. */
function partsOf(base64: string): [info: DerElement, algorithm: DerElement, signature: Buffer] {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))
  if (block?.type !== 'CERTIFICATE REQUEST') {
    throw new Error('PEM block type must be CERTIFICATE REQUEST')
  }
  const [outer, ...trailing] = readDer(block.data)
  if (trailing.length > 0) throw new Error('asn1: syntax error: trailing data')
  const [info, algorithm, bits] = readInside(outer, Tag.sequence)
  const { content } = need(bits, Tag.bitString)
  return [need(info, Tag.sequence), need(algorithm, Tag.sequence), content.subarray(1)]
}

function subjectKey(info: DerElement): KeyObject {
  const [version, subject, key] = readDer(info.content)
  need(version, Tag.integer)
  need(subject, Tag.sequence)
  return createPublicKey({ key: need(key, Tag.sequence).whole, format: 'der', type: 'spki' })
}

function checkSignature(
  signed: Buffer,
  algorithm: DerElement,
  signature: Buffer,
  key: KeyObject,
): void {
  const [id, parameters] = readDer(algorithm.content)
  const oid = readObjectIdentifier(id)
  const known = oid === PSS ? { key: 'rsa', digest: pssDigest(parameters) } : ALGORITHMS.get(oid)
  if (!known) throw new Error('x509: cannot verify signature: algorithm unimplemented')
  if (key.asymmetricKeyType !== known.key) {
    throw new Error(
      `x509: signature algorithm specifies an ${known.key} public key, but have public key of type ${key.asymmetricKeyType ?? 'unknown'}`,
    )
  }
  const options =
    oid === PSS
      ? {
          key,
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength: constants.RSA_PSS_SALTLEN_AUTO,
        }
      : key
  if (!verify(known.digest, signed, options, signature)) {
    throw new Error('x509: signature verification failed')
  }
}

/** The digest of RSA-PSS from its parameters: `[0] { SEQUENCE { identifier } }`. */
function pssDigest(parameters: DerElement | undefined): string {
  const explicit = readInside(parameters, Tag.sequence).find(({ tag }) => tag === HASH)
  const [hash] = explicit ? readDer(explicit.content) : []
  const [id] = hash ? readInside(hash, Tag.sequence) : []
  const digest = id && PSS_DIGESTS.get(readObjectIdentifier(id))
  if (!digest) throw new Error('x509: cannot verify signature: algorithm unimplemented')
  return digest
}
