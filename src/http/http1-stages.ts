/** Stages of HTTP/1.1 requests that never reach the pipeline. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { unreadExchange, type Refusal } from './http1-refusals.ts'
import type { RecordHead } from './request-record.ts'
import type { Stages } from './stages.ts'

/** Reports a request whose head was parsed and rejected. */
export function reportRefused(stages: Stages, request: IncomingMessage, refusal: Refusal): void {
  const { method = '', url = '', headers, socket } = request
  const { error, bytes } = refusal
  stages.refused({ ...nothingOf(socket), method, target: url, headers }, error, bytes)
}

/** Reports bytes that were rejected as malformed HTTP/1.1: as a separate request, or as the body of one. */
export function reportUnparsed(stages: Stages, socket: Duplex, { error, bytes }: Refusal): void {
  const exchange = unreadExchange(socket)
  if (exchange === null) return stages.refused(nothingOf(socket), error, bytes)
  const { observer } = exchange
  observer?.begun(error.code)
  observer?.wrote(bytes)
  observer?.finished()
}

const nothingOf = (socket: Duplex): RecordHead => ({
  method: '',
  target: '',
  headers: {},
  protocol: 'HTTP/1.1',
  remoteAddress: (socket as TLSSocket).remoteAddress ?? '',
})
