/** Clients of a running server in its own process. Imported on demand. */
import type { Api } from '../registry/context.ts'
import type { Authorizer } from '../authz/authorizer.ts'
import type { RequestAudit } from '../http/audit.ts'
import { PRIVILEGED_GROUP } from '../authz/subjects.ts'
import { ALL_AUTHENTICATED } from '../authn/anonymous.ts'
import type { Client } from '../client/client.ts'
import { localClient } from '../loopback/local-client.ts'
import type { InProcessClientOptions } from './options/server-options.ts'

/** Creates a client from the options. */
export function inProcessClient(
  {
    api,
    authorizer,
    audit,
  }: {
    readonly api: Api
    readonly authorizer: Pick<Authorizer, 'authorize'>
    readonly audit: RequestAudit | null
  },
  { user, userAgent, ...rest }: InProcessClientOptions,
): Client {
  const {
    name,
    uid = '',
    groups = [],
    extra = {},
  } = user ?? {
    name: api.v.resolve('{brand}-admin'),
    groups: [PRIVILEGED_GROUP],
  }
  return localClient({
    ...rest,
    api,
    authorizer,
    audit,
    user: { name, uid, groups: [...new Set([...groups, ALL_AUTHENTICATED])], extra },
    userAgent: userAgent ?? api.v.resolve('{brand}-client'),
  })
}
