import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'

/** Health endpoint of a program. */
export interface HealthPlace {
  readonly host: string
  readonly port: number
  /** PEM; plain HTTP when empty. */
  readonly cert: string
  readonly key: string
}

/** Serves /healthz, /livez and /readyz; `fault` returns why the program is unhealthy, null when it is healthy. */
export async function serveHealth(
  { host, port, cert, key }: HealthPlace,
  { fault }: { fault(): string | null },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const answer: RequestListener = (request, response) => {
    const [path] = (request.url ?? '').split('?', 1)
    const isKnown = ['/healthz', '/livez', '/readyz'].includes(path!)
    const why = isKnown ? fault() : null
    response.writeHead(isKnown ? (why === null ? 200 : 500) : 404, {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    response.end(isKnown ? (why ?? 'ok') : '404 page not found\n')
  }
  const server = cert === '' ? createServer(answer) : createSecure({ cert, key }, answer)
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `${cert === '' ? 'http' : 'https'}://${shown}:${taken}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
