/** A server under test, and what the test does with it. */
import type { VocabularyName } from '../vocabulary/vocabulary.ts'
import { launchServer } from '../server/start-server.ts'
import { startFailure } from '../base/start-failure.ts'
import { checkOptions, inOptions } from '../server/options/option-checks.ts'
import type { ServerParts } from '../server/components/component.ts'
import type {
  InProcessClientOptions,
  RunningServer,
  ServerOptions,
} from '../server/options/server-options.ts'
import type { Client } from '../client/client.ts'
import type { ConnectOptions } from '../client/connect.ts'
import type { ApiObject } from '../client/transport.ts'
import { eventually, type EventuallyOptions } from './eventually.ts'
import { Faults, type ActiveFault, type Fault } from './faults.ts'
import { kubeconfigFor, type TestUser } from './kubeconfig-for.ts'
import type { Manifests } from './manifests.ts'
import { TestNamespace } from './test-namespace.ts'
import { RequestRecords } from './request-record.ts'
import { checkMembers, PATTERN_MEMBERS, type RequestPattern } from './request-pattern.ts'
import type { Session } from './session.ts'
import { StoreState, type Snapshot } from './store-state.ts'
import { TestClock } from './test-clock.ts'
import { Traffic } from './traffic.ts'
import { WebhookRecords } from './webhook-record.ts'

/** Options of a server under test: those of any server, but its clock is a {@link TestClock}. */
export interface TestServerOptions extends Omit<ServerOptions, 'clock'> {
  /** Prepares the state that `reset` goes back to, for instance by definitions of custom resources. */
  readonly setup?: (server: TestServer) => unknown
}

/** Rounds in which what controllers do about a restored state is taken back: one, as a rule. */
const MAX_ROUNDS = 10

/** After so long at the latest controllers go on with a deletion. */
const DELETION_MS = 6_000

/** Starts a server in memory and resolves when it is ready and its controllers have nothing left to do. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { setup, ...given } = options
  checkOptions(given)
  if ('clock' in given) throw new Error('a server under test has a clock of its own: server.clock')
  const server = await launch(given).catch((error: unknown) => {
    throw inOptions(startFailure(error, given))
  })
  return prepared(server, setup)
}

/** The same for checked options; errors name flags. */
export const launchTestServer = async (options: ServerOptions): Promise<TestServer> =>
  prepared(await launch(options))

async function prepared(
  server: TestServer,
  setup?: TestServerOptions['setup'],
): Promise<TestServer> {
  try {
    await server.settled()
    await setup?.(server)
    await server.begin()
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

async function launch(options: ServerOptions): Promise<TestServer> {
  const clock = new TestClock()
  const records = new RequestRecords()
  const webhooks = new WebhookRecords()
  let made: TestServer | null = null
  const faults = new Faults({ clock, records, client: () => made!.client() })
  const traffic = new Traffic(faults)
  let parts: Readonly<ServerParts> | null = null
  const inside = {
    around: traffic.around,
    // Clients present certificates of the machine's time; they age with the clock that the test moves.
    certificateClock: clock,
    onWebhookCall: (call: Parameters<WebhookRecords['add']>[0]) => {
      const added = webhooks.add(call)
      const record = traffic.current?.record
      if (record) records.notesOf(record).webhooks.push(added)
    },
    started: (started: Readonly<ServerParts>) => void (parts = started),
  }
  const stages = [records.subscriber, ...(options.stages ?? [])]
  const running = await launchServer({ ...options, clock, stages }, inside)
  made = new TestServer({ running, parts: parts!, clock, records, webhooks, faults, traffic })
  return made
}

interface TestServerParts {
  readonly running: RunningServer
  readonly parts: Readonly<ServerParts>
  readonly clock: TestClock
  readonly records: RequestRecords
  readonly webhooks: WebhookRecords
  readonly faults: Faults
  readonly traffic: Traffic
}

/** A server under test; made by {@link startTestServer}. */
export class TestServer implements RunningServer {
  readonly url: string
  readonly port: number
  readonly vocabulary: VocabularyName
  readonly release: string
  readonly ca: string
  readonly kubeconfig: string
  readonly kubeconfigPath?: string
  /** The clock of the server: certificates of clients, tokens, leases, lifetimes, back-off. */
  readonly clock: TestClock
  /** Requests over the network. */
  readonly requests: RequestRecords
  /** Calls of webhooks. */
  readonly webhooks: WebhookRecords
  readonly #parts: TestServerParts
  readonly #state: StoreState
  readonly #closers: (() => Promise<void> | void)[] = []
  #base: Snapshot | null = null
  #admin: Promise<Client> | null = null

  constructor(parts: TestServerParts) {
    const { running, clock, records, webhooks } = parts
    this.#parts = parts
    this.url = running.url
    this.port = running.port
    this.vocabulary = running.vocabulary
    this.release = running.release
    this.ca = running.ca
    this.kubeconfig = running.kubeconfig
    if (running.kubeconfigPath !== undefined) this.kubeconfigPath = running.kubeconfigPath
    this.clock = clock
    this.requests = records
    this.webhooks = webhooks
    const { store, cache, api } = parts.parts
    this.#state = new StoreState(store.engine, cache, api.v.resolve('apiextensions{api}'))
  }

  settled(): Promise<void> {
    return this.#parts.running.settled()
  }

  /** A client in the process. Its requests meet no faults and are not recorded; see `connect` for one over the network. */
  client(options?: InProcessClientOptions): Promise<Client> {
    return this.#parts.running.client(options)
  }

  /** A client over the network, of the administrator or of another user. The caller closes it. */
  async connect(
    options: Omit<ConnectOptions, 'config'> & { readonly user?: TestUser } = {},
  ): Promise<Client> {
    const { user, ...rest } = options
    const { connect } = await import('../client/connect.ts')
    const { readKubeconfig } = await import('../client/kubeconfig.ts')
    const text = user === undefined ? this.kubeconfig : await this.kubeconfigFor(user)
    return connect({ clock: this.clock, ...rest, config: await readKubeconfig(text) })
  }

  /** A client configuration of any user, by a client certificate for an hour of the server's clock. */
  kubeconfigFor(user: TestUser): Promise<string> {
    const { parts } = this.#parts
    return kubeconfigFor(user, { ...parts, url: this.url, clock: this.clock })
  }

  /** Takes the state that `reset` goes back to. */
  async begin(): Promise<void> {
    this.#base = await this.snapshot()
    this.requests.clear()
    this.webhooks.clear()
  }

  /**
   * Goes back to the state after the start: objects, addresses, what is served, history. Ends all watches with an ERROR
   * event, Status 410 Expired. Ends faults, and forgets recorded requests. The clock stays where it is.
   */
  reset(): Promise<void> {
    return this.restore(this.#base!)
  }

  /** All objects as they are now, when the controllers have nothing left to do. */
  async snapshot(): Promise<Snapshot> {
    await this.settled()
    return this.#parts.traffic.alone(() => this.#state.take())
  }

  /** The same as `reset`, to the state of a snapshot of this server. */
  async restore(snapshot: Snapshot): Promise<void> {
    const { faults, traffic, parts } = this.#parts
    faults.clear()
    await traffic.alone(async () => {
      parts.cache.hub.expire()
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const changed = await this.#state.restore(snapshot)
        if (changed === 0 && round > 0) break
        await this.settled()
      }
      await parts.cache.forgetHistory()
      this.requests.clear()
      this.webhooks.clear()
    })
  }

  /** Creates a namespace with a name of its own, ready for use. */
  async namespace(prefix = 'test'): Promise<TestNamespace> {
    const client = await this.#asAdmin()
    const made = await client
      .resource('v1', 'namespaces')
      .create({ metadata: { generateName: `${prefix}-` } })
    // With controllers it has an account for pods then.
    await this.settled()
    return new TestNamespace(made.metadata!.name!, client, async () => {
      await this.clock.advance(DELETION_MS)
      await this.settled()
    })
  }

  /**
   * Applies objects: JSON values, or YAML text of any number of documents. Definitions of custom resources come first, and
   * are served before the rest is applied. Resolves with what the server made of them.
   */
  async apply(manifests: Manifests): Promise<readonly ApiObject[]> {
    const { applyManifests } = await import('./manifests.ts')
    return applyManifests(await this.#asAdmin(), manifests)
  }

  /**
   * Calls a function until it neither throws nor returns false: every 20 milliseconds, and whenever an object changes.
   * Resolves with its result.
   */
  eventually<T>(
    attempt: () => T | Promise<T>,
    options: EventuallyOptions = {},
  ): Promise<Exclude<T, false>> {
    const { engine } = this.#parts.parts.store
    return eventually(attempt, options, (again) => engine.subscribe(again))
  }

  /** Makes requests fail, from now on. */
  fail(fault: Fault): ActiveFault {
    return this.#parts.faults.add(fault)
  }

  /** Breaks the connections of watches and other streams, without a last event. Returns how many. */
  dropWatches(pattern: RequestPattern = {}): number {
    checkMembers(pattern, PATTERN_MEMBERS, 'a pattern')
    const streams = this.#parts.traffic.streams(pattern)
    for (const { exchange } of streams) exchange.cut()
    return streams.length
  }

  /** Ends watches with an ERROR event, Status 410 Expired: all, or those of a resource such as `deployments.apps`. */
  expireWatches(resource?: string): void {
    const { cache, catalogue } = this.#parts.parts
    if (resource === undefined) return cache.hub.expire()
    const dot = resource.indexOf('.')
    const [plural, group] =
      dot === -1 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)]
    const entry = catalogue.entry(group, plural)
    if (!entry) throw new TypeError(`the server has no resource ${resource}`)
    const prefix = entry.versions[0].keyPrefix
    cache.hub.expire((one) => one === prefix)
  }

  /** Discards the history of changes: reads and watches from older resourceVersions, and continued lists, get 410. */
  expireHistory(): Promise<void> {
    return this.#parts.parts.cache.forgetHistory()
  }

  /** The writes that succeeded since the start or the last reset, as a fixture for {@link replay}. */
  async session(): Promise<Session> {
    const { sessionOf } = await import('./session.ts')
    return sessionOf(this.requests.all, this.#parts.parts.api.v.name)
  }

  /** Makes the writes of a session again, in their order, as the users that made them. */
  async replay(session: Session): Promise<void> {
    const { replaySession } = await import('./session.ts')
    await replaySession(session, this.#parts.parts)
    await this.settled()
  }

  /** Calls back when the server has been closed. */
  onClose(call: () => Promise<void> | void): void {
    this.#closers.push(call)
  }

  async close(): Promise<void> {
    this.#parts.faults.clear()
    this.#state.close()
    await this.#parts.running.close()
    for (const call of this.#closers.splice(0)) await call()
  }

  #asAdmin(): Promise<Client> {
    return (this.#admin ??= this.client())
  }
}
