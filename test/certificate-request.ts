/** Certificate requests, made by openssl. */
import { generateKeyPairSync } from 'node:crypto'
import { openssl } from './openssl.ts'

export interface RequestOptions {
  /** Such as `/O=system:nodes/CN=system:node:n1`. */
  readonly subject: string
  /** Such as `DNS:a.example,IP:10.0.0.1`. */
  readonly names?: string
  readonly keyType?: 'ec' | 'rsa'
}

/** A request with its key, PEM. */
export interface MadeRequest {
  readonly request: string
  readonly key: string
}

export async function certificateRequest(options: RequestOptions): Promise<MadeRequest> {
  const { subject, names, keyType = 'ec' } = options
  const { privateKey } =
    keyType === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const added = names === undefined ? [] : ['-addext', `subjectAltName=${names}`]
  const args = ['req', '-new', '-utf8', '-key', '{key}', '-subj', subject, ...added]
  return { request: await openssl(args, { key }), key }
}

/** The object that asks a signer for a certificate. */
export const signingRequest = (
  name: string,
  { request }: Pick<MadeRequest, 'request'>,
  spec: { readonly signerName: string; readonly usages: readonly string[] },
) => ({
  metadata: { name },
  spec: { request: Buffer.from(request).toString('base64'), ...spec },
})
