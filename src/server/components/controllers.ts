import { extensionReach } from '../../registry/connect/target.ts'
import { alwaysAllow } from '../../authz/always.ts'
import { ensureServerService } from '../bootstrap/server-service.ts'
import type { ElectedWork } from '../election.ts'
import { usesRbac } from '../open-authorization.ts'
import type { Settings } from '../settings.ts'
import { component, type ServerParts } from './component.ts'
import { placeOf } from './server-service.ts'

/** The running controllers. */
export interface ServerControllers {
  /** Resolves when nothing is due. */
  idle(): Promise<void>
}

type Parts = Pick<
  ServerParts,
  | 'aggregation'
  | 'api'
  | 'audit'
  | 'authentication'
  | 'authorization'
  | 'engine'
  | 'listener'
  | 'pki'
  | 'serverLease'
>

/** Runs controllers in the background, once the bootstrap policy has given them their permissions. */
export const controllers = (settings: Settings) =>
  component({
    name: 'controllers',
    needs: [
      ...(['aggregation', 'api', 'audit', 'authentication', 'authorization'] as const),
      ...(['engine', 'health', 'listener'] as const),
      ...(['pki', 'serverLease', 'bootstrapPolicy', 'publishedAuthentication'] as const),
    ],
    start(parts) {
      const running =
        settings.options.controllers === false
          ? null
          : parts.bootstrapPolicy.settled.then(() => run(settings, parts))
      parts.health.progress.done('start-apiextensions-informers', 'start-apiextensions-controllers')
      return {
        part: { idle: async () => (await running)?.idle() },
        async stop() {
          // At the same time: clients are no longer sent here, and another server takes the controllers over.
          await Promise.all([parts.serverLease?.stop(), running?.then((work) => work.stop())])
        },
      }
    },
  })

/** Of servers that share a store only the elected one runs them. */
async function run(settings: Settings, parts: Parts): Promise<ElectedWork> {
  const start = () => startControllers(settings, parts)
  if (!parts.engine.isShared) return start()
  const { electedControllers } = await import('../replica.ts')
  return electedControllers(parts.api, { log: settings.log, audit: parts.audit.trail }, start)
}

async function startControllers(settings: Settings, parts: Parts): Promise<ElectedWork> {
  const { options, log } = settings
  const { api, authentication, authorization, listener, pki, serverLease } = parts
  const { runControllers } = await import('../run-controllers.ts')
  const { RemoteTransport } = await import('../../aggregation/remote-transport.ts')
  const { signingBy } = await import('../certificate-signing.ts')
  const { issuer } = authentication.serviceAccounts
  // Without RBAC no roles give them permissions: they have those of the server.
  const authorizer = usesRbac(options.authorization) ? authorization.authorizer : alwaysAllow
  const { services, resolve, certificate } = parts.aggregation
  const { clock } = settings
  return runControllers(
    {
      ...{ api, authorizer, log, metrics: settings.metrics, audit: parts.audit.trail },
      remote: (inner, user, userAgent) =>
        new RemoteTransport(
          inner,
          {
            services,
            resolve,
            certificate,
            authorizer,
            clock,
            userAgent,
            reach: extensionReach(api),
          },
          user,
        ),
      choice: options.controllers ?? true,
      settings: options.controllerSettings ?? {},
      hasBootstrapTokens: options.authentication?.bootstrapTokens !== false,
    },
    {
      tokens: {
        ca: options.rootCa ?? pki.ca,
        issue: (account, secret) => issuer.issueLegacy(account, secret),
      },
      signing: signingBy(pki, options, log),
    },
    () =>
      serverLease
        ? serverLease.reconcile()
        : ensureServerService(api, { ...placeOf(settings, listener), throwsRefusals: true }),
  )
}
