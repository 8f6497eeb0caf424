/** Makes X.509 certificates (RFC 5280). Loaded only when something must be issued. */
import { createPrivateKey, createPublicKey, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
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
import { createHash } from 'node:crypto'

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2'
const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
// Clocks of clients may be behind ours.
const BACKDATE_MS = 5 * 60_000

export interface Subject {
  readonly commonName: string
  readonly organizations?: readonly string[]
}

export interface Issued {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface IssueOptions {
  readonly subject: Subject
  readonly nowMs: number
  readonly lifetimeMs: number
  readonly use: 'authority' | 'server' | 'client'
  /** Names and addresses of a server. */
  readonly hosts?: readonly string[]
  /** Authority that signs; itself when absent. */
  readonly issuer?: Issued & { readonly subject: Subject }
}

/** A new P-256 key pair, PEM. */
export function newKeyPair(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** A certificate for a new P-256 key. */
export function issue(options: IssueOptions): Issued {
  const pair = newKeyPair()
  const publicKey = createPublicKey(pair.publicKey)
  const signer = createPrivateKey(options.issuer?.key ?? pair.privateKey)
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 })
  const tbs = new TBSCertificate({
    version: Version.v3,
    serialNumber: serial(),
    signature: algorithm,
    issuer: nameOf(options.issuer?.subject ?? options.subject),
    validity: new Validity({
      notBefore: new Date(options.nowMs - BACKDATE_MS),
      notAfter: new Date(options.nowMs + options.lifetimeMs),
    }),
    subject: nameOf(options.subject),
    subjectPublicKeyInfo: AsnConvert.parse(spki, SubjectPublicKeyInfo),
    extensions: new Extensions(extensionsOf(options, spki)),
  })
  return { cert: pem(sign(tbs, algorithm, signer)), key: pair.privateKey }
}

function sign(tbs: TBSCertificate, algorithm: AlgorithmIdentifier, key: KeyObject): ArrayBuffer {
  const signature = createSign('sha256').update(Buffer.from(AsnConvert.serialize(tbs))).sign(key)
  const certificate = new Certificate({
    tbsCertificate: tbs,
    signatureAlgorithm: algorithm,
    signatureValue: Uint8Array.from(signature).buffer,
  })
  return AsnConvert.serialize(certificate)
}

/** Positive and at most 20 bytes, as RFC 5280 asks. */
function serial(): ArrayBuffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x7f) | 0x40
  return Uint8Array.from(bytes).buffer
}

function nameOf({ commonName, organizations = [] }: Subject): Name {
  const part = (type: string, value: string) =>
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type, value: new AttributeValue({ utf8String: value }) }),
    ])
  return new Name([...organizations.map((o) => part(ORGANIZATION, o)), part(COMMON_NAME, commonName)])
}

function extensionsOf(options: IssueOptions, spki: Buffer): Extension[] {
  const { use, hosts = [] } = options
  const extension = (id: string, critical: boolean, value: unknown) =>
    new Extension({ extnID: id, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })
  const authority = use === 'authority'
  const list = [
    extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: authority })),
    extension(
      id_ce_keyUsage,
      true,
      new KeyUsage(
        authority
          ? KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature | KeyUsageFlags.cRLSign
          : KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment,
      ),
    ),
  ]
  if (authority) {
    const id = createHash('sha1').update(spki).digest()
    list.push(extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(Uint8Array.from(id).buffer)))
  } else {
    const purpose = use === 'server' ? id_kp_serverAuth : id_kp_clientAuth
    list.push(extension(id_ce_extKeyUsage, false, new ExtendedKeyUsage([purpose])))
  }
  if (hosts.length > 0) {
    const names = hosts.map((host) =>
      isIP(host) === 0 ? new GeneralName({ dNSName: host }) : new GeneralName({ iPAddress: host }),
    )
    list.push(extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names)))
  }
  return list
}

function pem(der: ArrayBuffer): string {
  const text = Buffer.from(der).toString('base64').replaceAll(/.{64}/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${text}${text.endsWith('\n') ? '' : '\n'}-----END CERTIFICATE-----\n`
}

