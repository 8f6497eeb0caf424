import { errorText } from '../../base/error-text.ts'
import { documentEndpoint } from '../../http/endpoints/document.ts'
import { listen } from '../../http/listen.ts'
import { tlsHandshakeErrors } from '../../metrics/declared/access.ts'
import type { Settings } from '../settings.ts'
import { component, type ServerParts } from './component.ts'

const CLOSE_GRACE_MS = 5_000
const HANDLER_GRACE_MS = 1_000

/** Address of the server, as reachable from this machine. */
export interface Listening {
  readonly port: number
  readonly address: string
  readonly url: string
}

/** Listens. Serves requests from its start; its stop ends watches and finishes requests. */
export const listener = (settings: Settings) =>
  component({
    name: 'listener',
    needs: ['dataDir', 'cache', 'pki', 'authentication', 'endpoints', 'requests'],
    async start(parts) {
      const { options, bindAddress, log, metrics } = settings
      const { pki, authentication, cache, requests } = parts
      const { connections, exchanges, state } = requests
      const handshakeErrors = metrics.of(tlsHandshakeErrors).only
      const socket = await listen({
        bindAddress,
        port: options.port ?? 0,
        cert: pki.servingCert,
        key: pki.servingKey,
        clientCa: authentication.clientCa(),
        connections,
        certificates: authentication.certificates,
        onExchange: exchanges.take,
        stages: state.stages,
        onHandshakeError: () => handshakeErrors.inc(),
        onFault: (error) => log.error('a connection failed', { error: errorText(error) }),
      })
      parts.dataDir?.keep()
      authentication.onClientCaChange((pem) => socket.setClientCa(pem))
      const address = `${reachableHost(bindAddress)}:${socket.port}`
      serveTokenKeys(settings, parts, address)
      return {
        part: { port: socket.port, address, url: `https://${address}` },
        async stop() {
          state.draining = true
          cache.hub.close()
          await socket.close(CLOSE_GRACE_MS)
          if (state.stages === null) return
          // Handlers get a moment to report the end of their requests.
          await exchanges.idle(HANDLER_GRACE_MS)
          state.stages.close()
        },
      }
    },
  })

function reachableHost(bindAddress: string): string {
  if (bindAddress === '0.0.0.0') return '127.0.0.1'
  if (bindAddress === '::') return '[::1]'
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress
}

/** Publishes the keys by which others verify tokens of service accounts. */
function serveTokenKeys(
  { log }: Settings,
  { authentication, endpoints: { endpoints } }: Pick<ServerParts, 'authentication' | 'endpoints'>,
  address: string,
): void {
  const keys = authentication.serviceAccounts.discovery(address)
  if (keys.is === 'absent')
    log.warn('service account issuer discovery is disabled', { why: keys.why })
  else
    for (const document of keys.documents) endpoints.set(document.path, documentEndpoint(document))
}
