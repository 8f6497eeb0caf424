import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ClientConfig } from './client-config.ts'
import { FreshFile } from './fresh-file.ts'

/** A certificate and its key, PEM, or neither. */
export interface CertificatePair {
  readonly cert?: string
  readonly key?: string
}

/** Certificate and key, reloaded when both files have changed to a new pair. Throws when they are invalid at first. */
export function certificatePair({
  cert,
  key,
  certFile,
  keyFile,
}: ClientConfig): () => Promise<CertificatePair> {
  if (cert === undefined || key === undefined) return () => Promise.resolve({})
  checkPair(cert, key)
  let pair: CertificatePair = { cert, key }
  if (certFile === undefined || keyFile === undefined) return () => Promise.resolve(pair)
  const files = [new FreshFile(certFile), new FreshFile(keyFile)] as const
  return async () => {
    try {
      const cert = await files[0].text()
      const key = await files[1].text()
      if (cert === pair.cert && key === pair.key) return pair
      checkPair(cert, key)
      pair = { cert, key }
    } catch {
      // Between the change of one and of the other, the old pair is still good.
    }
    return pair
  }
}

/** Throws when a certificate and a key do not belong together, or cannot be read. */
export function checkPair(cert: string, key: string): void {
  let belong: boolean
  try {
    belong = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    // The error thrown could reveal the key.
    throw new Error('the client certificate or its key cannot be read')
  }
  if (!belong) throw new Error('the client certificate and its key do not belong together')
}
