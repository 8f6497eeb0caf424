/** Runs the controllers as a separate program, against a server elsewhere. */
import { hostname } from 'node:os'
import { signingKey } from '../authn/service-account/keys.ts'
import { TokenIssuer } from '../authn/service-account/issue.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import { forFlagSync } from '../base/plain-reason.ts'
import { shortened } from '../base/short-text.ts'
import { AccountCredentials } from '../client/account-credentials.ts'
import { Client } from '../client/client.ts'
import type { ClientConfig } from '../client/client-config.ts'
import { openCredentials } from '../client/connect.ts'
import type { CredentialSource } from '../client/credentials.ts'
import { vocabularyOf } from '../client/discovery.ts'
import { EventRecorder } from '../client/event-recorder.ts'
import { HttpsTransport } from '../client/https-transport.ts'
import { KnownResources } from '../client/known-resources.ts'
import { pause } from '../client/retry.ts'
import { LeaderElector } from '../client/leader-election.ts'
import { rateLimited, type RequestRate } from '../client/rate-limited.ts'
import { SharedInformers } from '../client/shared-informers.ts'
import { Wire } from '../client/wire.ts'
import { choiceFault, isChosen } from '../controllers/choice.ts'
import type { Controller, ControllerContext, DebugPage } from '../controllers/controller.ts'
import { defaultSettings, type ControllerSettings } from '../controllers/settings.ts'
import { managedControllers, startControllers } from '../controllers/index.ts'
import type { SignerId } from '../controllers/certificates/signers.ts'
import type { SigningParts } from '../controllers/certificates/signing.ts'
import type { ServiceAccountTokenParts } from '../controllers/service-account-tokens.ts'
import { setGates } from '../kinds/gates.ts'
import { Registry } from '../metrics/registry.ts'
import type { ReviewServer } from './access.ts'
import { reachServer } from './reach-server.ts'
import type { HealthCondition } from './serving.ts'
import { leafSigner } from '../pki/leaf-signer.ts'
import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'

/** An authority that signs certificates. */
interface SigningPair {
  readonly cert: string
  readonly key: string
  readonly flag: string
}

/** How the program runs. */
export interface ControllerManagerOptions {
  readonly config: ClientConfig
  /** Which controllers run: names, `*` for all that are not named, `-name` for all but one. */
  readonly controllers: readonly string[]
  /** Settings that differ from those of the release. */
  readonly settings?: Partial<ControllerSettings>
  /** Whether each controller uses its own service account; else all use the credentials of the configuration. */
  readonly useServiceAccountCredentials: boolean
  /** Authority that is published in every namespace, PEM; nothing is published when empty. */
  readonly rootCa: string
  /** Signs tokens in secrets, PEM; none are made when empty. */
  readonly serviceAccountKey: string
  /** Who signs certificates, and for how long at most; nobody when there are no authorities. */
  readonly signing: {
    readonly durationMs: number
    /** Certificates and keys, PEM, with the flag that errors name. */
    readonly authorities: Readonly<Partial<Record<SignerId, SigningPair>>>
  }
  /** Null: there is no other. */
  readonly leaderElection: {
    readonly namespace: string
    readonly name: string
    readonly leaseDurationMs: number
    readonly renewDeadlineMs: number
    readonly retryPeriodMs: number
  } | null
  /** Requests of each client; as many as it takes when absent. */
  readonly rate?: RequestRate
  /** Features that differ from the defaults of the release. */
  readonly featureGates?: Readonly<Record<string, boolean>>
  readonly log: Log
  /** The machine's by default. */
  readonly clock?: Clock
}

/** A program that runs controllers. */
export interface ControllerManager {
  /** Resolves when it was stopped on request; rejects when leadership was lost. */
  run(signal: AbortSignal): Promise<void>
  /** Conditions of its health: the election, and each controller that runs. */
  conditions(): readonly HealthCondition[]
  /** The server that it works against; null as long as it was not reached. */
  server(): ReviewServer | null
  /** Pages of the controllers that run, by their path below `/debug/controllers/`. */
  debugPages(): ReadonlyMap<string, DebugPage>
  /** Its metrics; null as long as the server was not reached. */
  metrics(): Registry | null
}

/** How late a lease may be before the program counts as stuck. */
const LATE_MS = 20_000
/** How long the last event may take. */
const FAREWELL_MS = 1_000

/** Assembles the program. Throws an Error when it cannot start. */
export function controllerManager(options: ControllerManagerOptions): ControllerManager {
  const { leaderElection, log } = options
  const fault = choiceFault(options.controllers)
  if (fault !== null) throw new Error(`--controllers ${fault}`)
  // Names of features are the same in both vocabularies.
  forFlagSync('feature-gates', () =>
    setGates(options.featureGates ?? {}, vocabularies[defaultVocabulary]),
  )
  if (options.serviceAccountKey !== '')
    forFlagSync('service-account-private-key-file', () => signingKey(options.serviceAccountKey))
  const signing = signingParts(options.signing)
  let elector: LeaderElector | null = null
  let setting: Setting | null = null
  return {
    conditions: () => [
      { name: 'ping', fault: null },
      ...(leaderElection ? [{ name: 'leaderElection', fault: electionFault(elector) }] : []),
      ...(setting?.running ?? []).map((name) => ({ name, fault: null })),
    ],
    server: () => setting,
    debugPages: () => setting?.pages ?? new Map<string, DebugPage>(),
    metrics: () => setting?.metrics ?? null,
    async run(signal) {
      const made = await settingOf({ ...options, signing }, signal)
      if (!made) return
      setting = made
      try {
        if (!leaderElection) return await work(made, signal)
        const election = electorOf(made, leaderElection)
        elector = election.elector
        await elector.run(signal, (leading) => work(made, leading).finally(election.stopped))
        if (!signal.aborted) throw new Error('the lead was lost')
      } finally {
        made.close()
        log.info('the controllers have stopped')
      }
    },
  }
}

const electionFault = (elector: LeaderElector | null): string | null =>
  elector && elector.lateMs > LATE_MS ? 'the lease was not renewed in its time' : null

/** Options whose files were checked. */
type CheckedOptions = Omit<ControllerManagerOptions, 'signing'> & { readonly signing: SigningParts }

/** Authorities that can sign. Throws an Error that names a flag. */
function signingParts({
  durationMs,
  authorities,
}: ControllerManagerOptions['signing']): SigningParts {
  const signers = Object.entries(authorities).map(([id, { flag, ...pair }]) => [
    id,
    forFlagSync(flag, () => leafSigner(pair)),
  ])
  return { durationMs, authorities: Object.fromEntries(signers) }
}

/** Dependencies of all parts of a running program. */
interface Setting {
  readonly options: CheckedOptions
  readonly v: Vocabulary
  readonly clock: Clock
  readonly client: Client
  /** A client as a service account of the system's namespace. */
  readonly clientFor: (account: string) => Client
  /** A further client as this program, which can be closed separately. */
  readonly managerClient: () => Client
  readonly metrics: Registry
  readonly pages: Map<string, DebugPage>
  /** Names of the controllers that run. */
  running: readonly string[]
  close(): void
}

/** Connects, when the server is healthy. Null when aborted. */
async function settingOf(options: CheckedOptions, signal: AbortSignal): Promise<Setting | null> {
  const { config, log, useServiceAccountCredentials, clock = systemClock } = options
  const own = new Wire(config, clock)
  const credentials = await openCredentials(config, { clock, interactive: false })
  const probe = { wire: own, credentials, clock, userAgent: `${defaultVocabulary}-client` }
  const server = new HttpsTransport(probe)
  const attempt = (ended: AbortSignal) => vocabularyOfServer(server, ended)
  let v: Vocabulary | null = null
  try {
    v = await reachServer({ attempt, clock, log }, signal)
  } finally {
    if (!v) own.close()
  }
  if (!v) return null
  const userAgent = v.resolve('{system}-controller-manager')
  const metrics = new Registry({ v, log })
  const { rate = UNLIMITED } = options
  const clientOn = (wire: Wire, source: CredentialSource, most: RequestRate) => {
    const parts = { wire, credentials: source, clock, userAgent, metrics, isWireShared: true }
    return new Client({
      transport: rateLimited(new HttpsTransport(parts), most, clock),
      clock,
      ids: randomIds,
      timeoutMs: 0,
    })
  }
  // Leases, reviews and watches do not wait for the writes of controllers.
  const client = clientOn(own, credentials, UNLIMITED)
  const accounts = useServiceAccountCredentials ? new Wire(anonymously(config), clock) : null
  const namespace = v.resolve('{system}-system')
  return {
    options,
    v,
    clock,
    client,
    managerClient: () => clientOn(own, credentials, rate),
    metrics,
    pages: new Map(),
    running: [],
    clientFor: (name) =>
      accounts
        ? clientOn(
            accounts,
            new AccountCredentials({ client, namespace, name, clock }),
            rateOf(name, rate),
          )
        : clientOn(own, credentials, rateOf(name, rate)),
    close() {
      own.close()
      accounts?.close()
    },
  }
}

const UNLIMITED: RequestRate = { perSecond: 0, burst: 0 }

/** The rate of the client of an account. To empty a namespace takes many requests. */
const rateOf = (account: string, { perSecond, burst }: RequestRate): RequestRate =>
  account === 'namespace-controller'
    ? { perSecond: perSecond * 20, burst: burst * 100 }
    : { perSecond, burst }

/** The address of the server, without credentials. */
const anonymously = ({
  server,
  ca,
  tlsServerName,
  insecureSkipTlsVerify,
}: ClientConfig): ClientConfig => ({
  server,
  ...(ca === undefined ? {} : { ca }),
  ...(tlsServerName === undefined ? {} : { tlsServerName }),
  ...(insecureSkipTlsVerify === undefined ? {} : { insecureSkipTlsVerify }),
})

/** The vocabulary of a healthy server. Rejects when it is not healthy. */
async function vocabularyOfServer(
  server: HttpsTransport,
  signal: AbortSignal,
): Promise<Vocabulary> {
  const health = await server.readText('/healthz', signal)
  if (health !== 'ok') throw new Error(`/healthz: ${shortened(health, 200)}`)
  return vocabularyOf((await server.discover(signal)).resources)
}

function electorOf(
  { client, v, clock, options: { log } }: Setting,
  election: NonNullable<ControllerManagerOptions['leaderElection']>,
): { readonly elector: LeaderElector; readonly stopped: () => Promise<void> } {
  const identity = `${hostname()}_${randomIds.uid()}`
  const { namespace: givenNamespace, name: givenName, ...times } = election
  const namespace = givenNamespace === '' ? v.resolve('{system}-system') : givenNamespace
  const name = givenName === '' ? v.resolve('{system}-controller-manager') : givenName
  const component = v.resolve('{system}-controller-manager')
  const recorder = new EventRecorder({ client, component, host: hostname(), clock })
  const apiVersion = v.resolve('coordination{api}/v1')
  const lease = { apiVersion, kind: 'Lease', namespace, name }
  const say = (what: string) =>
    recorder.event(lease, 'Normal', 'LeaderElection', `${identity} ${what}`)
  const elector = new LeaderElector({
    client,
    leases: { group: v.resolve('coordination{api}'), version: 'v1', resource: 'leases' },
    namespace,
    name,
    identity,
    ...times,
    clock,
    ids: randomIds,
    onNewLeader(leader) {
      if (leader === identity) say('became leader')
      log.info(
        leader === identity
          ? 'leader election: this program leads'
          : 'leader election: another program leads',
        { leader },
      )
    },
    onTrouble: (error) =>
      log.warn('the lease cannot be acquired or renewed', { error: String(error) }),
  })
  return {
    elector,
    async stopped() {
      say('stopped leading')
      // A server that cannot be reached does not keep the program from ending.
      const waited = new AbortController()
      await Promise.race([recorder.idle(), pause(clock, FAREWELL_MS, waited.signal)]).catch(
        () => {},
      )
      waited.abort()
    },
  }
}

/** Runs the controllers until the signal. */
async function work(setting: Setting, signal: AbortSignal): Promise<void> {
  const { options, v, clock, client, clientFor } = setting
  const { log } = options
  const informers = new SharedInformers(client, (resource, error) =>
    log.debug(1, 'a resource cannot be watched yet, retrying', { resource, error: String(error) }),
  )
  const context: ControllerContext = {
    v,
    clock,
    log,
    gate: setGates(options.featureGates ?? {}, v).gate,
    clientFor,
    managerClient: setting.managerClient,
    informers,
    resources: new KnownResources(client),
    metrics: setting.metrics,
    pages: setting.pages,
    settings: { ...defaultSettings, ...options.settings },
  }
  const chosen = chosenOf(setting)
  const running = startControllers(context, chosen)
  setting.running = chosen.map(({ name }) => name)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  setting.running = []
  setting.pages.clear()
  await running.stop()
  await informers.stop()
}

function chosenOf({ options, v, clock }: Setting): Controller[] {
  const { rootCa, serviceAccountKey, signing, controllers, settings = {}, log } = options
  const tokens: ServiceAccountTokenParts = {
    ca: rootCa,
    issue: issuerOf(serviceAccountKey, v, clock),
  }
  return managedControllers({ tokens, signing }).filter((controller) => {
    if (!isChosen(controller, controllers)) return false
    if (controller.name === 'garbagecollector' && settings.collectsGarbage === false) return false
    const { name } = controller
    const isMissing =
      (name === 'root-ca-cert-publisher' && rootCa === '') ||
      (name.startsWith('serviceaccount-token') && serviceAccountKey === '') ||
      (name === 'csrsigning' && Object.keys(signing.authorities).length === 0)
    if (isMissing)
      log.warn('a controller is disabled because its file is missing', { controller: name })
    return !isMissing
  })
}

/** Signs tokens in secrets, which have no times and audiences. */
function issuerOf(pem: string, v: Vocabulary, clock: Clock): ServiceAccountTokenParts['issue'] {
  if (pem === '') return () => Promise.reject(new Error('there is no key for tokens'))
  const issuer = new TokenIssuer({
    v,
    clock,
    key: signingKey(pem),
    issuer: '',
    apiAudiences: [],
    maxExpirationSeconds: 0,
    extend: false,
  })
  return (account, secret) => issuer.issueLegacy(account, secret)
}
