/**
 * The part of OpenTelemetry that is used. Its packages are optional: they are loaded by name when traces are configured,
 * and neither the types nor the programs need them.
 */

/** The context of a span; made by the library. */
export type TraceContext = object

type Value = string | number

/** A span. */
export interface Span {
  isRecording(): boolean
  spanContext(): Pick<RemoteSpan, 'traceId' | 'spanId' | 'traceFlags'>
  setAttributes(attributes: Readonly<Record<string, Value>>): unknown
  setStatus(status: { readonly code: number }): unknown
  end(at: number): void
}

/** Makes spans. */
export interface Tracer {
  startSpan(
    name: string,
    options: { readonly kind?: number; readonly startTime: number },
    context: TraceContext,
  ): Span
}

/** A span of another program. */
export interface RemoteSpan {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote: boolean
}

interface Api {
  readonly trace: {
    setSpan(context: TraceContext, span: Span): TraceContext
    setSpanContext(context: TraceContext, span: RemoteSpan): TraceContext
  }
  readonly ROOT_CONTEXT: TraceContext
  readonly SpanKind: { readonly SERVER: number; readonly CLIENT: number }
  readonly SpanStatusCode: { readonly ERROR: number }
}

interface Sdk {
  readonly BasicTracerProvider: new (options: object) => {
    getTracer(name: string): Tracer
    shutdown(): Promise<void>
  }
  readonly BatchSpanProcessor: new (exporter: object) => object
  readonly ParentBasedSampler: new (options: { readonly root: object }) => object
  readonly TraceIdRatioBasedSampler: new (ratio: number) => object
}

/** The packages. */
export interface Library {
  readonly api: Api
  readonly sdk: Sdk
  readonly exporter: {
    readonly OTLPTraceExporter: new (options: { readonly url: string }) => object
  }
  readonly resources: { resourceFromAttributes(attributes: object): object }
}

const PACKAGES = {
  api: '@opentelemetry/api',
  sdk: '@opentelemetry/sdk-trace-base',
  exporter: '@opentelemetry/exporter-trace-otlp-grpc',
  resources: '@opentelemetry/resources',
} as const

/** Loads the packages. Throws an Error when they are not installed. */
export async function loadLibrary(
  load: (name: string) => Promise<unknown> = (name) => import(name),
): Promise<Library> {
  try {
    const parts = Object.entries(PACKAGES).map(
      async ([part, name]) => [part, await load(name)] as const,
    )
    return Object.fromEntries(await Promise.all(parts)) as unknown as Library
  } catch (cause) {
    const names = Object.values(PACKAGES).join(' ')
    throw new Error(`traces need packages that are not installed: npm install ${names}`, { cause })
  }
}
