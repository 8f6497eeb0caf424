import { isRecord } from '../base/value-checks.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** Where traces go, and of how many requests. */
export interface TracingConfiguration {
  /** Host and port of a collector that speaks OTLP over gRPC. */
  readonly endpoint: string
  /** Of a million requests without a trace of their client's, 0 to 1,000,000. */
  readonly samplingRatePerMillion: number
}

const ENDPOINT = 'localhost:4317'
const MILLION = 1_000_000
const MEMBERS = ['apiVersion', 'kind', 'endpoint', 'samplingRatePerMillion']

/** Decodes a document strictly. Throws an Error that says everything that is wrong. */
export function readTracingConfiguration(document: unknown, v: Vocabulary): TracingConfiguration {
  if (!isRecord(document)) throw new Error('expected a TracingConfiguration')
  const { apiVersion = '', kind = '' } = document
  const version = v.resolve('apiserver.config{api}/v1alpha1')
  if (kind !== 'TracingConfiguration' || apiVersion !== version)
    throw new Error(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    )
  const unknown = Object.keys(document).filter((name) => !MEMBERS.includes(name))
  if (unknown.length > 0)
    throw new Error(
      `strict decoding error: ${unknown.map((name) => `unknown field ${JSON.stringify(name)}`).join(', ')}`,
    )
  const endpoint = document.endpoint ?? ENDPOINT
  const rate = document.samplingRatePerMillion ?? 0
  const faults: string[] = []
  if (typeof endpoint !== 'string' || !isEndpoint(endpoint))
    faults.push(`endpoint: Invalid value: ${shown(endpoint)}: must be a host and a port`)
  if (typeof rate !== 'number' || !Number.isInteger(rate))
    faults.push(`samplingRatePerMillion: Invalid value: ${shown(rate)}: must be a whole number`)
  else if (rate < 0)
    faults.push(`samplingRatePerMillion: Invalid value: ${rate}: sampling rate must be positive`)
  else if (rate > MILLION)
    faults.push(
      `samplingRatePerMillion: Invalid value: ${rate}: sampling rate per million must be less than or equal to one million`,
    )
  if (faults.length > 0) throw new Error(faults.join('; '))
  return { endpoint: endpoint as string, samplingRatePerMillion: rate as number }
}

const shown = (value: unknown): string => JSON.stringify(value)

/** `host:port`, with a scheme `dns:///` or without. */
function isEndpoint(endpoint: string): boolean {
  const place = endpoint.replace(/^dns:\/\/\//, '')
  return /^(\[[0-9a-f:.]+\]|[\w.-]+):\d{1,5}$/i.test(place)
}
