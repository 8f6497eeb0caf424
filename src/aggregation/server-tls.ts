import type { APIService } from '../kinds/apiregistration/api-service.ts'

/** How the certificate of the server is verified. */
export function serverTls({ spec }: APIService) {
  const { service, caBundle, insecureSkipTLSVerify = false } = spec
  return {
    serverName: `${service?.name ?? ''}.${service?.namespace ?? ''}.svc`,
    verified: !insecureSkipTLSVerify,
    ...(caBundle === undefined || caBundle === ''
      ? {}
      : { ca: Buffer.from(caBundle, 'base64').toString('utf8') }),
  }
}
