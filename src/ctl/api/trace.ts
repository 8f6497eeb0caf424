/** What `-v` shows of requests and responses. */
import type { ApiAnswer } from './api.ts'

/** Writes about requests, in the detail of its level. */
export type Trace = (level: number, text: string) => void

/** A request as it is shown. */
export interface Traced {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: Buffer | null
}

const SECRET_HEADERS = /^(authorization|cookie|proxy-authorization)$/i

/** Shows a request; its credentials are masked. */
export function traceRequest(trace: Trace, sent: Traced): void {
  if (sent.body) trace(8, `Request Body: ${sent.body.toString('utf8')}`)
  trace(6, `${sent.method} ${sent.url}`)
  trace(7, 'Request Headers:')
  for (const [name, value] of Object.entries(sent.headers)) {
    const text = [value].flat().join(', ')
    const shown = SECRET_HEADERS.test(name) ? text.replace(/(\S+)?( |^).*/s, '$1$2<masked>') : text
    trace(7, `    ${name}: ${shown}`)
  }
}

/** Shows the head of a response. */
export function traceAnswer(trace: Trace, answer: ApiAnswer): void {
  trace(6, `Response Status: ${answer.status}`)
  trace(8, 'Response Headers:')
  for (const [name, value] of Object.entries(answer.headers)) {
    trace(8, `    ${name}: ${SECRET_HEADERS.test(name) ? '<masked>' : [value].flat().join(', ')}`)
  }
}
