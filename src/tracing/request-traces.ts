/** Traces of requests: a span for each sampled one, with spans for its parts. */
import { MeasuredParts, type PartTracer, type TracedPart } from '../http/measured-parts.ts'
import type { ObservedRequest, RequestRecord } from '../http/request-record.ts'
import type { StageSubscriber } from '../http/stages.ts'
import type { Span, TraceContext, Tracer } from './library.ts'

/** The part of the library that is used while the server runs. */
export interface Tracing {
  readonly tracer: Tracer
  /** The context that a `traceparent` header names; the empty one without. */
  contextOf(headers: ObservedRequest['headers']): TraceContext
  childOf(context: TraceContext, span: Span): TraceContext
  readonly serverKind: number
  readonly clientKind: number
  readonly errorCode: number
}

type TracedRequest = ObservedRequest & Pick<RequestRecord, 'parts'>

/** A sampled request under way. */
interface Running {
  readonly span: Span
  readonly context: TraceContext
  authenticatedAt: number
}

/**
 * The span of a request begins with it, so that others can be below it: calls of webhooks, which continue the trace, and
 * work of the store. Spans of the stages are made when it ends, as all times are known then.
 */
export function requestTraces(tracing: Tracing, now: () => number): StageSubscriber {
  const running = new WeakMap<ObservedRequest, Running>()
  const ended = (request: ObservedRequest) => {
    const found = running.get(request)
    if (found) end(tracing, request, found)
  }
  return {
    name: 'tracing',
    received(request) {
      const begun = begin(tracing, request)
      if (begun === null) return
      running.set(request, begun)
      const traced = request as TracedRequest
      traced.parts ??= new MeasuredParts()
      traced.parts.tracer = partTracer(tracing, begun.context, now)
    },
    authenticated(request) {
      const found = running.get(request)
      if (found) found.authenticatedAt = now()
    },
    responseComplete: ended,
    panic: ended,
  }
}

/** Null when the request is not sampled. */
function begin({ tracer, serverKind, ...tracing }: Tracing, request: ObservedRequest) {
  const parent = tracing.contextOf(request.headers)
  const options = { kind: serverKind, startTime: request.receivedAt }
  const span = tracer.startSpan('APIServer', options, parent)
  return span.isRecording()
    ? { span, context: tracing.childOf(parent, span), authenticatedAt: 0 }
    : null
}

function end(
  { tracer, errorCode }: Tracing,
  request: ObservedRequest,
  { span, context, authenticatedAt }: Running,
): void {
  const { receivedAt, startedAt, endedAt, status } = request
  span.setAttributes(attributesOf(request))
  if (status >= 500 || status === 0) span.setStatus({ code: errorCode })
  const part = (name: string, startTime: number, endTime: number) => {
    if (startTime > 0 && endTime > 0) tracer.startSpan(name, { startTime }, context).end(endTime)
  }
  part('authenticate', receivedAt, authenticatedAt)
  part(request.info?.verb ?? 'handle', authenticatedAt, startedAt || endedAt)
  part('respond', startedAt, endedAt)
  span.end(endedAt)
}

const PART_NAMES: Readonly<Record<TracedPart, string>> = {
  etcd: 'etcd',
  'mutating-webhook': 'Call mutating webhook',
  'validating-webhook': 'Call validating webhook',
  'transform-response-object': 'TransformObject',
  'serialize-response-object': 'SerializeObject',
  proxy: 'Proxy',
}

const partTracer = (
  { tracer, clientKind }: Tracing,
  context: TraceContext,
  now: () => number,
): PartTracer => ({
  begin(part, name) {
    const span = tracer.startSpan(
      PART_NAMES[part],
      { startTime: now(), ...(name === '' && part !== 'proxy' ? {} : { kind: clientKind }) },
      context,
    )
    if (name !== '') span.setAttributes({ webhook: name })
    return { traceparent: traceparentOf(span), end: () => span.end(now()) }
  },
})

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
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
