import { systemClock } from '../../base/clock.ts'
import { IndexedPool } from '../../base/indexed-pool.ts'
import { errorText } from '../../base/error-text.ts'
import { forFlag } from '../../base/plain-reason.ts'
import { RandomUuids } from '../../base/random-uuids.ts'
import { BodyMemory } from '../../http/body-memory.ts'
import { BodyQueue } from '../../http/body-queue.ts'
import { Connections } from '../../http/connections.ts'
import type { Context, ResponseSettings, ServerState } from '../../http/context.ts'
import { Deadlines } from '../../http/deadlines.ts'
import { connectionsWithin } from '../../http/descriptors.ts'
import { Exchanges } from '../../http/exchanges.ts'
import { Pieces } from '../../http/pieces.ts'
import { Stages, type StageSubscriber } from '../../http/stages.ts'
import { RequestMetrics } from '../../http/request-metrics.ts'
import { WatchMetrics } from '../../http/watch-metrics.ts'
import type { Api } from '../../registry/context.ts'
import { showKinds } from '../flow-metrics.ts'
import type { Settings } from '../settings.ts'
import { component, type ServerParts } from './component.ts'

/** The `-v` level that logs every request. */
const REQUEST_LOG_LEVEL = 3
const REQUEST_TIMEOUT_MS = 60_000

/** Handlers of the listener's requests. */
export interface Requests {
  readonly state: ServerState
  readonly exchanges: Exchanges
  readonly connections: Connections
}

/** Prepares the request pipeline. */
export const requests = (settings: Settings) =>
  component({
    name: 'requests',
    needs: [
      'api',
      'audit',
      'tracing',
      'authentication',
      'authorization',
      'aggregation',
      'health',
      'endpoints',
      'flowControl',
    ],
    async start(parts) {
      const { api, audit, authentication, authorization, aggregation, health, endpoints } = parts
      const { options, inside, clock, log, metrics } = settings
      const connections = connectionsOf(settings)
      const deadlines = new Deadlines(clock)
      const counted = countedBy(settings, api)
      const { reads, writes } = settings.flowLimits
      showKinds(metrics, counted.inFlight, {
        phase: 'executing',
        limits: { mutating: writes, readOnly: reads },
        now: () => clock.now(),
      })
      const subscribers = await subscribersOf(settings, parts, counted)
      const state: ServerState = {
        api,
        stages: new Stages(subscribers, { clock, log }),
        audit: audit.trail,
        deadlines,
        connections,
        ...(await ownState(settings)),
        bodyQueue: new BodyQueue(api.largeWork),
        authentication: authentication.chain,
        limits: parts.flowControl.limits,
        authorizer: authorization.authorizer,
        health: health.checks,
        ...endpoints,
        remotes: aggregation.remotes,
        watchMetrics: new WatchMetrics(metrics),
        onDeprecated: (use) => {
          counted.deprecated(use)
          options.onDeprecated?.(use)
        },
        onError: (error, { exchange, path }) => {
          log.error('request failed', { method: exchange.method, path, error: errorText(error) })
        },
      }
      return {
        part: {
          state,
          exchanges: new Exchanges(state, settings.traffic, inside.around),
          connections,
        },
        stop: () => deadlines.close(),
      }
    },
  })

/** The part of the state that needs no other component. */
async function ownState(settings: Settings) {
  const { options, v, log } = settings
  return {
    log,
    auditIds: new RandomUuids(),
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    responses: await responseSettings(settings),
    pieces: new Pieces(settings.flowLimits.readsInTurns ? settings.traffic : null),
    shutdown: { hasBegun: false, refusal: null },
    longRunning: new IndexedPool<Context>(),
    bodyMemory: new BodyMemory(options.bodyMemoryBytes),
    auditKeys: {
      decision: v.resolve('authorization{api}/decision'),
      reason: v.resolve('authorization{api}/reason'),
    },
  }
}

const countedBy = ({ metrics, clock, v }: Settings, { catalogue }: Api): RequestMetrics =>
  new RequestMetrics({ registry: metrics, catalogue, now: () => clock.now(), v })

async function subscribersOf(
  settings: Settings,
  { audit, tracing }: Pick<ServerParts, 'audit' | 'tracing'>,
  counted: RequestMetrics,
): Promise<readonly StageSubscriber[]> {
  return [
    ...(audit.trail ? [audit.trail] : []),
    ...(await requestLogOf(settings)),
    counted,
    ...(tracing.subscriber ? [tracing.subscriber] : []),
    ...(settings.options.stages ?? []),
  ]
}

async function requestLogOf({ log: { module }, log }: Settings): Promise<StageSubscriber[]> {
  const own = module?.('http') ?? log
  if (!own.v(REQUEST_LOG_LEVEL)) return []
  const { requestLog } = await import('../../http/request-log.ts')
  return [requestLog(own)]
}

async function responseSettings({ options, ids }: Settings): Promise<ResponseSettings> {
  const { hstsDirectives = [], goawayChance = 0, corsAllowedOrigins = [] } = options.serving ?? {}
  return {
    strictTransportSecurity: hstsDirectives.join('; '),
    goawayChance,
    fraction: () => ids.fraction(),
    allowsOrigin:
      corsAllowedOrigins.length === 0
        ? null
        : await forFlag('cors-allowed-origins', async () => {
            const { allowedOrigins } = await import('../../http/origins.ts')
            return allowedOrigins(corsAllowedOrigins)
          }),
  }
}

const connectionsOf = ({ options: { strangersPerAddress }, log }: Settings): Connections =>
  new Connections({
    clock: systemClock,
    log,
    most: connectionsWithin(),
    ...(strangersPerAddress === undefined ? {} : { strangersPerAddress }),
  })
