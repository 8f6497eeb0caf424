/** Dependencies of controllers that run in the process of their server. */
import type { Api } from '../registry/context.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import { ALL_AUTHENTICATED } from '../authn/anonymous.ts'
import { accountUserName, PRIVILEGED_GROUP } from '../authz/subjects.ts'
import type { Log } from '../base/log.ts'
import type { Client } from '../client/client.ts'
import { KnownResources } from '../client/known-resources.ts'
import { SharedInformers } from '../client/shared-informers.ts'
import type { ControllerContext } from '../controllers/controller.ts'
import { defaultSettings, type ControllerSettings } from '../controllers/settings.ts'
import type { Transport } from '../client/transport.ts'
import type { RequestAudit } from '../http/audit.ts'
import type { Registry } from '../metrics/registry.ts'
import { localClient } from '../loopback/local-client.ts'
import type { User } from '../registry/context.ts'

/** Parts of which these dependencies are made. */
export interface LocalContextParts {
  readonly api: Api
  /** Authorizes each controller. */
  readonly authorizer: Pick<Authorizer, 'authorize'>
  readonly log: Log
  /** Settings that differ from those of the release. */
  readonly settings?: Partial<ControllerSettings>
  /** Absent: nothing is measured. */
  readonly metrics?: Registry
  /** Records the requests; absent or null: they are not recorded. */
  readonly audit?: RequestAudit | null
  /** Adds the resources of extension servers, for a user; absent: none are there. */
  readonly remote?: (inner: Transport, user: User, userAgent: string) => Transport
}

const userOf = (name: string, groups: readonly string[]): User => ({
  name,
  uid: '',
  groups: [...groups, ALL_AUTHENTICATED],
  extra: {},
})

/** The server as a user. */
export const serverUser: User = userOf('system:apiserver', [PRIVILEGED_GROUP])

/**
 * Controllers with their own service accounts; shared informers read as the controller manager, as in a separate
 * program.
 */
export function managerContext(parts: LocalContextParts): ControllerContext {
  const { v } = parts.api
  const namespace = v.resolve('{system}-system')
  const userAgent = v.resolve('{system}-controller-manager')
  const manager = userOf(v.resolve('system:{system}-controller-manager'), [])
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  return contextOf(parts, {
    client: () => clientAs(parts, manager, userAgent),
    managerClient: () => clientAs(parts, manager, userAgent, true),
    clientFor(account) {
      const user = userOf(accountUserName(namespace, account), groups)
      return clientAs(parts, user, userAgent, SEES_ALL.includes(account))
    },
  })
}

/** Controllers that are a part of the server, with its permissions. */
export function serverContext(parts: LocalContextParts): ControllerContext {
  const { v } = parts.api
  const client = () => clientAs(parts, serverUser, v.resolve('{system}-apiserver'))
  return contextOf(parts, { client, managerClient: client, clientFor: client })
}

function contextOf(
  { api, log, metrics, settings }: LocalContextParts,
  make: Pick<ControllerContext, 'clientFor' | 'managerClient'> & { readonly client: () => Client },
): ControllerContext {
  const shared = make.client()
  return {
    v: api.v,
    clock: api.clock,
    gate: api.gate,
    log,
    ...(metrics ? { metrics } : {}),
    clientFor: make.clientFor,
    managerClient: make.managerClient,
    informers: new SharedInformers(shared, (resource, error) =>
      log.debug(2, 'a resource cannot be watched yet, retrying', {
        resource,
        error: String(error),
      }),
    ),
    resources: new KnownResources(shared),
    settings: { ...defaultSettings, ...settings },
  }
}

/** Accounts of controllers that work with the objects of extension servers. */
const SEES_ALL: readonly string[] = [
  'generic-garbage-collector',
  'namespace-controller',
  'resourcequota-controller',
]

function clientAs(
  { api, authorizer, audit = null, remote }: LocalContextParts,
  user: User,
  userAgent: string,
  seesAll = false,
): Client {
  const wrap = remote && seesAll ? (inner: Transport) => remote(inner, user, userAgent) : undefined
  return localClient({ api, authorizer, audit, user, userAgent, ...(wrap ? { wrap } : {}) })
}
