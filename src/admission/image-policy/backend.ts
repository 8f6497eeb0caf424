/** Asks the webhook about images, and keeps its decisions. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/clock.ts'
import type { Ids } from '../../base/ids.ts'
import { flagOf, mapOf, memberOf, textOf, type ConfigMap } from '../../client/config-values.ts'
import {
  openJsonClient,
  type CallObserver,
  type JsonClient,
  type JsonClientOptions,
} from '../../client/json-call.ts'
import { askReview, read } from '../../client/review.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { ImagePolicyConfig } from './configuration.ts'

const MAX_DECISIONS = 1024
/** Longer answers are refused, and of shorter ones only these are kept. */
const MAX_ANSWER_BYTES = 1 << 20
const MAX_KEPT_BYTES = 10_000

/** What the webhook is asked. */
export interface ImageReviewSpec {
  readonly containers?: readonly { readonly image?: string }[]
  readonly annotations?: Readonly<Record<string, string>>
  readonly namespace?: string
}

/** What it decided. */
export interface ImageDecision {
  readonly allowed: boolean
  /** Empty without one. */
  readonly reason: string
  readonly auditAnnotations: ReadonlyMap<string, string>
}

/** Dependencies of the backend. */
export interface BackendDeps {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly ids: Pick<Ids, 'fraction'>
  readonly onCall?: CallObserver | undefined
  readonly metrics?: JsonClientOptions['metrics']
}

interface Kept {
  readonly decision: ImageDecision
  readonly untilMs: number
}

/** Opens the client of the webhook; nothing is sent yet. */
export async function openImagePolicy(
  config: ImagePolicyConfig,
  deps: BackendDeps,
): Promise<ImagePolicyBackend> {
  const client = await openJsonClient({
    config: config.client,
    ...deps,
    retryDelayMs: config.retryDelayMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  })
  return new ImagePolicyBackend(client, config, deps)
}

/** The webhook as the plugin sees it; made by {@link openImagePolicy}. */
export class ImagePolicyBackend {
  readonly #client: JsonClient
  readonly #config: ImagePolicyConfig
  readonly #apiVersion: string
  readonly #clock: Clock
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_DECISIONS })

  constructor(client: JsonClient, config: ImagePolicyConfig, { v, clock }: BackendDeps) {
    this.#client = client
    this.#config = config
    this.#apiVersion = v.resolve('imagepolicy{api}/v1alpha1')
    this.#clock = clock
  }

  /** The decision about images. Rejects with CallError when the webhook fails. */
  async decide(spec: ImageReviewSpec, signal: AbortSignal): Promise<ImageDecision> {
    const key = createHash('sha256').update(JSON.stringify(spec)).digest('base64')
    const entry = this.#kept.get(key)
    if (entry && this.#clock.now() < entry.untilMs) return entry.decision
    const review = {
      kind: 'ImageReview',
      apiVersion: this.#apiVersion,
      spec: { ...spec },
      status: { allowed: false },
      signal,
    }
    const decision = decisionOf(await askReview(this.#client, review))
    const { allowTtlMs, denyTtlMs } = this.#config
    const ttlMs = decision.allowed ? allowTtlMs : denyTtlMs
    if (ttlMs > 0 && sizeOf(decision) <= MAX_KEPT_BYTES) {
      this.#kept.set(key, { decision, untilMs: this.#clock.now() + ttlMs })
    }
    return decision
  }

  close(): void {
    this.#client.close()
  }
}

function decisionOf(status: ConfigMap): ImageDecision {
  return read(() => {
    const notes = mapOf(memberOf(status, 'auditAnnotations') ?? {}, 'auditAnnotations')
    return {
      allowed: flagOf(status, 'allowed'),
      reason: textOf(status, 'reason') ?? '',
      auditAnnotations: new Map(
        Object.keys(notes).map((key) => [key, textOf(notes, key) ?? ''] as const),
      ),
    }
  })
}

function sizeOf({ reason, auditAnnotations }: ImageDecision): number {
  let size = reason.length
  for (const [key, value] of auditAnnotations) size += key.length + value.length
  return size
}
