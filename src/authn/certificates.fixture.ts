/** Certificates of every kind, also invalid ones. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  NameConstraints,
  GeneralSubtree,
  GeneralSubtrees,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'

/** When certificates are tried; those made without times hold then. */
export const NOW = Date.parse('2024-01-02T03:04:05Z')
export const DAY_MS = 86_400_000

export interface IssuedCertificate {
  readonly pem: string
  readonly key: string
  readonly certificate: X509Certificate
  readonly subject: Name
}

export interface MakeOptions {
  /** `CN=x` and `O=y`, in order. */
  readonly subject: readonly string[]
  /** Signs itself when absent. */
  readonly issuer?: IssuedCertificate
  readonly authority?: boolean
  readonly pathLength?: number
  /** Absent: no limit. */
  readonly uses?: readonly ('client' | 'server')[]
  readonly notBeforeMs?: number
  readonly notAfterMs?: number
  readonly alternativeName?: string
  readonly permittedName?: string
  readonly unknownCritical?: boolean
  /** An extension that nobody knows and nobody must. */
  readonly unknownPlain?: boolean
  /** An authority whose key usage does not include certificates. */
  readonly signsNoCertificates?: boolean
  /** Basic constraints and key usage may be ignored by those who do not know them. */
  readonly lenient?: boolean
  readonly digest?: 'sha1' | 'sha256'
  /** Takes the place of the issuer's key. */
  readonly signer?: string
  /** Of the certificate itself; a new one when absent. */
  readonly key?: string
  /** Type of the new key; P-256 when absent. */
  readonly keyType?: KeyType
  readonly serial?: number
  readonly keyId?: readonly number[]
}

export type KeyType = 'ec' | 'rsa' | 'ed25519'

const newKey: Record<KeyType, () => KeyObject> = {
  ec: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ed25519: () => generateKeyPairSync('ed25519').privateKey,
}

const TYPES: Record<string, string> = { CN: '2.5.4.3', O: '2.5.4.10' }
const SIGNATURES: Record<string, Record<'sha1' | 'sha256', string>> = {
  ec: { sha1: '1.2.840.10045.4.1', sha256: '1.2.840.10045.4.3.2' },
  rsa: { sha1: '1.2.840.113549.1.1.5', sha256: '1.2.840.113549.1.1.11' },
  ed25519: { sha1: '1.3.101.112', sha256: '1.3.101.112' },
}

export function make(options: MakeOptions): IssuedCertificate {
  const privateKey = options.key ? createPrivateKey(options.key) : newKey[options.keyType ?? 'ec']()
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const subject = new Name(
    options.subject.map((part) => {
      const [type = '', ...text] = part.split('=')
      const value = new AttributeValue({ utf8String: text.join('=') })
      return new RelativeDistinguishedName([
        new AttributeTypeAndValue({ type: TYPES[type]!, value }),
      ])
    }),
  )
  const signer = createPrivateKey(options.signer ?? options.issuer?.key ?? key)
  const signerType = signer.asymmetricKeyType!
  const signature = new AlgorithmIdentifier({
    algorithm: SIGNATURES[signerType]![options.digest ?? 'sha256'],
    ...(signerType === 'rsa' ? { parameters: exact(Buffer.of(5, 0)) } : {}),
  })
  const extensions = extensionsOf(options)
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: exact(
      options.serial === undefined
        ? Buffer.concat([Buffer.of(0x40), randomBytes(8)])
        : Buffer.of(options.serial),
    ),
    signature,
    issuer: options.issuer?.subject ?? subject,
    validity: new Validity({
      notBefore: new Date(options.notBeforeMs ?? NOW - DAY_MS),
      notAfter: new Date(options.notAfterMs ?? NOW + DAY_MS),
    }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(
      createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
      SubjectPublicKeyInfo,
    ),
    ...(extensions.length > 0 ? { extensions: new Extensions(extensions) } : {}),
  })
  const signed = sign(
    signerType === 'ed25519' ? null : (options.digest ?? 'sha256'),
    Buffer.from(AsnConvert.serialize(tbsCertificate)),
    signer,
  )
  const der = AsnConvert.serialize(
    new Certificate({
      tbsCertificate,
      signatureAlgorithm: signature,
      signatureValue: exact(signed),
    }),
  )
  const certificate = new X509Certificate(Buffer.from(der))
  return {
    pem: certificate.toString(),
    key,
    certificate,
    subject,
  }
}

function extensionsOf(options: MakeOptions): Extension[] {
  const list: Extension[] = []
  const add = (extnID: string, critical: boolean, value: unknown) =>
    list.push(
      new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) }),
    )
  const { authority, pathLength, uses, alternativeName, permittedName, keyId } = options
  if (authority !== undefined) {
    const length = pathLength === undefined ? {} : { pathLenConstraint: pathLength }
    const critical = options.lenient !== true
    add(id_ce_basicConstraints, critical, new BasicConstraints({ cA: authority, ...length }))
    const signs = authority && options.signsNoCertificates !== true
    const usage = signs ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature
    add(id_ce_keyUsage, critical, new KeyUsage(usage))
  }
  if (uses) {
    const ids = uses.map((use) => (use === 'client' ? id_kp_clientAuth : id_kp_serverAuth))
    add(id_ce_extKeyUsage, false, new ExtendedKeyUsage(ids))
  }
  if (alternativeName !== undefined) {
    const name = new GeneralName({ dNSName: alternativeName })
    add(id_ce_subjectAltName, false, new SubjectAlternativeName([name]))
  }
  if (permittedName !== undefined) {
    const base = new GeneralName({ dNSName: permittedName })
    const permittedSubtrees = new GeneralSubtrees([new GeneralSubtree({ base })])
    add(id_ce_nameConstraints, true, new NameConstraints({ permittedSubtrees }))
  }
  if (keyId) {
    add(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(exact(Buffer.from(keyId))))
  }
  if (options.unknownCritical) add('1.2.3.4', true, new KeyUsage(1))
  if (options.unknownPlain) add('1.2.3.5', false, new KeyUsage(1))
  return list
}

const exact = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

/** A connection whose client showed these certificates, its own first; none: it showed nothing. */
export function socketWith(...sent: readonly IssuedCertificate[]): TLSSocket {
  // A fresh copy: which certificate follows depends on the connection.
  const copies = sent.map(({ pem }) => new X509Certificate(pem))
  for (const [index, copy] of copies.entries()) {
    Object.defineProperty(copy, 'issuerCertificate', { value: copies[index + 1] })
  }
  return { getPeerX509Certificate: () => copies[0] } as unknown as TLSSocket
}
