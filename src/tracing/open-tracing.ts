/** Opens the export of traces. */
import type { TracingConfiguration } from './configuration.ts'
import { loadLibrary, type RemoteSpan } from './library.ts'
import type { Tracing } from './request-traces.ts'

/** What is being exported. */
export interface OpenTracing extends Tracing {
  /** Exports what is left. */
  close(): Promise<void>
}

/** Opens the exporter. Throws an Error when its packages are not installed. */
export async function openTracing(
  { endpoint, samplingRatePerMillion }: TracingConfiguration,
  { serverId }: { readonly serverId: string },
): Promise<OpenTracing> {
  const { api, sdk, exporter, resources } = await loadLibrary()
  const provider = new sdk.BasicTracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': 'apiserver',
      'service.instance.id': serverId,
    }),
    // The decision of the client counts.
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(samplingRatePerMillion / 1_000_000),
    }),
    spanProcessors: [
      // Its queue is bounded: what a slow collector does not take is dropped.
      new sdk.BatchSpanProcessor(
        new exporter.OTLPTraceExporter({ url: `http://${endpoint.replace(/^dns:\/\/\//, '')}` }),
      ),
    ],
  })
  const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api
  return {
    tracer: provider.getTracer('apiserver'),
    contextOf(headers) {
      const remote = remoteSpan(headers.traceparent)
      return remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote)
    },
    childOf: (context, span) => trace.setSpan(context, span),
    serverKind: SpanKind.SERVER,
    clientKind: SpanKind.CLIENT,
    errorCode: SpanStatusCode.ERROR,
    close: () => provider.shutdown(),
  }
}

/** Header of the trace context: version, trace, parent, flags. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span of the client that a header names; null where it is absent or malformed. */
export function remoteSpan(header: string | readonly string[] | undefined): RemoteSpan | null {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null
  if (!match) return null
  const [, traceId = '', spanId = '', flags = ''] = match
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
