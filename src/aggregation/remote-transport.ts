/** Adds the resources of extension servers to a client of the server that it runs in. */
import type { Authorizer } from '../authz/authorizer.ts'
import { refusal } from '../authz/refusal.ts'
import type { Clock } from '../base/clock.ts'
import { pathOf } from '../client/api-path.ts'
import type { ServiceResolver } from '../client/service-address.ts'
import { HttpsTransport } from '../client/https-transport.ts'
import type {
  ApiRequest,
  Followed,
  FollowRequest,
  FollowTarget,
  Place,
  Presence,
  PresenceChanged,
  ResourceAddress,
  RequestVerb,
  ServedResource,
  ServedResources,
  Transport,
  WatchHandler,
  WatchRequest,
} from '../client/transport.ts'
import { Wire } from '../client/wire.ts'
import { identityHeaders } from '../http/identity-headers.ts'
import type { APIService } from '../kinds/apiregistration/api-service.ts'
import { unavailable } from '../meta/errors.ts'
import { proxyableAddresses } from '../registry/connect/target.ts'
import type { ExtensionReach, User } from '../registry/context.ts'
import { isAvailable, type ApiServices } from './api-services.ts'
import { urlOf } from './ask-server.ts'
import type { ProxyCertificate } from './remote-servers.ts'
import { serverTls } from './server-tls.ts'
import { servicePort } from './service-port.ts'

/** What requests to extension servers need. */
export interface RemoteTransportParts {
  readonly services: ApiServices
  readonly resolve: ServiceResolver
  readonly reach: ExtensionReach
  readonly certificate: () => Promise<ProxyCertificate>
  readonly authorizer: Pick<Authorizer, 'authorize'>
  readonly clock: Clock
  readonly userAgent: string
}

const TIMEOUT_MS = 30_000
const DISCOVERY_MS = 10_000

/** Requests for remote group versions go to their servers, with the identity of the user; all others do not change. */
export class RemoteTransport implements Transport {
  readonly #inner: Transport
  readonly #parts: RemoteTransportParts
  readonly #user: User
  /** Those that are at work. */
  readonly #open = new Set<HttpsTransport>()
  #isClosed = false
  readonly generation?: () => number
  readonly onGeneration?: (call: () => void) => () => void
  readonly discoverHere?: () => Promise<ServedResources>

  constructor(inner: Transport, parts: RemoteTransportParts, user: User) {
    this.#inner = inner
    this.#parts = parts
    this.#user = user
    const { discoverHere } = inner
    if (discoverHere)
      this.discoverHere = async () => {
        const { resources, failures } = await discoverHere()
        return { resources: resources.filter((one) => !this.#isRemote(one)), failures }
      }
    const { generation, onGeneration } = inner
    if (!generation || !onGeneration) return
    // Both only rise, and so does their sum.
    this.generation = () => generation() + parts.services.remoteGeneration
    this.onGeneration = (call) => {
      const ends = [onGeneration(call), parts.services.onRemote(call)]
      return () => ends.forEach((end) => end())
    }
  }

  send(request: ApiRequest): Promise<unknown> {
    const service = this.#serviceOf(request)
    if (!service) return this.#inner.send(request)
    const timeoutMs = request.timeoutMs === 0 ? TIMEOUT_MS : request.timeoutMs
    return this.#through(service, request, request.verb, (transport) =>
      transport.send({ ...request, timeoutMs }),
    )
  }

  watch(request: WatchRequest, sink: WatchHandler): Promise<void> {
    const service = this.#serviceOf(request)
    if (!service) return this.#inner.watch(request, sink)
    return this.#through(service, request, 'watch', (transport) => transport.watch(request, sink))
  }

  readonly follow = <T>(
    request: FollowRequest,
    target: FollowTarget<T>,
  ): Promise<Followed<T> | null> => {
    return this.#isRemote(request.of) || !this.#inner.follow
      ? Promise.resolve(null)
      : this.#inner.follow(request, target)
  }

  readonly presence = (of: ResourceAddress, changed: PresenceChanged): Presence | null => {
    return this.#isRemote(of) ? null : (this.#inner.presence?.(of, changed) ?? null)
  }

  readonly isUnused = async (of: ResourceAddress): Promise<boolean> =>
    !this.#isRemote(of) && (await this.#inner.isUnused?.(of)) === true

  async discover(signal?: AbortSignal): Promise<ServedResources> {
    const { services } = this.#parts
    const local = await this.#inner.discover(signal)
    if (services.remote.size === 0) return local
    const failures = new Map(local.failures)
    const found = await Promise.all(
      [...services.remote.values()].map(async (service) => {
        try {
          return await this.#resourcesOf(service, signal)
        } catch (error) {
          const { group = '', version = '' } = service.spec
          const name = group === '' ? version : `${group}/${version}`
          failures.set(name, error instanceof Error ? error : new Error(String(error)))
          return []
        }
      }),
    )
    const resources = local.resources.filter((one) => !this.#isRemote(one))
    return { resources: [...resources, ...found.flat()], failures }
  }

  close(): void {
    this.#isClosed = true
    for (const transport of this.#open) transport.close()
    this.#inner.close()
  }

  #isRemote({ group, version }: ResourceAddress): boolean {
    return this.#parts.services.remoteOf(group, version) !== undefined
  }

  #serviceOf({ of }: Place): APIService | undefined {
    return this.#parts.services.remoteOf(of.group, of.version)
  }

  async #through<T>(
    service: APIService,
    place: Place,
    verb: RequestVerb | 'watch',
    send: (transport: HttpsTransport) => Promise<T>,
  ): Promise<T> {
    await this.#authorize(place, verb)
    return this.#with(service, send)
  }

  async #authorize(place: Place, verb: RequestVerb | 'watch'): Promise<void> {
    const { of, namespace, name, subresource } = place
    const attributes = {
      ...{ isResource: true as const, verb, path: pathOf(place), ...of },
      ...{ namespace, name, subresource },
    }
    const decision = await this.#parts.authorizer.authorize(this.#user, attributes)
    if (decision.verdict !== 'allow') throw refusal(this.#user, attributes, decision.reason)
  }

  /** One connection for one piece of work: such requests are few. */
  async #with<T>(service: APIService, work: (transport: HttpsTransport) => Promise<T>): Promise<T> {
    const transport = await this.#transportTo(service)
    this.#open.add(transport)
    try {
      if (this.#isClosed) throw new Error('the client is closed')
      return await work(transport)
    } finally {
      this.#open.delete(transport)
      transport.close()
    }
  }

  async #transportTo(service: APIService): Promise<HttpsTransport> {
    const { resolve, reach, certificate, clock, userAgent } = this.#parts
    const reference = service.spec.service
    if (!reference || !isAvailable(service))
      throw unavailable('the server is currently unable to handle the request')
    const { host, port } = await resolve(servicePort(reference))
    // The address that was checked is the one to connect to.
    const [first] = await proxyableAddresses(reach, host)
    const { serverName, verified, ca } = serverTls(service)
    const config = {
      server: urlOf({ host: first?.address ?? host, port }, ''),
      tlsServerName: serverName,
      insecureSkipTlsVerify: !verified,
      ...(ca === undefined ? {} : { ca }),
    }
    const headers = Object.fromEntries(
      identityHeaders(this.#user).map(([name, value]) => [name.toLowerCase(), value]),
    )
    return new HttpsTransport({
      wire: new Wire(config, clock, reach.dial),
      credentials: {
        current: async () => ({ headers, secrets: [], ...(await certificate()) }),
        rejected: () => {},
      },
      clock,
      userAgent,
    })
  }

  async #resourcesOf(
    service: APIService,
    signal: AbortSignal | undefined,
  ): Promise<readonly ServedResource[]> {
    const { group = '', version = '' } = service.spec
    const late = new AbortController()
    const cancel = this.#parts.clock.after(DISCOVERY_MS, () =>
      late.abort(new Error('no answer in time')),
    )
    const all = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    try {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
      const list = (await this.#with(service, (one) => one.read(path, all))) as ResourceList
      return (list.resources ?? []).flatMap(({ name, kind, namespaced = false, verbs }) =>
        name.includes('/')
          ? []
          : [
              {
                ...{ group, version, resource: name, kind, namespaced },
                verbs: verbs ?? [],
                isElsewhere: true as const,
              },
            ],
      )
    } finally {
      cancel()
    }
  }
}

interface ResourceList {
  readonly resources?:
    | readonly {
        readonly name: string
        readonly kind: string
        readonly namespaced?: boolean
        readonly verbs?: readonly string[] | null
      }[]
    | null
}
