/** Traces of requests: a span for each sampled one, with spans for its parts. */
import type { ObservedRequest } from '../http/request-record.ts'
import type { StageSubscriber } from '../http/stages.ts'
import type { Span, TraceContext, Tracer } from './library.ts'

/** The part of the library that is used while the server runs. */
export interface Tracing {
  readonly tracer: Tracer
  /** The context that a `traceparent` header names; the empty one without. */
  contextOf(headers: ObservedRequest['headers']): TraceContext
  childOf(context: TraceContext, span: Span): TraceContext
  readonly serverKind: number
  readonly errorCode: number
}

/** Makes the spans of a request when it ends: all times are known then, and requests that are not sampled cost little. */
export function requestTraces(tracing: Tracing, now: () => number): StageSubscriber {
  const authenticatedAt = new WeakMap<ObservedRequest, number>()
  const ended = (request: ObservedRequest) =>
    trace(tracing, request, authenticatedAt.get(request) ?? 0)
  return {
    name: 'tracing',
    authenticated: (request) => void authenticatedAt.set(request, now()),
    responseComplete: ended,
    panic: ended,
  }
}

function trace(tracing: Tracing, request: ObservedRequest, authenticatedAt: number): void {
  const { tracer, serverKind, errorCode } = tracing
  const parent = tracing.contextOf(request.headers)
  const { receivedAt, startedAt, endedAt, status } = request
  const span = tracer.startSpan('APIServer', { kind: serverKind, startTime: receivedAt }, parent)
  if (span.isRecording()) {
    span.setAttributes(attributesOf(request))
    if (status >= 500 || status === 0) span.setStatus({ code: errorCode })
    const context = tracing.childOf(parent, span)
    const part = (name: string, startTime: number, endTime: number) => {
      if (startTime > 0 && endTime > 0) tracer.startSpan(name, { startTime }, context).end(endTime)
    }
    part('authenticate', receivedAt, authenticatedAt)
    part(request.info?.verb ?? 'handle', authenticatedAt, startedAt || endedAt)
    part('respond', startedAt, endedAt)
  }
  span.end(endedAt)
}

/** Nothing that may be secret: no query, no body, no credential. */
function attributesOf(request: ObservedRequest): Record<string, string | number> {
  const { method, target, headers, protocol, info, status, user } = request
  return {
    'http.method': method,
    'http.target': target.split('?', 1)[0]!,
    'http.status_code': status,
    'http.flavor': protocol === 'HTTP/2' ? '2.0' : '1.1',
    'http.user_agent': (headers['user-agent'] ?? '').slice(0, 256),
    'http.response_content_length': request.bytesWritten,
    'audit-id': request.auditId,
    ...(user === null ? {} : { 'enduser.id': user.name }),
    ...(info?.isResource === true
      ? {
          verb: info.verb,
          group: info.group,
          version: info.version,
          resource: info.resource,
          subresource: info.subresource,
          namespace: info.namespace,
          name: info.name,
        }
      : {}),
  }
}
