import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import {
  contextTag,
  need,
  readDer,
  readInside,
  readObjectIdentifier,
  readSmallInteger,
  Tag,
  type DerElement,
} from '../../base/der.ts'
import {
  distinguishedName,
  namesIn,
  type AlternativeNames,
  type Attributes,
} from '../../base/certificate-names.ts'
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

/** The problem with a request (base64 of PEM of PKCS#10), or null. Reads all that signers use, and verifies its signature. */
export function requestProblem(base64: string): string | null {
  try {
    const request = readRequest(base64)
    const key = createPublicKey({ key: request.content.publicKey, format: 'der', type: 'spki' })
    checkSignature(request, key)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The subject of a request (base64 of PEM of PKCS#10). Throws Error if it cannot be parsed. */
export function requestSubject(base64: string): RequestSubject {
  const { commonName, organizations } = readRequest(base64).content
  return { commonName, organizations }
}

/** What a certificate is made of; names are the only extension that is taken from a request. */
export interface RequestContent extends RequestSubject, AlternativeNames {
  readonly subject: Attributes
  /** The public key, DER. */
  readonly publicKey: Buffer
}

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14'
const ALTERNATIVE_NAMES = '2.5.29.17'

/** Reads a request (base64 of PEM of PKCS#10). Throws Error if it cannot be parsed. */
export const requestContent = (base64: string): RequestContent => readRequest(base64).content

/** A request that was read once: what is checked is what is signed. */
interface ReadRequest {
  readonly content: RequestContent
  /** The bytes that the requester signed. */
  readonly signed: Buffer
  readonly algorithm: DerElement
  readonly signature: Buffer
}

function readRequest(base64: string): ReadRequest {
  const [block] = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))
  if (block?.type !== 'CERTIFICATE REQUEST') {
    throw new Error('PEM block type must be CERTIFICATE REQUEST')
  }
  const [outer, ...trailing] = readDer(block.data)
  if (trailing.length > 0) throw new Error('asn1: syntax error: trailing data')
  const [info, algorithm, bits, ...others] = readInside(outer, Tag.sequence)
  if (others.length > 0) throw new Error('asn1: syntax error: trailing data')
  const { content: signature } = need(bits, Tag.bitString)
  return {
    content: contentOf(need(info, Tag.sequence)),
    signed: info!.whole,
    algorithm: need(algorithm, Tag.sequence),
    signature: signature.subarray(1),
  }
}

function contentOf(info: DerElement): RequestContent {
  const [version, name, key, attributes, ...others] = readDer(info.content)
  readSmallInteger(version)
  const subject = distinguishedName(need(name, Tag.sequence))
  const publicKey = need(key, Tag.sequence).whole
  if (others.length > 0) throw new Error('asn1: syntax error: trailing data')
  return { ...subjectOf(subject), subject, publicKey, ...alternativeNames(attributes) }
}

function subjectOf(subject: RequestContent['subject']): RequestSubject {
  const values = (type: string) => subject.filter(([one]) => one === type).map(([, text]) => text)
  return { commonName: values(COMMON_NAME).at(-1) ?? '', organizations: values(ORGANIZATION) }
}

/** The requested alternative names of the kinds that certificates get. */
function alternativeNames(attributes: DerElement | undefined): AlternativeNames {
  const [extension] = requestedExtensions(attributes).filter(([id]) => id === ALTERNATIVE_NAMES)
  return namesIn(extension?.[1] ?? Buffer.alloc(0))
}

/** The extensions that a request asks for, each at most once: object identifier and value. */
function requestedExtensions(
  attributes: DerElement | undefined,
): readonly (readonly [id: string, value: Buffer])[] {
  if (!attributes) return []
  const lists = readInside(attributes, contextTag(0, true))
    .map((attribute) => readInside(attribute, Tag.sequence))
    .filter(([id]) => readObjectIdentifier(id) === EXTENSION_REQUEST)
    .flatMap(([, values]) => readInside(values, Tag.set))
  const extensions = lists
    .flatMap((list) => readInside(list, Tag.sequence))
    .map((extension) => readInside(extension, Tag.sequence))
    .map(
      (parts) =>
        [readObjectIdentifier(parts[0]), need(parts.at(-1), Tag.octetString).content] as const,
    )
  if (lists.length > 1 || new Set(extensions.map(([id]) => id)).size < extensions.length)
    throw new Error('x509: certificate request contains duplicate requested extensions')
  return extensions
}

/** Tag of the digest in the parameters of RSA-PSS. */
const HASH = contextTag(0, true)
function checkSignature({ signed, algorithm, signature }: ReadRequest, key: KeyObject): void {
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
