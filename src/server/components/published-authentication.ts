import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Authentication } from '../open-authentication.ts'
import { publishedConfiguration, type PublishedData } from '../../authn/published-configuration.ts'
import { EXTRA_HEADER_PREFIX, GROUP_HEADER, USER_HEADER } from '../../http/identity-headers.ts'
import { publishAuthentication } from '../bootstrap/authentication-config.ts'
import type { Settings } from '../settings.ts'
import type { Aggregation } from './aggregation.ts'
import { component } from './component.ts'

/** Publication of the authentication configuration. */
export interface PublishedAuthentication {
  /** Resolves when the publication at the start has finished or failed. */
  readonly settled: Promise<void>
}

/** Publishes the authentication configuration for extension servers, now and on every change, in the background. */
export const publishedAuthentication = (settings: Settings) =>
  component({
    name: 'publishedAuthentication',
    needs: [
      ...(['api', 'objects', 'authentication', 'aggregation', 'health'] as const),
      ...(['kubeconfig', 'serverService'] as const),
    ],
    start({ api, objects, authentication, aggregation, health }) {
      const publish = async () => {
        try {
          const own = await published(settings, authentication, aggregation)
          await publishAuthentication(api, objects, own)
        } catch (error) {
          settings.log.warn('the config map extension-apiserver-authentication cannot be written', {
            error: String(error),
          })
        }
      }
      // The caller of the start continues first.
      const settled = yieldToEventLoop().then(publish)
      health.progress.done('start-cluster-authentication-info-controller')
      authentication.onClientCaChange(() => void publish())
      aggregation.onIdentity(() => void publish())
      return { part: { settled }, stop: () => settled }
    },
  })

/** What extension servers have to know: also how this server identifies itself to them as a proxy. */
async function published(
  { v }: Settings,
  authentication: Authentication,
  { identity }: Aggregation,
): Promise<PublishedData> {
  const options = authentication.published()
  const { requestHeader } = options
  if (!identity) return publishedConfiguration(options)
  const { ca } = await identity()
  const { proxyName } = await import('../../pki/proxy-identity.ts')
  const names = requestHeader?.names
  const including = (given: readonly string[] | undefined, own: string) => [
    ...new Set([own, ...(given ?? [])]),
  ]
  return publishedConfiguration({
    ...options,
    requestHeader: {
      ca: `${requestHeader?.ca ?? ''}\n${ca}`,
      names: {
        usernameHeaders: including(names?.usernameHeaders, USER_HEADER),
        groupHeaders: including(names?.groupHeaders, GROUP_HEADER),
        extraHeaderPrefixes: including(names?.extraHeaderPrefixes, EXTRA_HEADER_PREFIX),
      },
      // Other proxies may have any name where none is given.
      allowedNames:
        requestHeader?.allowedNames.length === 0
          ? []
          : including(requestHeader?.allowedNames, proxyName(v)),
    },
  })
}
