/** Assembles the authenticators from the options. */
import { readFlagFile } from '../base/flag-file.ts'
import { forFlag, forFlagSync } from '../base/plain-reason.ts'
import { authenticationChain, type AuthenticationChain } from '../authn/authenticator-chain.ts'
import { CredentialError } from '../authn/authenticator.ts'
import { authorityNames } from '../authn/authority-names.ts'
import { bootstrapToken } from '../authn/bootstrap-token.ts'
import {
  CaBundle,
  fileSource,
  fixedSource,
  parseBundle,
  type BundleSource,
} from '../authn/ca-bundle.ts'
import { clientCertificate } from '../authn/client-certificate.ts'
import { ConnectionCertificates } from '../authn/connection-certificate.ts'
import type { PublishedOptions } from '../authn/published-configuration.ts'
import {
  checkHeaderNames,
  requestHeader,
  type RequestHeaderNames,
} from '../authn/request-header.ts'
import {
  serviceAccountTokens,
  type ServiceAccountTokens,
} from '../authn/service-account/service-account-tokens.ts'
import { signingKey, verificationKeys } from '../authn/service-account/keys.ts'
import type { LoopbackOptions } from '../authn/loopback-token.ts'
import { tokenFile } from '../authn/token-file.ts'
import type { TokenFinding } from '../registry/tokens.ts'
import type {
  AuthenticationOptions,
  ServiceAccountFiles,
} from './options/authentication-options.ts'
import type { CallObserver } from '../client/json-call.ts'
import type { Clock } from '../base/clock.ts'
import type { Dial } from '../base/dial.ts'
import type { Log } from '../base/log.ts'
import type { Pki } from '../pki/files.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Registry } from '../metrics/registry.ts'
import { observeCertificates, tokenCacheMetrics } from './metrics/authentication-metrics.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Dependencies of authentication. */
export interface AuthenticationParts {
  readonly v: Vocabulary
  readonly clock: Clock
  /** External certificates follow the machine's clock, not that of a test. */
  readonly certificateClock: Clock
  readonly log: Log
  readonly objects: ObjectSource
  readonly pki: Pki
  /** With AlwaysAllow no request may be anonymous. */
  readonly anonymousAllowed: boolean
  /** The server as a client of itself. */
  readonly loopback?: LoopbackOptions
  /** Absent: nothing is measured. */
  readonly metrics?: Registry
  readonly onCall?: CallObserver | undefined
  /** Opens connections to the webhook; without it the platform does. */
  readonly through?: Dial | undefined
}

/** Authentication of a running server. */
export interface Authentication {
  readonly chain: AuthenticationChain
  /** Credentials that clients have presented; read by the listener. */
  readonly certificates: ConnectionCertificates
  readonly serviceAccounts: ServiceAccountTokens
  /** Authorities announced to clients in TLS handshakes, PEM. */
  clientCa(): string
  /** Settings published for aggregated API servers. */
  published(): PublishedOptions
  /** Calls back when they change. */
  onClientCaChange(changed: (pem: string) => void): void
  /** Authenticates a token for a TokenReview. */
  review(token: string, audiences: readonly string[]): Promise<TokenFinding | null>
  close(): Promise<void>
}

/** Reads files and starts watching those that change. Throws an Error when the server cannot start with the options. */
export async function openAuthentication(
  options: AuthenticationOptions,
  parts: AuthenticationParts,
): Promise<Authentication> {
  const closers: Closers = []
  const close = async () => {
    for (const end of closers.splice(0)) await end()
  }
  try {
    const sources = await openSources(options, parts, closers)
    const chain = await openChain(options, { ...parts, ...sources, closers })
    return { ...viewOf(sources, chain), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Stops the parts that were opened. */
type Closers = (() => unknown)[]

/** Where identities come from that more than one authenticator, or the listener, reads. */
interface Sources {
  readonly certificates: ConnectionCertificates
  readonly bundle: CaBundle
  readonly proxy: Awaited<ReturnType<typeof frontProxy>>
  readonly serviceAccounts: ServiceAccountTokens
}

async function openSources(
  options: AuthenticationOptions,
  parts: AuthenticationParts,
  closers: Closers,
): Promise<Sources> {
  const { certificateClock: clock, log, pki } = parts
  const bundle = await forFlag('client-ca-file', () =>
    CaBundle.open({ source: authorities(options, pki), clock, log }),
  )
  closers.push(() => bundle.close())
  const proxy = await frontProxy(options, parts)
  if (proxy) closers.push(() => proxy.bundle.close())
  const serviceAccounts = await openServiceAccounts(options, parts)
  return { certificates: new ConnectionCertificates(), bundle, proxy, serviceAccounts }
}

async function openChain(
  options: AuthenticationOptions,
  parts: AuthenticationParts & Sources & { readonly closers: Closers },
): Promise<AuthenticationChain> {
  const { v, clock, certificateClock, certificates, bundle, proxy, serviceAccounts, metrics } =
    parts
  return authenticationChain({
    v,
    clock,
    apiAudiences: serviceAccounts.audiences,
    tokens: await openTokens(options, parts),
    ...(parts.loopback ? { loopback: parts.loopback } : {}),
    ...(proxy
      ? {
          requestHeader: {
            authenticator: requestHeader({ ...proxy, certificates, clock: certificateClock }),
            names: proxy.names,
          },
        }
      : {}),
    clientCertificate: clientCertificate({
      bundle,
      certificates,
      clock: certificateClock,
      ...(metrics ? { observe: observeCertificates(metrics) } : {}),
    }),
    ...(metrics ? { tokenCacheMetrics: tokenCacheMetrics(metrics) } : {}),
    anonymous: (options.anonymous ?? true) && parts.anonymousAllowed,
  })
}

async function openTokens(
  options: AuthenticationOptions,
  parts: AuthenticationParts & Sources & { readonly closers: Closers },
): Promise<NonNullable<Parameters<typeof authenticationChain>[0]['tokens']>> {
  const { v, clock, log, objects, serviceAccounts, closers } = parts
  const { tokenAuthFile: path, bootstrapTokens = true } = options
  const oidc = options.oidc && (await openProvider(options.oidc, parts))
  if (oidc) closers.push(() => oidc.close())
  const webhook = options.webhook && (await openWebhook(options.webhook, parts, serviceAccounts))
  if (webhook) closers.push(() => webhook.close())
  const file =
    path === undefined
      ? null
      : tokenFile({
          path,
          text: await readFlagFile('token-auth-file', path),
          warn: (text) => log.warn(text),
        })
  return {
    ...(file ? { file } : {}),
    serviceAccounts: serviceAccounts.authenticators,
    ...(bootstrapTokens ? { bootstrap: bootstrapToken({ objects, v, clock, log }) } : {}),
    ...(oidc ? { oidc } : {}),
    ...(webhook ? { webhook: webhook.authenticator } : {}),
  }
}

function viewOf(
  { certificates, bundle, proxy, serviceAccounts }: Sources,
  chain: AuthenticationChain,
): Omit<Authentication, 'close'> {
  const clientCa = () => authorityNames(proxy ? `${bundle.pem}\n${proxy.bundle.pem}` : bundle.pem)
  return {
    chain,
    certificates,
    serviceAccounts,
    clientCa,
    published: () => ({
      clientCa: bundle.pem,
      ...(proxy
        ? {
            requestHeader: {
              ca: proxy.bundle.pem,
              names: proxy.names,
              allowedNames: proxy.allowedNames,
            },
          }
        : {}),
    }),
    onClientCaChange(changed) {
      bundle.onChange(() => changed(clientCa()))
      proxy?.bundle.onChange(() => changed(clientCa()))
    },
    review: (token, audiences) => reviewed(chain, token, audiences),
  }
}

/** The server's own authority is added to those of the file: it signs the administrator's certificate. */
function authorities({ clientCaFile }: AuthenticationOptions, pki: Pki): BundleSource {
  if (clientCaFile === undefined || clientCaFile === '') {
    return fixedSource('the server’s own authority', pki.ca)
  }
  const file = fileSource(clientCaFile)
  return {
    ...file,
    async read() {
      const pem = await file.read()
      // Our own authority would hide that the file has none.
      parseBundle(pem)
      return `${pem}\n${pki.ca}`
    },
  }
}

async function frontProxy(
  { requestHeader: options }: AuthenticationOptions,
  { certificateClock: clock, log }: AuthenticationParts,
) {
  if (!options || options.clientCaFile === '') return null
  const { usernameHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = options
  const names: RequestHeaderNames = { usernameHeaders, groupHeaders, extraHeaderPrefixes }
  const { allowedNames = [] } = options
  checkHeaderNames('requestheader-username-headers', usernameHeaders)
  checkHeaderNames('requestheader-group-headers', groupHeaders)
  checkHeaderNames('requestheader-extra-headers-prefix', extraHeaderPrefixes)
  checkHeaderNames('requestheader-allowed-names', allowedNames)
  const source = fileSource(options.clientCaFile)
  const bundle = await forFlag('requestheader-client-ca-file', () =>
    CaBundle.open({ source, clock, log }),
  )
  return { names, allowedNames, bundle }
}

async function openServiceAccounts(
  { serviceAccounts: files = {}, apiAudiences = [] }: AuthenticationOptions,
  { v, clock, objects, pki }: AuthenticationParts,
): Promise<ServiceAccountTokens> {
  const { signingKey, keys } = await keysOf(files, pki)
  return serviceAccountTokens(
    {
      issuers: files.issuers?.length ? files.issuers : [v.resolve('https://{brand}.default.svc')],
      keys,
      signingKey,
      apiAudiences,
      ...(files.jwksUri === undefined ? {} : { jwksUri: files.jwksUri }),
      ...(files.lookup === undefined ? {} : { lookup: files.lookup }),
      ...(files.maxExpirationSeconds === undefined
        ? {}
        : { maxExpirationSeconds: files.maxExpirationSeconds }),
      ...(files.extendExpiration === undefined ? {} : { extendExpiration: files.extendExpiration }),
    },
    { v, clock, objects },
  )
}

async function keysOf({ keyFiles = [], signingKeyFile = '' }: ServiceAccountFiles, pki: Pki) {
  const read = async (flag: string, path: string, check: (pem: string) => unknown) => {
    const pem = await readFlagFile(flag, path)
    forFlagSync(`${flag}: ${path}`, () => check(pem))
    return pem
  }
  const signer = 'service-account-signing-key-file'
  const privateKey =
    signingKeyFile === '' ? pki.saPrivateKey : await read(signer, signingKeyFile, signingKey)
  const reading = keyFiles.map((path) =>
    read('service-account-key-file', path, (pem) => verificationKeys([pem])),
  )
  if (reading.length > 0) return { signingKey: privateKey, keys: await Promise.all(reading) }
  return { signingKey: privateKey, keys: [signingKeyFile === '' ? pki.saPublicKey : privateKey] }
}

async function openProvider(
  options: NonNullable<AuthenticationOptions['oidc']>,
  { clock, log }: AuthenticationParts,
) {
  const { openOidc } = await import('../authn/oidc/oidc.ts')
  return openOidc(options, { clock, log })
}

async function openWebhook(
  options: NonNullable<AuthenticationOptions['webhook']>,
  { v, clock, log, onCall, metrics, through }: AuthenticationParts,
  { audiences }: ServiceAccountTokens,
) {
  const { webhookToken } = await import('../authn/webhook-token.ts')
  const { configuredClient } = await import('./webhook-client.ts')
  const client = await forFlag('authentication-token-webhook-config-file', () =>
    configuredClient(options.configFile, { v, clock, onCall, metrics, through }),
  )
  const authenticator = webhookToken({
    client,
    v,
    clock,
    log,
    apiAudiences: audiences,
    ...(options.version === undefined ? {} : { version: options.version }),
    ...(options.cacheTtlMs === undefined ? {} : { cacheTtlMs: options.cacheTtlMs }),
  })
  return { authenticator, close: () => client.close() }
}

async function reviewed(
  chain: AuthenticationChain,
  token: string,
  audiences: readonly string[],
): Promise<TokenFinding | null> {
  const context = { audiences, annotate: () => {}, warn: () => {} }
  try {
    const found = await chain.authenticateToken(token, context)
    return found && { user: found.user, audiences: found.audiences }
  } catch (error) {
    if (error instanceof CredentialError) return { error: error.message }
    throw error
  }
}
