import { isIP } from 'node:net'
import { systemClock } from '../../base/clock.ts'
import { errorText } from '../../base/error-text.ts'
import { documentEndpoint } from '../../http/endpoints/document.ts'
import { listen, type Listener } from '../../http/listen.ts'
import { tlsParameters } from '../../http/tls-parameters.ts'
import { servingHosts, thisMachine } from '../../pki/hosts.ts'
import { tlsHandshakeErrors } from '../../metrics/declared/access.ts'
import type { Pki } from '../../pki/files.ts'
import type { ServerOptions } from '../options/server-options.ts'
import type { ServingOptions } from '../options/serving-options.ts'
import { namedHosts } from './pki.ts'
import type { OwnAddress } from '../own-service.ts'
import {
  hasOwnFiles,
  LOOPBACK_NAME,
  openServingCertificates,
  type ServingCertificates,
} from '../serving-certificates.ts'
import type { Settings } from '../settings.ts'
import { component, type ServerParts } from './component.ts'

/** What requests get to end, and then connections, milliseconds. */
const GRACE_MS = 5_000
/** How often connections are looked at, and how many times until those that say nothing are cut off. */
const LOOK_MS = 50
const SILENT_LOOKS = 100
/** The same when clients were told to go elsewhere. */
const TOLD_MS = 2_000
const HANDLER_GRACE_MS = 1_000
/** What a busy machine adds to a drain. */
const DRAIN_SPARE_MS = 5_000

/** What a server has to end before it may stop. */
export interface Open {
  readonly requests: number
  /** Requests without a time limit, such as watches: methods and paths of the first ten. */
  readonly longRunning: readonly string[]
  readonly connections: number
}

/** Address of the server, as reachable from this machine. */
export interface Listening {
  readonly port: number
  readonly address: string
  /** Address as clients elsewhere know it, for documents. */
  readonly external: string
  readonly url: string
  /** Presents another certificate of the server's own from the next connection on. */
  presentOwn(own: Pick<Pki, 'servingCert' | 'servingKey'>): void
  /** The certificate, PEM, that clients are presented that ask for no name. */
  serving(): string
  /** Does what the first connection would wait for: 20 to 30 ms. */
  prepare(): void
  /** Rejects new requests, finishes those in progress and closes all connections. */
  drain(): Promise<void>
  /** What is open now. */
  open(): Open
}

/** Longest time of a drain, milliseconds. */
export function graceOf({ shutdownGraceMs = GRACE_MS }: ServerOptions): number {
  return 2 * shutdownGraceMs + DRAIN_SPARE_MS
}

/** Listens. Serves requests from its start; its stop drains it. */
export const listener = (settings: Settings) =>
  component({
    name: 'listener',
    needs: ['dataDir', 'cache', 'pki', 'authentication', 'endpoints', 'requests'],
    async start(parts) {
      const { options, bindAddress, log, metrics } = settings
      const { pki, authentication, requests } = parts
      const { connections, exchanges, state } = requests
      const { serving = {} } = options
      const certificates = await openCertificates(settings, pki)
      const handshakeErrors = metrics.of(tlsHandshakeErrors).only
      const socket = await listen({
        bindAddress,
        port: options.port ?? 0,
        ...certificates.current,
        ...listenOptions(serving),
        clientCa: authentication.clientCa(),
        connections,
        certificates: authentication.certificates,
        onExchange: exchanges.take,
        stages: state.stages,
        onHandshakeError: () => handshakeErrors.inc(),
        onFault: (error) => log.error('a connection failed', { error: errorText(error) }),
      }).catch((error: unknown) => {
        certificates.close()
        throw error
      })
      parts.dataDir?.keep()
      authentication.onClientCaChange((clientCa) => socket.setTls({ clientCa }))
      certificates.onChange((changed) => socket.setTls(changed))
      settings.ownService.listensAt(ownAddress(settings, pki, socket.port))
      const address = `${reachableHost(bindAddress)}:${socket.port}`
      const { externalHostname = '' } = options
      const external = externalHostname === '' ? address : withPort(externalHostname, socket.port)
      serveTokenKeys(settings, parts, external)
      const listening = { port: socket.port, address, external, url: `https://${address}` }
      let draining: Promise<void> | null = null
      const drain = () => (draining ??= drained(settings, parts, socket))
      return {
        part: {
          ...listening,
          prepare: socket.prepare,
          presentOwn: certificates.replaceOwn,
          serving: () => certificates.current.cert,
          drain,
          open: () => ({ ...exchanges.open, connections: connections.counts.open }),
        },
        async stop() {
          certificates.close()
          await drain()
          if (state.stages === null) return
          // Handlers get a moment to report the end of their requests.
          await exchanges.idle(HANDLER_GRACE_MS)
          state.stages.close()
        },
      }
    },
  })

function openCertificates(settings: Settings, pki: Pki): Promise<ServingCertificates> {
  const { options, bindAddress, log, v } = settings
  return openServingCertificates(options.serving ?? {}, pki, {
    clock: settings.inside.pkiClock ?? systemClock,
    log,
    hosts: () => [...namedHosts(settings), ...servingHosts(v, bindAddress, thisMachine())],
  })
}

const ownAddress = ({ options, bindAddress }: Settings, { ca }: Pki, port: number): OwnAddress => ({
  host: reachableHost(bindAddress).replaceAll(/[[\]]/g, ''),
  port,
  ca,
  ...(hasOwnFiles(options.serving ?? {}) ? { tlsServerName: LOOPBACK_NAME } : {}),
})

function listenOptions({
  minTlsVersion,
  cipherSuites,
  http2MaxStreams,
  joinsResponses,
  directHttp1,
  sharesPort,
}: ServingOptions) {
  if (sharesPort === true && !canSharePorts())
    throw new Error('--permit-port-sharing needs Node.js 22.12 or newer')
  return {
    parameters: tlsParameters(minTlsVersion, cipherSuites),
    ...(http2MaxStreams === undefined || http2MaxStreams === 0
      ? {}
      : { maxStreams: http2MaxStreams }),
    ...(joinsResponses === undefined ? {} : { joinsResponses }),
    ...(directHttp1 === undefined ? {} : { directHttp1 }),
    sharesPort: sharesPort === true,
  }
}

function canSharePorts(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12)
}

/** Finishes requests: first those with a time limit, then the others, watches in order. */
async function drained(
  { options }: Settings,
  { cache, requests: { exchanges, state } }: Pick<ServerParts, 'cache' | 'requests'>,
  socket: Listener,
): Promise<void> {
  const { shutdownSendRetryAfter: tells = false, shutdownGraceMs = GRACE_MS } = options
  state.shutdown.hasBegun = true
  state.shutdown.refusal = tells ? 'retry' : 'unavailable'
  state.limits?.readAll()
  if (!tells) socket.stopAccepting()
  await exchanges.limitedIdle(Math.min(state.requestTimeoutMs, shutdownGraceMs))
  // The controllers go on until they are stopped: one whose watch ended would begin again, and again.
  cache.hub.endClients()
  exchanges.abortLongRunning({ watches: false })
  const closing = socket.close(tells ? Math.min(TOLD_MS, shutdownGraceMs) : shutdownGraceMs)
  // The watches that ended above have gone; those of other servers are cut.
  const cut = setTimeout(() => exchanges.abortLongRunning({ watches: true }), HANDLER_GRACE_MS)
  let looks = 0
  const looking = setInterval(() => {
    socket.endIdle()
    if (++looks % SILENT_LOOKS === 0 && exchanges.isIdle) socket.endSilent()
  }, LOOK_MS)
  await closing
  clearTimeout(cut)
  clearInterval(looking)
}

/** A host with a port; its own, if it has one. */
function withPort(host: string, port: number): string {
  if (isIP(host) === 6) return `[${host}]:${port}`
  return /:\d+$/.test(host) ? host : `${host}:${port}`
}

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
