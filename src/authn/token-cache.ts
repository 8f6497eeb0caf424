import { LRUCache } from 'lru-cache'
import { elapsedOf, type Clock } from '../base/clock.ts'
import {
  CredentialError,
  type AuthenticationResult,
  type AuthenticationContext,
  type Authenticated,
  type TokenMemory,
  type TokenAuthenticator,
} from './authenticator.ts'
import { secretKeys } from './secret-digest.ts'

const SUCCESS_MS = 10_000
const LOOKUP_MS = 30_000
const MAX_TOKENS = 16_384

/** Metrics of a token cache. */
export interface TokenCacheMetrics {
  request(status: 'hit' | 'miss', durationMs: number): void
  fetch(status: 'ok' | 'error'): void
  /** How many more (or fewer) look up, or wait for one that does. */
  active(status: 'in_flight' | 'blocked', change: 1 | -1): void
}

export interface TokenCacheOptions {
  readonly clock: Clock
  readonly metrics?: TokenCacheMetrics
}

/** Result of an authenticator for a token, with its notes for the request. */
interface Finding {
  readonly result: AuthenticationResult
  readonly annotations: readonly (readonly [string, string])[]
  readonly warnings: readonly string[]
}

interface CacheEntry {
  readonly finding: Finding
  readonly untilMs: number
}

/** An entry that was found for the token of some headers: with the same headers it need not be looked for. */
class Remembered {
  readonly entry: CacheEntry
  readonly audiences: readonly string[]

  constructor(entry: CacheEntry, audiences: readonly string[]) {
    this.entry = entry
    this.audiences = audiences
  }
}

/**
 * Caches the user of a token for ten seconds, and looks up only once for several requests at the same
 * time. Unknown tokens are looked up each time. Tokens themselves are not kept.
 */
export function tokenCache(
  inner: TokenAuthenticator,
  { clock, metrics }: TokenCacheOptions,
): TokenAuthenticator {
  const keyOf = secretKeys()
  // Made at the first token: allocating it would take as long at the start.
  let cache: LRUCache<string, CacheEntry> | null = null
  const entries = () => (cache ??= new LRUCache({ max: MAX_TOKENS }))
  const underway = new Map<string, Promise<Finding>>()

  const store = (key: string, finding: Finding) => {
    if (finding.result) entries().set(key, { finding, untilMs: elapsedOf(clock) + SUCCESS_MS })
  }

  return {
    name: inner.name,
    recall({ token }: TokenMemory, context) {
      if (!(token instanceof Remembered) || token.audiences !== context.audiences) return null
      const { entry } = token
      if (entry.untilMs <= elapsedOf(clock)) return null
      metrics?.request('hit', 0)
      return replay(entry.finding, context)
    },
    authenticateToken(token, context, memory = null) {
      const began = elapsedOf(clock)
      const key = keyOf(audiencesText(context.audiences) + token)
      const entry = entries().get(key)
      if (entry && entry.untilMs > began) {
        if (memory !== null) memory.token = new Remembered(entry, context.audiences)
        metrics?.request('hit', 0)
        return replay(entry.finding, context)
      }
      const done = () => metrics?.request('miss', elapsedOf(clock) - began)
      const others = underway.get(key)
      if (others) {
        metrics?.active('blocked', 1)
        return others
          .finally(() => metrics?.active('blocked', -1))
          .then((finding) => replay(finding, context))
          .finally(done)
      }
      let found: Finding | Promise<Finding>
      metrics?.active('in_flight', 1)
      try {
        found = lookUp(inner, token, context.audiences)
      } catch (error) {
        finished('error')
        done()
        throw error
      }
      if (!(found instanceof Promise)) {
        finished('ok')
        done()
        store(key, found)
        return replay(found, context)
      }
      const limited = within(clock, found).then(
        (finding) => {
          underway.delete(key)
          finished('ok')
          store(key, finding)
          return finding
        },
        (error: unknown) => {
          underway.delete(key)
          finished('error')
          throw error
        },
      )
      underway.set(key, limited)
      return limited.then((finding) => replay(finding, context)).finally(done)
    },
  }

  function finished(status: 'ok' | 'error') {
    metrics?.active('in_flight', -1)
    metrics?.fetch(status)
  }
}

// Nearly all requests have the same list, which is the server's own.
const texts = new WeakMap<readonly string[], string>()

/** Audiences as a text whose end is unambiguous, whatever follows it. */
function audiencesText(audiences: readonly string[]): string {
  let text = texts.get(audiences)
  if (text === undefined) texts.set(audiences, (text = JSON.stringify(audiences)))
  return text
}

function replay(
  { result, annotations, warnings }: Finding,
  context: AuthenticationContext,
): Authenticated | null {
  for (const [key, value] of annotations) context.annotate(key, value)
  for (const text of warnings) context.warn(text)
  return result
}

/** One look-up, independent of the request that caused it. */
function lookUp(
  inner: TokenAuthenticator,
  token: string,
  audiences: readonly string[],
): Finding | Promise<Finding> {
  const annotations: [string, string][] = []
  const warnings: string[] = []
  const result = inner.authenticateToken(token, {
    audiences,
    annotate: (key, value) => void annotations.push([key, value]),
    warn: (text) => void warnings.push(text),
  })
  return result instanceof Promise
    ? result.then((found) => ({ result: found, annotations, warnings }))
    : { result, annotations, warnings }
}

function within(clock: Clock, found: Promise<Finding>): Promise<Finding> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(LOOKUP_MS, () =>
      reject(new CredentialError('the token was not looked up in time')),
    )
    found.finally(cancel).then(resolve, reject)
  })
}
