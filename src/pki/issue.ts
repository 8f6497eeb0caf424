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
import { isIP } from 'node:net'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'
import type { Issued, Subject } from './subject.ts'

const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const SHA256_WITH_RSA = '1.2.840.113549.1.1.11'
const DER_NULL = Uint8Array.of(5, 0).buffer

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
  const publicKey = AsnConvert.parse(
    pair.publicKey.export({ type: 'spki', format: 'der' }),
    SubjectPublicKeyInfo,
  )
  const subject = nameOf(options.subject)
  const keyId = keyIdOf(publicKey)
  // What the issuer calls itself is taken from its certificate: it must be the same to the byte.
  const issuer = options.issuer ? issuerOf(options.issuer.cert) : { name: subject, keyId }
  const signer = options.issuer ? createPrivateKey(options.issuer.key) : pair.privateKey
  const signature = algorithmOf(signer)
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: newSerial(),
    signature,
    issuer: issuer.name,
    validity: new Validity({
      notBefore: new Date(options.notBeforeMs),
      notAfter: new Date(options.notAfterMs),
    }),
    subject,
    subjectPublicKeyInfo: publicKey,
    extensions: new Extensions(extensionsOf(options, keyId, issuer.keyId)),
  })
  const signed = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), signer)
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: signature,
    signatureValue: exact(signed),
  })
  return {
    cert: new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString(),
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

function issuerOf(pem: string): { name: Name; keyId: ArrayBuffer } {
  const { tbsCertificate } = AsnConvert.parse(new X509Certificate(pem).raw, Certificate)
  const own = tbsCertificate.extensions?.find((e) => e.extnID === id_ce_subjectKeyIdentifier)
  return {
    name: tbsCertificate.subject,
    keyId: own
      ? AsnConvert.parse(own.extnValue.buffer, SubjectKeyIdentifier).buffer
      : keyIdOf(tbsCertificate.subjectPublicKeyInfo),
  }
}

function algorithmOf(key: KeyObject): AlgorithmIdentifier {
  switch (key.asymmetricKeyType) {
    case 'ec':
      return new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 })
    case 'rsa':
      return new AlgorithmIdentifier({ algorithm: SHA256_WITH_RSA, parameters: DER_NULL })
    default:
      throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType}: use EC or RSA`)
  }
}

/** RFC 5280 4.2.1.2, first method. */
const keyIdOf = (key: SubjectPublicKeyInfo): ArrayBuffer =>
  exact(createHash('sha1').update(new Uint8Array(key.subjectPublicKey)).digest())

/** Positive and at most 20 bytes, as RFC 5280 asks. */
function newSerial(): ArrayBuffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return exact(bytes)
}

function nameOf({ commonName, organization }: Subject): Name {
  const part = (type: string, utf8String: string) =>
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String }) }),
    ])
  return new Name([
    ...(organization === undefined ? [] : [part(ORGANIZATION, organization)]),
    part(COMMON_NAME, commonName),
  ])
}

function extensionsOf(options: IssueOptions, own: ArrayBuffer, issuer: ArrayBuffer): Extension[] {
  const { use, hosts = [] } = options
  const extension = (extnID: string, critical: boolean, value: unknown) =>
    new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })
  const isAuthority = use === 'authority'
  const usage = isAuthority
    ? KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature | KeyUsageFlags.cRLSign
    : KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment
  const list = [
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: isAuthority })),
    extension(id_ce_keyUsage, true, new KeyUsage(usage)),
    extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(own)),
    extension(
      id_ce_authorityKeyIdentifier,
      false,
      new AuthorityKeyIdentifier({ keyIdentifier: new SubjectKeyIdentifier(issuer) }),
    ),
  ]
  if (!isAuthority) {
    const purpose = use === 'server' ? id_kp_serverAuth : id_kp_clientAuth
    list.push(extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([purpose])))
  }
  if (hosts.length > 0) {
    const names = hosts.map(
      (host) => new GeneralName(isIP(host) === 0 ? { dNSName: host } : { iPAddress: host }),
    )
    list.push(extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names)))
  }
  return list
}

/** A buffer of just these bytes: small Buffers share a larger one. */
const exact = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer
