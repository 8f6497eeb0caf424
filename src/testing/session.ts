/** The writes of a run as data, and how they are made again. */
import type { ServerParts } from '../server/components/component.ts'
import { LocalTransport } from '../loopback/local-transport.ts'
import { pathOf } from '../client/api-path.ts'
import type { ApiObject, ApiRequest, Query, RequestVerb } from '../client/transport.ts'
import { StatusError } from '../meta/errors.ts'
import type { User } from '../registry/context.ts'
import { parseQuery } from '../http/request-info.ts'
import type { RecordedRequest } from './request-record.ts'

const FORMAT = 1

/** Writes in their order. A JSON value: keep it in a file. */
export interface Session {
  readonly format: typeof FORMAT
  /** Vocabulary of the server. */
  readonly vocabulary: string
  readonly requests: readonly SessionRequest[]
}

/** One write. */
export interface SessionRequest {
  readonly verb: RequestVerb
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly query: Query
  readonly user: User
  readonly userAgent: string
  readonly mediaType: string
  readonly body?: unknown
}

const WRITES: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection']
/** Sub-resources that carry bytes and no objects. */
const STREAMS: readonly string[] = ['attach', 'exec', 'proxy', 'portforward']

/** The session of recorded requests: writes that succeeded and were no dry runs. */
export const sessionOf = (requests: readonly RecordedRequest[], vocabulary: string): Session => ({
  format: FORMAT,
  vocabulary,
  requests: requests.filter(isWrite).map(sessionRequest),
})

function isWrite({ verb, resource, subresource, status, target, user }: RecordedRequest): boolean {
  return (
    WRITES.includes(verb) &&
    resource !== '' &&
    !STREAMS.includes(subresource) &&
    status >= 200 &&
    status < 300 &&
    user !== null &&
    !queryOf(target).some(([name]) => name === 'dryRun')
  )
}

function sessionRequest(request: RecordedRequest): SessionRequest {
  const { group, version, resource, subresource, namespace, user, userAgent, target } = request
  const body = bodyOf(request)
  return {
    verb: request.verb as RequestVerb,
    ...{ group, version, resource, subresource, userAgent },
    // A namespace is recorded as in itself.
    namespace: group === '' && resource === 'namespaces' ? '' : namespace,
    name: request.name,
    query: queryOf(target),
    user: user!,
    // Bodies are recorded as JSON, whatever they came as.
    mediaType: /patch/.test(request.mediaType) ? request.mediaType : 'application/json',
    ...(body === undefined ? {} : { body }),
  }
}

function queryOf(target: string): Query {
  const mark = target.indexOf('?')
  if (mark === -1) return []
  return [...parseQuery(target.slice(mark + 1))].flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  )
}

/** A body without what is the recorded server's alone; generated names are those that were generated. */
function bodyOf({ verb, body, response, subresource }: RecordedRequest): unknown {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body
  const { preconditions: _, ...rest } = body as { preconditions?: unknown; metadata?: object }
  if (rest.metadata === undefined || rest.metadata === null) return rest
  const {
    resourceVersion: __,
    uid: ___,
    ...metadata
  } = rest.metadata as ApiObject['metadata'] & object
  const made = (response as ApiObject | undefined)?.metadata?.name
  const isNamed = verb !== 'create' || subresource !== '' || metadata.name !== undefined
  return {
    ...rest,
    metadata: isNamed || made === undefined ? metadata : { ...metadata, name: made },
  }
}

/** Makes the writes of a session. Throws a TypeError about what is no session, and an Error about a refused write. */
export async function replaySession(
  session: Session,
  { api, authorization }: Pick<ServerParts, 'api' | 'authorization'>,
): Promise<void> {
  checkSession(session, api.v.name)
  for (const [i, recorded] of session.requests.entries()) {
    const { group, version, resource, user, userAgent, ...rest } = recorded
    const of = { group, version, resource }
    const { authorizer } = authorization
    const transport = new LocalTransport({ api, authorizer, user, userAgent })
    const request: ApiRequest = { ...rest, of, metadataOnly: false, signal: null, timeoutMs: 0 }
    try {
      await transport.send(request)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      const what = `request ${i} of the session, ${rest.verb} ${pathOf(request)} by ${user.name}`
      throw new Error(`${what}: ${error.message}`, { cause: error })
    } finally {
      transport.close()
    }
  }
}

function checkSession(session: Session, vocabulary: string): void {
  const { format, requests } = session
  if (format !== FORMAT || !Array.isArray(requests))
    throw new TypeError(`a session has the format ${FORMAT} and a list of requests`)
  if (session.vocabulary !== vocabulary)
    throw new TypeError(
      `the session is of the vocabulary ${session.vocabulary}, and the server speaks ${vocabulary}`,
    )
}
