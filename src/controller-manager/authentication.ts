/** Who makes a request to the port of this program. */
import { anonymous } from '../authn/anonymous.ts'
import type {
  Credentials,
  AuthenticatedUser,
  RequestAuthenticator,
  TokenAuthenticator,
} from '../authn/authenticator.ts'
import { authorityNames } from '../authn/authority-names.ts'
import { bearer } from '../authn/bearer.ts'
import { CaBundle, fileSource, fixedSource } from '../authn/ca-bundle.ts'
import { clientCertificate } from '../authn/client-certificate.ts'
import { ConnectionCertificates } from '../authn/connection-certificate.ts'
import { requestHeader } from '../authn/request-header.ts'
import { requestUnion, unlessFailed, withAuthenticatedGroup } from '../authn/request-union.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { forFlag, plainReason } from '../base/plain-reason.ts'
import type { Published, PublishedAuthentication } from './published-authentication.ts'

/** How users are known, beside their tokens. */
export interface PortAuthenticationOptions {
  /** Authorities of client certificates; empty: those of `published`, if there are any. */
  readonly clientCaFile: string
  /** Proxies that authenticate users; without a file those of `published`, if there are any. */
  readonly requestHeader: {
    readonly clientCaFile: string
    readonly usernameHeaders: readonly string[]
    readonly groupHeaders: readonly string[]
    readonly extraHeaderPrefixes: readonly string[]
    readonly allowedNames: readonly string[]
  }
  /** What the servers of the cluster publish; null: that does not count. */
  readonly published: PublishedAuthentication | null
}

interface PortAuthenticationParts {
  readonly tokens: TokenAuthenticator
  readonly clock: Clock
  readonly log: Log
}

/** The authentication of a port. */
export interface PortAuthentication {
  readonly certificates: ConnectionCertificates
  /** Rejects when a credential does not hold. */
  userOf(request: Credentials): Promise<AuthenticatedUser>
  /** Authorities announced to clients, PEM. */
  clientCa(): string
  onClientCaChange(call: () => void): void
  close(): Promise<void>
}

/** What authenticates beside tokens. */
interface Authorities {
  readonly clients: CaBundle | null
  readonly proxies: CaBundle | null
  readonly members: readonly RequestAuthenticator[]
}

/** Reads files and what is published. Rejects with an Error that names the flag of a broken file. */
export async function openPortAuthentication(
  options: PortAuthenticationOptions,
  parts: PortAuthenticationParts,
): Promise<PortAuthentication> {
  const { published } = options
  const certificates = new ConnectionCertificates()
  let authorities = await opened(options, published?.current ?? {}, { ...parts, certificates })
  let chain = chainOf(authorities, parts.tokens)
  const listeners: (() => void)[] = []
  const changed = () => {
    for (const call of listeners) call()
  }
  const follow = ({ clients, proxies }: Authorities) => {
    clients?.onChange(changed)
    proxies?.onChange(changed)
  }
  follow(authorities)
  let last = Promise.resolve()
  const renew = async () => {
    try {
      const next = await opened(options, published!.current, { ...parts, certificates })
      closeAll(authorities)
      authorities = next
      chain = chainOf(next, parts.tokens)
      follow(next)
      changed()
    } catch (error) {
      parts.log.warn('what is published about authentication cannot be used', {
        error: plainReason(error),
      })
    }
  }
  published?.onChange(() => {
    last = last.then(renew)
  })
  return {
    certificates,
    async userOf(request) {
      const context = { audiences: [], annotate: () => {}, warn: () => {} }
      const found = await chain.authenticateRequest(request, context)
      // Who shows nothing is anonymous.
      return found!.user
    },
    clientCa: () =>
      authorityNames(
        [authorities.clients, authorities.proxies].map((bundle) => bundle?.pem ?? '').join('\n'),
      ),
    onClientCaChange: (call) => void listeners.push(call),
    async close() {
      await published?.stop()
      await last
      closeAll(authorities)
    },
  }
}

const closeAll = ({ clients, proxies }: Authorities): void => {
  clients?.close()
  proxies?.close()
}

const chainOf = ({ members }: Authorities, tokens: TokenAuthenticator): RequestAuthenticator =>
  unlessFailed(withAuthenticatedGroup(requestUnion([...members, bearer(tokens)])), anonymous)

type OpenParts = Omit<PortAuthenticationParts, 'tokens'> & {
  readonly certificates: ConnectionCertificates
}

async function opened(
  options: PortAuthenticationOptions,
  published: Published,
  { clock, log, certificates }: OpenParts,
): Promise<Authorities> {
  const bundleOf = async (flag: string, path: string) => {
    if (path !== '')
      return forFlag(flag, () => CaBundle.open({ source: fileSource(path), clock, log }))
    const pem = valueOf(published, flag)
    if (pem === '') return null
    return CaBundle.open({ source: fixedSource(`the published ${flag}`, pem), clock, log })
  }
  const proxies = await bundleOf('requestheader-client-ca-file', options.requestHeader.clientCaFile)
  const clients = await bundleOf('client-ca-file', options.clientCaFile)
  const proxy =
    options.requestHeader.clientCaFile === '' ? namesIn(published) : options.requestHeader
  return {
    clients,
    proxies,
    members: [
      ...(proxies
        ? [
            requestHeader({
              ...{ bundle: proxies, certificates, clock, names: proxy },
              allowedNames: proxy.allowedNames,
            }),
          ]
        : []),
      ...(clients ? [clientCertificate({ bundle: clients, certificates, clock })] : []),
    ],
  }
}

const namesIn = (published: Published) => ({
  usernameHeaders: listIn(published, 'requestheader-username-headers'),
  groupHeaders: listIn(published, 'requestheader-group-headers'),
  extraHeaderPrefixes: listIn(published, 'requestheader-extra-headers-prefix'),
  allowedNames: listIn(published, 'requestheader-allowed-names'),
})

const valueOf = (published: Published, key: string): string =>
  Object.hasOwn(published, key) ? published[key]! : ''

/** Throws an Error when it is no list of texts: an empty one would allow all. */
function listIn(published: Published, key: string): readonly string[] {
  const text = valueOf(published, key)
  if (text === '') return []
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list) || !list.every((one): one is string => typeof one === 'string'))
    throw new Error(`${key} is no list of texts`)
  return list
}
