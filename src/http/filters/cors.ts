import type { Filter } from '../context.ts'
import { EarlyResponse } from '../early-response.ts'

const HEADERS = [
  ...['access-control-allow-methods', 'POST, GET, OPTIONS, PUT, DELETE, PATCH'],
  'access-control-allow-headers',
  'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  ...['access-control-expose-headers', 'Date'],
  ...['access-control-allow-credentials', 'true'],
] as const

/** Lets pages of allowed origins read responses, and answers their preflight requests. */
export const cors: Filter = {
  name: 'cors',
  isNeeded: ({ responses }) => responses.allowsOrigin !== null,
  run({ server, exchange, headers }) {
    const { origin } = exchange.headers
    if (origin === undefined || server.responses.allowsOrigin?.(origin) !== true) return
    headers.push('access-control-allow-origin', origin, ...HEADERS)
    if (exchange.method === 'OPTIONS')
      throw new EarlyResponse({ status: 204, headers: [], body: '' })
  },
}
