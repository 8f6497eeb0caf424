/** Hands a response over to its connection. */
import { HIJACKED, type ApiResponse, type Context, type StreamedBody } from './context.ts'
import type { Out } from './exchange.ts'
import type { Pieces } from './pieces.ts'
import { addWarnings } from './warning-headers.ts'

/** Sends a response. */
export function writeResponse(context: Context, answer: ApiResponse): void | Promise<void> {
  if (answer === HIJACKED) return
  const { exchange } = context
  const { headers } = context
  for (let i = 0; i < answer.headers.length; i++) headers.push(answer.headers[i]!)
  if (context.warnings) addWarnings(headers, context.warnings)
  if (exchange.begun) return
  if (typeof answer.body !== 'function') {
    exchange.send(answer.status, headers, answer.body)
    return
  }
  const out = exchange.open(answer.status, headers)
  return exchange.method === 'HEAD' ? undefined : stream(answer.body, out, context.server.pieces)
}

async function stream(body: StreamedBody, out: Out, pieces: Pieces): Promise<void> {
  try {
    await body(out, pieces)
  } catch (error) {
    // The status is sent already: the only way left to signal an incomplete response.
    out.destroy()
    throw error
  }
}
