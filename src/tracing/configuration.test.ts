import { expect, test } from 'vitest'
import { vocabularies } from '../vocabulary/index.ts'
import { readTracingConfiguration } from './configuration.ts'
import { loadLibrary } from './library.ts'
import { remoteSpan } from './open-tracing.ts'

const head = { apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'TracingConfiguration' }
const read = (document: unknown) => readTracingConfiguration(document, vocabularies.kubernetes)

test.each([
  [{}, { endpoint: 'localhost:4317', samplingRatePerMillion: 0 }],
  [
    { endpoint: 'dns:///c.example:1', samplingRatePerMillion: 1_000_000 },
    { endpoint: 'dns:///c.example:1', samplingRatePerMillion: 1_000_000 },
  ],
  [{ endpoint: '[::1]:4317' }, { endpoint: '[::1]:4317', samplingRatePerMillion: 0 }],
])('%j', (members, expected) => {
  expect(read({ ...head, ...members })).toEqual(expected)
})

const RATE = 'samplingRatePerMillion: Invalid value:'

test.each([
  [null, 'expected a TracingConfiguration'],
  [
    { ...head, kind: 'X' },
    'no kind "X" is registered for version "apiserver.config.k8s.io/v1alpha1"',
  ],
  [
    { ...head, apiVersion: 'apiserver.config.orch.io/v1alpha1' },
    'no kind "TracingConfiguration" is registered for version "apiserver.config.orch.io/v1alpha1"',
  ],
  [{ ...head, a: 1, b: 2 }, 'strict decoding error: unknown field "a", unknown field "b"'],
  [
    { ...head, samplingRatePerMillion: 1_000_001 },
    `${RATE} 1000001: sampling rate per million must be less than or equal to one million`,
  ],
  [{ ...head, samplingRatePerMillion: -1 }, `${RATE} -1: sampling rate must be positive`],
  [{ ...head, samplingRatePerMillion: '1' }, `${RATE} "1": must be a whole number`],
  [
    { ...head, endpoint: 'http://a:1/b' },
    'endpoint: Invalid value: "http://a:1/b": must be a host and a port',
  ],
  [
    { ...head, endpoint: 'a', samplingRatePerMillion: 0.5 },
    `endpoint: Invalid value: "a": must be a host and a port; ${RATE} 0.5: must be a whole number`,
  ],
])('%j is refused', (document, message) => {
  expect(() => read(document)).toThrow(new Error(message))
})

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

test.each([
  [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true }],
  [`00-${TRACE}-${SPAN}-02`, { traceId: TRACE, spanId: SPAN, traceFlags: 0, isRemote: true }],
  [undefined, null],
  ['', null],
  [`ff-${TRACE}-${SPAN}-01`, null],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
])('traceparent %s', (header, expected) => {
  expect(remoteSpan(header)).toEqual(expected)
})

test('packages that are not installed are named', async () => {
  await expect(loadLibrary(() => Promise.reject(new Error('no such module')))).rejects.toThrow(
    'traces need packages that are not installed: npm install @opentelemetry/api @opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-grpc @opentelemetry/resources',
  )
})
