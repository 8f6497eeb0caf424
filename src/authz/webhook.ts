/** Decisions of a remote service. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { elapsedOf, type Clock } from '../base/clock.ts'
import { silentLog, type Log } from '../base/log.ts'
import { CallError } from '../client/call-error.ts'
import { flagOf, textOf, type ConfigMap } from '../client/config-values.ts'
import type { JsonClient } from '../client/json-call.ts'
import { askReview, read, sortedExtra } from '../client/review.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Attributes, Authorizer, Decision, RuleList, Subject } from './authorizer.ts'

const AUTHORIZED_TTL_MS = 300_000
const UNAUTHORIZED_TTL_MS = 30_000
const MAX_DECISIONS = 8192
const MAX_ATTRIBUTE_BYTES = 10_000
const BOTH = 'webhook subject access review returned both allow and deny response'

/** Dependencies of a webhook for decisions. */
export interface WebhookAuthorizerOptions {
  readonly client: JsonClient
  readonly v: Vocabulary
  readonly clock: Clock
  readonly log?: Log
  /** Of the reviews, v1 or v1beta1; v1beta1 by default. */
  readonly version?: string
  /** How long an allow is cached, milliseconds; 5 minutes by default, 0 for not at all. */
  readonly authorizedTtlMs?: number
  /** The same for everything else; 30 seconds by default. */
  readonly unauthorizedTtlMs?: number
}

interface CachedDecision {
  readonly decision: Decision
  readonly untilMs: number
}

const NO_RULES: RuleList = Object.freeze({
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  error: 'webhook authorizer does not support user rule resolution',
})

/**
 * Asks a service whether a user may, and caches its decision. A call that fails is no opinion. Throws an Error
 * about a version that is not known.
 */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { client, v, clock, log = silentLog, version = 'v1beta1' } = options
  const { authorizedTtlMs = AUTHORIZED_TTL_MS, unauthorizedTtlMs = UNAUTHORIZED_TTL_MS } = options
  checkAccessReviewVersion(version)
  const apiVersion = v.resolve(`authorization{api}/${version}`)
  const cache = new LRUCache<string, CachedDecision>({ max: MAX_DECISIONS })

  const review = async (spec: Spec, key: string, attributes: Attributes): Promise<Decision> => {
    let decision: Decision
    try {
      const review = {
        kind: 'SubjectAccessReview',
        apiVersion,
        spec,
        status: { allowed: false },
      }
      decision = decisionOf(await askReview(client, review))
    } catch (error) {
      if (!(error instanceof CallError)) throw error
      log.error('failed to make webhook authorizer request', { error: error.message })
      return { verdict: 'no opinion', reason: '', error: error.message }
    }
    const ttlMs = decision.verdict === 'allow' ? authorizedTtlMs : unauthorizedTtlMs
    if (ttlMs > 0 && bytesOf(attributes) < MAX_ATTRIBUTE_BYTES) {
      cache.set(key, { decision, untilMs: elapsedOf(clock) + ttlMs })
    }
    return decision
  }

  return {
    name: 'Webhook',
    authorize(user, attributes) {
      const spec = specOf(user, attributes, version)
      // Users with many groups make long texts, of which there may be thousands.
      const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64')
      const entry = cache.get(key)
      return entry && elapsedOf(clock) < entry.untilMs
        ? entry.decision
        : review(spec, key, attributes)
    },
    rulesFor: () => NO_RULES,
  }
}

const VERSIONS = ['v1', 'v1beta1']

/** Throws an Error about a version of access reviews that is not known. */
function checkAccessReviewVersion(version: string): void {
  if (VERSIONS.includes(version)) return
  const known = VERSIONS.map((one) => JSON.stringify(one)).join(', ')
  throw new Error(
    `unsupported webhook authorizer version ${JSON.stringify(version)}, supported versions are ${known}`,
  )
}

type Spec = Readonly<Record<string, unknown>>

/** The review, in the order of the published fields; empty ones are left out. */
function specOf(user: Subject, a: Attributes, version: string): Spec {
  const extra = sortedExtra(user.extra)
  const attributesSpec = a.isResource
    ? {
        resourceAttributes: withoutEmpty({
          namespace: a.namespace,
          verb: a.verb,
          group: a.group,
          version: a.version,
          resource: a.resource,
          subresource: a.subresource,
          name: a.name,
        }),
      }
    : { nonResourceAttributes: withoutEmpty({ path: a.path, verb: a.verb }) }
  return {
    ...attributesSpec,
    ...withoutEmpty({ user: user.name }),
    ...(user.groups.length === 0 ? {} : { [version === 'v1' ? 'groups' : 'group']: user.groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
    ...withoutEmpty({ uid: user.uid }),
  }
}

const withoutEmpty = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))

function bytesOf(a: Attributes): number {
  const { namespace, verb, group, version, resource, subresource, name, path } = a
  const texts = [namespace, verb, group, version, resource, subresource, name, path]
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

function decisionOf(status: ConfigMap): Decision {
  const { allowed, denied, reason } = read(() => ({
    allowed: flagOf(status, 'allowed'),
    denied: flagOf(status, 'denied'),
    reason: textOf(status, 'reason') ?? '',
  }))
  if (allowed && denied) return { verdict: 'deny', reason, error: BOTH }
  if (denied) return { verdict: 'deny', reason }
  return { verdict: allowed ? 'allow' : 'no opinion', reason }
}
