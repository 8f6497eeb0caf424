import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { Event } from '../../kinds/core/event/event.ts'
import { StatusError } from '../../meta/errors.ts'
import { FieldErrors } from '../../meta/field-errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Attributes } from '../attributes.ts'
import {
  int32At,
  listAt,
  membersOfKind,
  recordAt,
  refuseFaults,
  textAt,
  UnknownMembers,
} from '../../meta/config-members.ts'
import type { PluginFactory } from '../plugin.ts'

/** What events are counted by, and the key of an event in it. */
const KEYS = {
  Namespace: ({ namespace }: Attributes) => namespace,
  Server: () => '',
  SourceAndObject: ({ object }: Attributes) => sourceAndObject(object!.live),
  User: ({ user }: Attributes) => user.name,
} satisfies Readonly<Record<string, (attributes: Attributes) => string>>

type LimitType = keyof typeof KEYS
const TYPES = Object.keys(KEYS) as readonly LimitType[]

/** One limit of the configuration. */
export interface EventLimit {
  readonly type: LimitType
  /** Events in a second, in the long run. */
  readonly qps: number
  /** Events at once. */
  readonly burst: number
  /** Maximum number of keys. */
  readonly cacheSize: number
}

const DEFAULT_CACHE_SIZE = 4096
/** Longer keys are remembered by their digest: texts of clients, of which there may be thousands. */
const MAX_KEY = 256

/** Refuses events that come too fast. */
export const eventRateLimit: PluginFactory<readonly EventLimit[]> = {
  name: 'EventRateLimit',
  defaultOn: false,
  needsConfig: true,
  decodeConfig,
  create: ({ clock }, limits = []) => {
    const counters = limits.map((limit) => new Counter(limit, clock))
    return {
      handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
      resources: [{ group: '', resource: 'events' }],
      validate(attributes) {
        if (attributes.dryRun) return
        // An event counts in all limits, also in those behind an exceeded one.
        const exceeded = counters.flatMap((counter) => counter.exceeded(attributes))
        if (exceeded.length === 0) return
        const text = exceeded.length === 1 ? exceeded[0]! : `[${exceeded.join(', ')}]`
        throw new StatusError(429, 'TooManyRequests', `Too many requests: ${text}`)
      },
    }
  },
}

const sourceAndObject = ({ source = {}, involvedObject = {} }: Partial<Event>): string => {
  const { kind = '', namespace = '', name = '', uid = '', apiVersion = '' } = involvedObject
  return [source.component ?? '', source.host ?? '', kind, namespace, name, uid, apiVersion].join(
    '',
  )
}

/** Tokens of a key, and when they were counted. */
interface Bucket {
  tokens: number
  atMs: number
}

/** The token buckets of one limit, of the keys that were used last. */
class Counter {
  readonly #limit: EventLimit
  readonly #clock: Clock
  /** By key; the one that was used last is at the end. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(limit: EventLimit, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  /** Counts an event; the text about an exceeded limit, or nothing. */
  exceeded(attributes: Attributes): string[] {
    const { type } = this.#limit
    const key = KEYS[type](attributes)
    if (this.#take(key)) return []
    return [`limit reached on type ${type} for key ${key}`]
  }

  #take(key: string): boolean {
    const { qps, burst, cacheSize } = this.#limit
    const short = key.length <= MAX_KEY ? key : createHash('sha256').update(key).digest('base64')
    const now = this.#clock.now()
    const bucket = this.#buckets.get(short) ?? { tokens: burst, atMs: now }
    this.#buckets.delete(short)
    this.#buckets.set(short, bucket)
    if (this.#buckets.size > cacheSize) {
      this.#buckets.delete(this.#buckets.keys().next().value!)
    }
    // A clock that is set back must not take tokens away.
    const passedMs = Math.max(0, now - bucket.atMs)
    bucket.tokens = Math.min(burst, bucket.tokens + (passedMs * qps) / 1000)
    bucket.atMs = now
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}

function decodeConfig(document: unknown, v: Vocabulary): readonly EventLimit[] {
  const version = v.resolve('eventratelimit.admission{api}/v1alpha1')
  const members = membersOfKind(document, 'Configuration', [version])
  const unknown = new UnknownMembers()
  unknown.collect(members, ['kind', 'apiVersion', 'limits'])
  const limits = listAt(members['limits'], 'limits').map((item, i) => {
    const at = `limits[${i}]`
    const limit = recordAt(item, at)
    unknown.collect(limit, ['type', 'qps', 'burst', 'cacheSize'], `${at}.`)
    return {
      type: textAt(limit['type'], `${at}.type`) as LimitType,
      qps: int32At(limit['qps'], `${at}.qps`),
      burst: int32At(limit['burst'], `${at}.burst`),
      cacheSize: int32At(limit['cacheSize'], `${at}.cacheSize`),
    }
  })
  unknown.refuse()
  checkLimits(limits)
  return limits.map((limit) => ({ ...limit, cacheSize: limit.cacheSize || DEFAULT_CACHE_SIZE }))
}

function checkLimits(limits: readonly EventLimit[]): void {
  const errors = new FieldErrors()
  const scope = errors.at('limits')
  if (limits.length === 0) scope.required()
  for (const [i, { type, qps, burst, cacheSize }] of limits.entries()) {
    const at = scope.at(i)
    if (!TYPES.includes(type)) at.at('type').notSupported(type, TYPES)
    if (burst <= 0) at.at('burst').invalid(burst, 'must be positive')
    if (qps <= 0) at.at('qps').invalid(qps, 'must be positive')
    if (type !== 'Server' && cacheSize < 0) {
      at.at('cacheSize').invalid(cacheSize, 'must not be negative')
    }
  }
  refuseFaults(errors)
}
