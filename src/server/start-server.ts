/** Chooses the parts, wires them and starts them. */
import { join } from 'node:path'
import { alwaysAllow } from '../authz/always.ts'
import { repairAllocations } from '../registry/allocations-repair.ts'
import { serviceAllocators } from '../registry/allocations.ts'
import { KeyedMutex, type Api } from '../registry/context.ts'
import { pluginWriter } from '../registry/plugin-writer.ts'
import { renewTables, storageForms } from '../registry/storage-forms.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { OWNER_FILE } from '../base/folders.ts'
import { silentLog } from '../base/log.ts'
import { forFlagSync } from '../base/plain-reason.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { publishAuthentication } from './bootstrap/authentication-config.ts'
import { ensureSystemPriorities } from './bootstrap/system-priorities.ts'
import { ensureServerService } from './bootstrap/server-service.ts'
import { writeFirstObjects } from './bootstrap/first-objects.ts'
import { adminKubeconfig } from '../client/kubeconfig.ts'
import type { ServerState } from '../http/context.ts'
import { BodyMemory } from '../http/body-memory.ts'
import { BodyQueue } from '../http/body-queue.ts'
import { Connections } from '../http/connections.ts'
import { connectionsWithin } from '../http/descriptors.ts'
import { documentEndpoint } from '../http/endpoints/document.ts'
import { Exchanges } from '../http/exchanges.ts'
import { Deadlines } from '../http/deadlines.ts'
import { listen } from '../http/listen.ts'
import { Stages } from '../http/stages.ts'
import { setGates } from '../kinds/gates.ts'
import { resources } from '../kinds/index.ts'
import { writeFileAtomically } from '../pki/write-file.ts'
import { objectSource } from './object-source.ts'
import { checkOptions, inOptions } from './options/option-checks.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import { chooseAdmission, openAdmission } from './admission.ts'
import { dataDirFault, StartingDataDir } from './data-dir.ts'
import { openAuthentication } from './authentication.ts'
import { authorizationModes, openAuthorization } from './authorization.ts'
import { serveDefinitions } from './definitions.ts'
import { serverEndpoints } from './endpoints.ts'
import { healthChecks, storeChecks } from './health.ts'
import { StartProgress } from './start-checks.ts'
import { buildCatalogue, declaredVersions } from '../catalogue/catalogue.ts'
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts'
import { runtimeConfig } from '../catalogue/runtime-config.ts'
import { serviceRanges, type RunningServer, type ServerOptions } from './options/server-options.ts'
import { startFailure } from '../base/start-failure.ts'
import { checkTlsOptions } from './options/tls-options.ts'
import { serverPki } from './pki.ts'
import { encryptedStore, openEngine } from './store.ts'
import { WatchCache } from '../cache/watch-cache.ts'
import type { Engine } from '../engine/engine.ts'
import { defaultVocabulary, vocabularies } from '../vocabulary/index.ts'

const HISTORY_MS = 300_000
const REQUEST_TIMEOUT_MS = 60_000
const MIN_REQUEST_TIMEOUT_MS = 1_800_000
const CLOSE_GRACE_MS = 5_000
const HANDLER_GRACE_MS = 1_000

const SERVER_LEASE_RENEW_MS = 10_000

/** An error with where it came from, for the log. */
const told = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** Work that is waited for later: what fails is told then. */
function underway<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return work
}

/**
 * Starts a server in this process and resolves when it is ready. Without a data directory everything is gone
 * when it closes. Rejects when the options are wrong, or the address or the data directory cannot be had, with an Error
 * that names options.
 */
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  checkOptions(options)
  try {
    return await launchServer(options)
  } catch (error) {
    throw inOptions(startFailure(error, options))
  }
}

/** What whoever starts a server inside this project may have of it besides. */
export interface Inside {
  /** Gets its parts before anything is written or answered; what is served is changed by its catalogue. */
  readonly made?: (parts: { readonly api: Api; readonly catalogue: LiveCatalogue }) => void
}

/** The same for options that were looked at; errors name flags, and may be those of the runtime. */
export async function launchServer(
  options: ServerOptions,
  inside: Inside = {},
): Promise<RunningServer> {
  const v = vocabularies[options.vocabulary ?? defaultVocabulary]
  const clock = options.clock ?? systemClock
  const ids = options.ids ?? randomIds
  const log = options.log ?? silentLog
  const bindAddress = options.bindAddress ?? '127.0.0.1'
  const store =
    options.store ?? (options.etcd ? 'etcd' : options.dataDir === undefined ? 'memory' : 'lmdb')
  const historyMs = options.historyMs ?? HISTORY_MS
  checkTlsOptions(options)
  const gates = forFlagSync('feature-gates', () => setGates(options.featureGates ?? {}, v))
  for (const text of gates.warnings) log.warn(text)
  const isEnabled = forFlagSync('runtime-config', () =>
    runtimeConfig(options.runtimeConfig ?? {}, declaredVersions(resources, v), v),
  )
  const ranges = serviceRanges(options)
  const plugins = await chooseAdmission(options, v)

  const closers: (() => Promise<void> | void)[] = []
  const dataDir = options.dataDir === undefined ? null : new StartingDataDir(options.dataDir)
  /** Whether a client may have been told of something that is in the store. */
  let isServing = false
  const closeAll = async () => {
    for (const close of closers.splice(0).reverse()) await close()
  }
  try {
    const opening = underway(openEngine(store, options, clock, { vocabulary: v.name, dataDir }))
    // What fails meanwhile waits for it, since nobody else would close it.
    closers.push(() =>
      opening.then(
        (opened) => opened.close(),
        () => {},
      ),
    )
    // What is far away is waited for while the rest is made.
    await yieldToEventLoop()
    const catalogue = buildCatalogue(resources, v, isEnabled)
    const opened = underway(
      opening.then(async (plain) => {
        const encrypted = await encryptedStore(plain, options, catalogue, v)
        const engine: Engine = encrypted ?? plain
        return { plain, encrypted, engine }
      }),
    )
    // Certificates are read by clients, whose time is the machine's, not that of a test.
    const identifying = underway(
      serverPki({
        store: opened,
        options,
        vocabulary: v,
        clock: systemClock,
        bindAddress,
        hosts: [
          ...(options.advertiseAddress ? [options.advertiseAddress] : []),
          ...(options.servingHosts ?? []),
          ...ranges.addresses.map((range) => range.at(0)),
        ],
      }),
    )
    // Keys that are being written when a start fails would be left half-made.
    closers.push(() =>
      identifying.then(
        () => {},
        () => {},
      ),
    )
    const { plain, encrypted, engine } = await opened
    const cache = new WatchCache(engine, {
      clock,
      historyMs,
      formOf: storageForms(catalogue, () => api),
      onError: (error) => log.error('history compaction failed', { error: String(error) }),
    })
    closers.push(() => cache.close())
    renewTables(cache, catalogue)

    // The parts of a server know each other: what is asked later is looked up then.
    const objects: ObjectSource = {
      get: (...asked) => source.get(...asked),
      fresh: () => cache.fresh(),
      follow: (...asked) => source.follow(...asked),
    }
    const authorizer: Api['authorizer'] = {
      authorize: (user, attributes) => authorization.authorizer.authorize(user, attributes),
      rulesFor: (user, namespace) => authorization.authorizer.rulesFor(user, namespace),
    }
    const api: Api = {
      v,
      clock,
      ids,
      cache,
      catalogue,
      get admission() {
        return admission.chain
      },
      gate: gates.gate,
      allowPrivileged: options.allowPrivileged ?? false,
      agentTls: options.agentTls ?? {},
      proxiesToLoopback: options.proxiesToLoopback ?? false,
      allocators: serviceAllocators(ranges.addresses, ranges.ports),
      authorizer,
      closestRule: (user, attributes) => authorization.closest(user, attributes),
      get guards() {
        return authorization.guards
      },
      ...(encrypted ? { isStale: (key: string) => encrypted.isStale(key) } : {}),
      get tokens() {
        return authentication.serviceAccounts.issuer
      },
      authenticateToken: (token, audiences) => authentication.review(token, audiences),
      minRequestTimeoutMs: options.minRequestTimeoutMs ?? MIN_REQUEST_TIMEOUT_MS,
      mutex: new KeyedMutex(),
    }
    inside.made?.({ api, catalogue })
    const source = objectSource(api, (error) =>
      log.error('an event handler failed', { error: String(error) }),
    )
    const admission = openAdmission(plugins, {
      v,
      clock,
      log,
      objects,
      writer: pluginWriter(() => api),
      authorizer,
      catalogue,
      gate: gates.gate,
    })
    closers.push(() => admission.close())
    const rbac = authorizationModes(options.authorization ?? {}).includes('RBAC')
    // The server is ready when it is done, and not before; what else a start takes goes on beside it.
    const beginning = underway(
      Promise.all([writeFirstObjects(api, { rbac }), repairAllocations(api)]),
    )
    const defining = underway(serveDefinitions({ v, clock, ids, catalogue, objects: source, log }))
    closers.push(async () => (await defining.catch(() => null))?.())
    const parts = { v, clock, log, objects }
    const authorization = await openAuthorization(options.authorization ?? {}, parts)
    closers.push(() => authorization.close())
    const priorities = underway(ensureSystemPriorities(api))
    const pki = await identifying
    const authentication = await openAuthentication(options.authentication ?? {}, {
      ...parts,
      certificateClock: systemClock,
      pki,
      anonymousAllowed: !authorization.modes.includes('AlwaysAllow'),
    })
    closers.push(() => authentication.close())
    let namespacesReady = false
    let address = ''
    const whichControllers = options.controllers ?? true
    const runsControllers = whichControllers !== false
    const progress = new StartProgress([
      ...(rbac ? [] : (['rbac/bootstrap-roles'] as const)),
      ...(runsControllers
        ? []
        : (['start-apiextensions-informers', 'start-apiextensions-controllers'] as const)),
    ])
    // What they follow was read before.
    progress.done(
      'start-{system}-apiserver-admission-initializer',
      'generic-apiserver-start-informers',
    )
    const health = healthChecks(
      storeChecks(plain, options, clock),
      {
        ready: () => namespacesReady,
        synced: () => namespacesReady && admission.chain.isReady(),
        draining: () => state.draining,
      },
      progress.checks(v),
    )
    const { endpoints, prefixes } = serverEndpoints(api, { health, address: () => address })
    const connections = new Connections({
      clock: systemClock,
      log,
      most: connectionsWithin(),
      ...(options.strangersPerAddress === undefined
        ? {}
        : { strangersPerAddress: options.strangersPerAddress }),
    })
    const { stages: subscribers = [] } = options
    const stages = subscribers.length === 0 ? null : new Stages(subscribers, { clock, log })
    const deadlines = new Deadlines(clock)
    closers.push(() => deadlines.close())
    const state: ServerState = {
      api,
      stages,
      deadlines,
      connections,
      requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      draining: false,
      bodyMemory: new BodyMemory(options.bodyMemoryBytes),
      bodyQueue: new BodyQueue(),
      log,
      authentication: authentication.chain,
      authorizer: authorization.authorizer,
      auditKeys: {
        decision: v.resolve('authorization{api}/decision'),
        reason: v.resolve('authorization{api}/reason'),
      },
      health,
      endpoints,
      prefixes,
      onDeprecated: (use) => options.onDeprecated?.(use),
      onError: (error, context) => {
        log.error('request failed', {
          method: context.exchange.method,
          path: context.path,
          error: told(error),
        })
      },
    }

    const exchanges = new Exchanges(state)
    const listener = await listen({
      bindAddress,
      port: options.port ?? 0,
      cert: pki.servingCert,
      key: pki.servingKey,
      clientCa: authentication.clientCa,
      connections,
      certificates: authentication.certificates,
      onExchange: exchanges.take,
      stages,
      onFault: (error) => log.error('a connection failed', { error: told(error) }),
    })
    isServing = true
    authentication.onClientCaChange((pem) => listener.setClientCa(pem))
    const host = bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress
    const reachable =
      bindAddress === '0.0.0.0' ? '127.0.0.1' : bindAddress === '::' ? '[::1]' : host
    address = `${reachable}:${listener.port}`
    const keys = authentication.serviceAccounts.discovery(address)
    if (keys.is === 'absent')
      log.warn('service account issuer discovery is disabled', { why: keys.why })
    else
      for (const document of keys.documents)
        endpoints.set(document.path, documentEndpoint(document))
    const url = `https://${address}`
    closers.push(async () => {
      state.draining = true
      cache.hub.close()
      const closing = listener.close(CLOSE_GRACE_MS)
      await closing
      if (stages === null) return
      // Handlers come back to tell what became of their requests, if they do so soon.
      await exchanges.idle(HANDLER_GRACE_MS)
      stages.close()
    })
    const place = {
      clusterIp: ranges.addresses[0]!.at(0),
      bindAddress,
      advertiseAddress: options.advertiseAddress ?? '',
      port: listener.port,
      log,
    }
    const reconciled = options.endpointReconciler !== 'none'
    const replica = store === 'etcd' ? await import('./replica.ts') : null
    const { renewMs = SERVER_LEASE_RENEW_MS } = options.serverLease ?? {}
    const kubeconfig = adminKubeconfig({
      server: url,
      ca: pki.ca,
      cert: pki.adminCert,
      key: pki.adminKey,
      vocabulary: v,
    })
    const kubeconfigPath =
      options.dataDir === undefined ? undefined : join(options.dataDir, 'admin.kubeconfig')
    const written =
      kubeconfigPath === undefined
        ? null
        : writeFileAtomically(kubeconfigPath, kubeconfig, OWNER_FILE).catch((error: unknown) => {
            throw dataDirFault(options.dataDir!, error)
          })
    // Should what comes between fail, that is told.
    written?.catch(() => {})
    const joining =
      replica && reconciled
        ? underway(replica.joinServers(api, place, { renewMs, after: beginning }))
        : null
    closers.push(async () => (await joining?.catch(() => null))?.stop())
    const [isSeeded] = await beginning
    await defining
    await priorities
    progress.done('scheduling/bootstrap-system-priority-classes')
    if (isSeeded) progress.done('rbac/bootstrap-roles')
    namespacesReady = true
    const lease = await joining
    if (!replica || !reconciled) await ensureServerService(api, { ...place, reconciled })
    progress.done('bootstrap-controller')
    await written
    // Nobody waits for what keeps objects in order.
    const ending = new AbortController()
    closers.push(() => ending.abort())
    // After whoever waits for the server goes on.
    const policy = yieldToEventLoop()
      .then(async () => {
        if (!rbac || isSeeded) return
        const { ensureBootstrapPolicy } = await import('./bootstrap/policy.ts')
        const settled = ensureBootstrapPolicy(api, { signal: ending.signal })
        void progress.follow('rbac/bootstrap-roles', settled)
        await settled
      })
      .catch((error: unknown) => {
        log.error('the bootstrap policy cannot be written', { error: String(error) })
      })
    const publish = () =>
      publishAuthentication(api, source, authentication.published).catch((error: unknown) => {
        log.warn('the config map extension-apiserver-authentication cannot be written', {
          error: String(error),
        })
      })
    const published = publish()
    progress.done('start-cluster-authentication-info-controller')
    closers.push(() => published)
    authentication.onClientCaChange(() => void publish())
    const upkeep = runsControllers
      ? policy.then(() => {
          const run = async () => {
            const { runControllers } = await import('./controllers.ts')
            const { issuer } = authentication.serviceAccounts
            return runControllers(
              // Without roles there are none for them either: then they may what the server may.
              {
                api,
                authorizer: rbac ? authorization.authorizer : alwaysAllow,
                log,
                onlyServer: whichControllers === 'server',
              },
              { ca: pki.ca, issue: (account, secret) => issuer.issueLegacy(account, secret) },
              () =>
                lease
                  ? lease.reconcile()
                  : ensureServerService(api, { ...place, reconciled, throwsRefusals: true }),
            )
          }
          return replica ? replica.electedControllers(api, log, run) : run()
        })
      : null
    progress.done('start-apiextensions-informers', 'start-apiextensions-controllers')
    // First of all at the end: others are no longer sent here, and go on with what was done here.
    closers.push(async () => void (await Promise.all([lease?.stop(), (await upkeep)?.stop()])))
    log.info('ready', { url, store, vocabulary: v.name, revision: engine.revision() })
    let closed: Promise<void> | null = null
    return {
      url,
      port: listener.port,
      ca: pki.ca,
      kubeconfig,
      ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
      async settled() {
        await policy
        await published
        await (await upkeep)?.idle()
      },
      async client(asked = {}) {
        const { inProcessClient } = await import('./in-process-client.ts')
        return inProcessClient({ api, authorizer: authorization.authorizer }, asked)
      },
      close: () => (closed ??= closeAll()),
    }
  } catch (error) {
    if (!isServing) dataDir?.fail()
    await closeAll()
    dataDir?.discard({ isLocked: store === 'lmdb' })
    throw error
  }
}
