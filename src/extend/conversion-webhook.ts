/** Calls the webhooks of users that convert objects between versions of their kinds. */
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { CallObserver, JsonClientOptions } from '../client/json-call.ts'
import { clusterIpResolver, type ServiceResolver } from '../client/service-address.ts'
import { WebhookClients, type WebhookTarget } from '../client/webhook-clients.ts'
import type { CustomResourceDefinition } from '../kinds/apiextensions/custom-resource-definition.ts'
import type { WebhookConversion } from '../kinds/apiextensions/custom-resource-definition-spec.ts'
import type { JsonObject } from '../codec/codec.ts'
import type { Convert } from '../catalogue/entry.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { convertedObjects } from './conversion-review.ts'

/** One conversion may take this long; there is no second try, since clients wait for it. */
const TIMEOUT_MS = 30_000
/** Maximum size of a response, for as many objects as one request has. */
const MAX_ANSWER_BYTES = 32 << 20
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
  readonly onCall?: CallObserver | undefined
  readonly metrics?: JsonClientOptions['metrics']
}

/** The webhooks of all definitions. */
export class ConversionWebhooks {
  readonly #parts: Pick<ConversionParts, 'v' | 'ids'>
  readonly #clients: WebhookClients

  constructor({ v, clock, ids, objects, resolve, onCall, metrics }: ConversionParts) {
    this.#parts = { v, ids }
    this.#clients = new WebhookClients({
      v,
      clock,
      resolve: resolve ?? clusterIpResolver(objects),
      maxAnswerBytes: MAX_ANSWER_BYTES,
      onCall,
      metrics,
    })
  }

  /** The converter for the objects of a definition; null where no webhook is declared. */
  of({ spec }: CustomResourceDefinition): Convert | null {
    const { strategy, webhook } = spec.conversion ?? {}
    if (strategy !== 'Webhook' || !webhook) return null
    return (objects, groupVersion) => this.#convert(webhook, objects, groupVersion)
  }

  close(): void {
    this.#clients.close()
  }

  /** Rejects with an Error that states the reason. */
  async #convert(
    webhook: WebhookConversion,
    objects: readonly JsonObject[],
    groupVersion: string,
  ): Promise<readonly JsonObject[]> {
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
    const body = { ...type, request: { uid, desiredAPIVersion: groupVersion, objects } }
    const review = await client.call({ path, body, timeoutMs: TIMEOUT_MS })
    return convertedObjects(review, { type, uid, objects, groupVersion, strict: version === 'v1' })
  }
}
