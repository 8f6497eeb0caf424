/** Calls the webhooks of users that convert objects between versions of their kinds. */
import type { Clock } from '../base/clock.ts'
import type { Egress } from '../base/dial.ts'
import type { Ids } from '../base/ids.ts'
import type { CallObserver, JsonCall, JsonClientOptions } from '../client/json-call.ts'
import { clusterIpResolver, type ServiceResolver } from '../client/service-address.ts'
import { WebhookClients, type WebhookTarget } from '../client/webhook-clients.ts'
import type { CustomResourceDefinition } from '../kinds/apiextensions/custom-resource-definition.ts'
import type { WebhookConversion } from '../kinds/apiextensions/custom-resource-definition-spec.ts'
import { formatJson } from '../codec/json-text.ts'
import type { Convert, Convertible } from '../catalogue/entry.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { paced } from '../base/steps.ts'
import { convertedObjects } from './conversion-review.ts'
import { reviewIn } from './large-review.ts'

/** One conversion may take this long; there is no second try, since clients wait for it. */
const TIMEOUT_MS = 30_000
/** Maximum size of a response; twice that of the request, where that is more. */
const MAX_ANSWER_BYTES = 32 << 20
/** Size of the pieces that a request is sent in. */
const PIECE_BYTES = 256 << 10
const REVIEWS: readonly string[] = ['v1', 'v1beta1']

/** Dependencies of webhook calls. */
export interface ConversionParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly ids: Ids
  /** Source of the services that webhooks refer to. */
  readonly objects: Pick<ObjectSource, 'get'>
  /** Finds these services; their cluster IPs by default. */
  readonly resolve?: ServiceResolver
  /** How webhooks are reached; directly by default. */
  readonly egress?: Egress
  readonly onCall?: CallObserver | undefined
  readonly metrics?: JsonClientOptions['metrics']
}

/** The webhooks of all definitions. */
export class ConversionWebhooks {
  readonly #parts: Pick<ConversionParts, 'v' | 'ids'>
  readonly #clients: WebhookClients

  constructor(parts: ConversionParts) {
    const { v, clock, ids, objects, resolve, egress, onCall, metrics } = parts
    this.#parts = { v, ids }
    this.#clients = new WebhookClients({
      v,
      clock,
      resolve: resolve ?? clusterIpResolver(objects),
      maxAnswerBytes: MAX_ANSWER_BYTES,
      egress,
      onCall,
      metrics,
    })
  }

  /** The converter for the objects of a definition; null where no webhook is declared. */
  of({ spec }: CustomResourceDefinition): Convert | null {
    const { strategy, webhook } = spec.conversion ?? {}
    if (strategy !== 'Webhook' || !webhook) return null
    return (...asked) => this.#convert(webhook, ...asked)
  }

  close(): void {
    this.#clients.close()
  }

  /** Rejects with an Error that states the reason. */
  async #convert(
    webhook: WebhookConversion,
    ...[objects, kind, groupVersion]: Parameters<Convert>
  ): ReturnType<Convert> {
    const { v, ids } = this.#parts
    const version = webhook.conversionReviewVersions.find((one) => REVIEWS.includes(one))
    if (version === undefined) throw new Error('no version of the review is known')
    const uid = ids.uid()
    const type = {
      kind: 'ConversionReview',
      apiVersion: `${v.resolve('apiextensions{api}')}/${version}`,
    }
    const target: WebhookTarget = webhook.clientConfig ?? {}
    const { client, path } = await this.#clients.of(target)
    const body = requestBody(
      { ...type, request: { uid, desiredAPIVersion: groupVersion } },
      objects,
    )
    const review = await client.call({
      path,
      stream: body,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: Math.max(MAX_ANSWER_BYTES, 2 * body.length),
      read: (bytes) => paced(reviewIn(bytes)),
    })
    return convertedObjects(review, {
      type,
      uid,
      objects,
      kind,
      groupVersion,
      strict: version === 'v1',
    })
  }
}

/** A review of objects, which are sent as they are. */
function requestBody(
  review: object,
  objects: readonly Convertible[],
): NonNullable<JsonCall['stream']> {
  const end = ']}}'
  const head = Buffer.from(`${formatJson(review).slice(0, -2)},"objects":[`)
  // An object that cannot be read fails here, before anything is sent.
  const parts = objects.map((object) => object.json())
  const commas = Math.max(0, parts.length - 1)
  const bytes = parts.reduce((sum, { length }) => sum + length, commas)
  return {
    length: head.length + bytes + end.length,
    *pieces() {
      let piece: Buffer[] = [head]
      let size = head.length
      for (const [i, part] of parts.entries()) {
        if (i > 0) piece.push(COMMA)
        piece.push(part)
        size += part.length
        if (size < PIECE_BYTES) continue
        yield Buffer.concat(piece)
        piece = []
        size = 0
      }
      yield Buffer.concat([...piece, Buffer.from(end)])
    },
  }
}

const COMMA = Buffer.from(',')
