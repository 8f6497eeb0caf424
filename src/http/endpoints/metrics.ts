import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { acceptedForm, CONTENT_TYPES, exposition } from '../../metrics/exposition.ts'
import type { Registry } from '../../metrics/registry.ts'
import type { Endpoint } from '../context.ts'
import { takesGzip } from '../long-body.ts'

const compressed = promisify(gzip)

/** `/metrics`: all metrics, in the form that the client prefers. `ready` is awaited before. */
export function metricsEndpoint(registry: Registry, ready: () => Promise<void>): Endpoint {
  // The next document is about as long as the last one.
  let bytes = 0
  return async (context) => {
    const form = acceptedForm(context.exchange.headers.accept ?? '')
    await ready()
    const body = exposition(await registry.collect(), form, bytes + (bytes >> 3))
    bytes = body.length
    const headers = ['content-type', CONTENT_TYPES[form]]
    if (!takesGzip(context)) return { status: 200, headers, body }
    headers.push('content-encoding', 'gzip', 'vary', 'Accept-Encoding')
    return {
      status: 200,
      headers,
      body: await compressed(body, { level: constants.Z_BEST_SPEED }),
    }
  }
}
