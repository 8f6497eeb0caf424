/** Requests for group versions that other servers serve. */
import type { Target } from '../registry/connect/target.ts'
import type { ApiResponse, Context } from './context.ts'
import { plainTextResponse, PlainTextError } from './plain-text.ts'
import { proxy } from './proxy.ts'
import { isNobody } from './request-context.ts'

/** The group versions that other servers serve, as the request pipeline sees them. */
export interface RemoteApis {
  /** Number of group versions; without any, requests cost no lookup. */
  readonly size: number
  /** The server of a group version; null: this one, or none. */
  find(group: string, version: string): RemoteApi | null
}

/** The server of one group version. */
export interface RemoteApi {
  /** Where requests go now. Rejects with a PlainTextError when that is unknown. */
  target(): Promise<RemoteTarget>
}

/** Where requests for a group version go; path, query and user are those of the request. */
export type RemoteTarget = Pick<Target, 'host' | 'port' | 'tls' | 'agents' | 'refusesRedirects'>

/** The response of the server that a request is for; null when that is this one. */
export function remoteResponse(context: Context, remotes: RemoteApis): Promise<ApiResponse> | null {
  const remote = remoteOf(context, remotes)
  return remote && answerOf(context, remote)
}

/** The same for a request that is about a group version, whatever its path. */
export function groupVersionResponse(
  context: Context,
  group: string,
  version: string,
): Promise<ApiResponse> | null {
  const remote = context.server.remotes.find(group, version)
  return remote && answerOf(context, remote)
}

/** The error for a server that cannot be reached now, with the text of the reference. */
export const serviceUnavailable = (): PlainTextError =>
  new PlainTextError(503, 'service unavailable')

function remoteOf({ info, path }: Context, remotes: RemoteApis): RemoteApi | null {
  // The core group has one version.
  if (info.isResource)
    return info.prefix === 'api' ? remotes.find('', 'v1') : remotes.find(info.group, info.version)
  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments[0] === 'apis' && segments.length === 3)
    return remotes.find(segments[1]!, segments[2]!)
  return segments[0] === 'api' ? remotes.find('', 'v1') : null
}

async function answerOf(context: Context, remote: RemoteApi): Promise<ApiResponse> {
  const { target: url } = context.exchange
  const { record } = context
  if (isNobody(context.user)) {
    if (record !== null) record.isUnproxied = true
    return plainTextResponse(new PlainTextError(500, 'missing user'))
  }
  const found = remote.target()
  if (record !== null) found.catch(() => (record.isUnproxied = true))
  const mark = url.indexOf('?')
  // The other server limits its watches itself.
  context.holds?.initialized?.()
  const target = {
    scheme: 'https' as const,
    ...(await found),
    path: context.path.replace(/^\/+/, '/'),
    query: mark === -1 ? '' : url.slice(mark),
    user: context.user,
  }
  const begun = record?.parts?.beginProxy() ?? null
  if (begun === null) return proxy(context, target)
  return proxy(context, { ...target, traceparent: begun.traceparent }).finally(() => begun.end())
}
