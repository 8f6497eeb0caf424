/** Routes requests for the group versions of APIServices to their servers. */
import { Agent, type AgentOptions } from 'node:https'
import type { Dial } from '../base/dial.ts'
import type { Log } from '../base/log.ts'
import {
  serviceUnavailable,
  type RemoteApi,
  type RemoteApis,
  type RemoteTarget,
} from '../http/remote-apis.ts'
import type { ServiceResolver } from '../client/service-address.ts'
import type { APIService } from '../kinds/apiregistration/api-service.ts'
import { checkProxyable, type TargetAgents } from '../registry/connect/target.ts'
import type { ExtensionReach } from '../registry/context.ts'
import { secureAgentThrough } from '../outgoing/dial-agent.ts'
import { isAvailable, type ApiServices } from './api-services.ts'
import { serverTls } from './server-tls.ts'
import { servicePort } from './service-port.ts'

/** The certificate that this server shows to others as a proxy, PEM; empty without one. */
export interface ProxyCertificate {
  readonly cert?: string
  readonly key?: string
}

/** What requests to other servers need. */
export interface RemoteParts {
  readonly services: ApiServices
  readonly resolve: ServiceResolver
  readonly reach: ExtensionReach
  readonly certificate: () => Promise<ProxyCertificate>
  readonly refusesRedirects: boolean
  readonly log: Log
}

const IDLE_MS = 30_000
const MOST_IDLE = 32

/** The servers of remote group versions. */
export class RemoteServers implements RemoteApis {
  readonly #parts: RemoteParts
  /** What derives from an APIService, as long as it does not change. */
  readonly #made = new WeakMap<APIService, RemoteApi>()
  #agents: TargetAgents | null = null

  constructor(parts: RemoteParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#parts.services.remote.size
  }

  find(group: string, version: string): RemoteApi | null {
    const service = this.#parts.services.remoteOf(group, version)
    if (!service) return null
    let remote = this.#made.get(service)
    if (!remote) this.#made.set(service, (remote = { target: this.#targetOf(service) }))
    return remote
  }

  /** Closes connections, also those in use. */
  close(): void {
    this.#agents?.shared.destroy()
    this.#agents?.single.destroy()
    this.#agents = null
  }

  #targetOf(service: APIService): () => Promise<RemoteTarget> {
    const { resolve, certificate, log, reach, refusesRedirects } = this.#parts
    const { name = '' } = service.metadata
    const tls = serverTls(service)
    return async () => {
      const reference = service.spec.service
      if (!reference || !isAvailable(service)) throw serviceUnavailable()
      try {
        const { host, port } = await resolve(servicePort(reference))
        checkProxyable(reach, host)
        const agents = (this.#agents ??= newAgents(reach.dial))
        const shown = await certificate()
        return {
          host,
          port: String(port),
          tls: { ...tls, ...shown },
          agents,
          refusesRedirects,
        }
      } catch (error) {
        log.debug(2, 'the server of an APIService cannot be resolved', {
          apiservice: name,
          error: error instanceof Error ? error.message : String(error),
        })
        throw serviceUnavailable()
      }
    }
  }
}

/** Connections are kept by address, name and certificates, so that one verified differently is never reused. */
function newAgents(dial: Dial | undefined): TargetAgents {
  const agent = (options: AgentOptions) =>
    dial ? secureAgentThrough(dial, options) : new Agent(options)
  return {
    shared: agent({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MOST_IDLE }),
    single: agent({ keepAlive: false }),
  }
}
