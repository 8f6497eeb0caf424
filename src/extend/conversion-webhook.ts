/** Calls the webhooks of users that convert objects between versions of their kinds. */
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { JsonClient } from '../client/json-call.ts'
import type { CustomResourceDefinition } from '../kinds/apiextensions/custom-resource-definition.ts'
import type {
  ServiceReference,
  WebhookConversion,
} from '../kinds/apiextensions/custom-resource-definition-spec.ts'
import type { JsonObject } from '../codec/codec.ts'
import type { Convert } from '../catalogue/entry.ts'
import type { ObjectSource } from '../catalogue/object-source.ts'
import type { Typed } from '../meta/object-meta.ts'
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
}

/** Where a webhook is, and where its connections go. */
interface Target {
  readonly server: string
  readonly dial: { readonly host: string; readonly port: number } | null
}

/** The webhooks of all definitions. */
export class ConversionWebhooks {
  readonly #parts: ConversionParts
  readonly #called = new Map<string, Webhook>()

  constructor(parts: ConversionParts) {
    this.#parts = parts
  }

  /** The converter for the objects of a definition; null where no webhook is declared. */
  of({ metadata: { name = '' }, spec }: CustomResourceDefinition): Convert | null {
    const { strategy, webhook } = spec.conversion ?? {}
    if (strategy !== 'Webhook' || !webhook) return null
    const called = new Webhook(this.#parts, webhook)
    this.#called.set(name, called)
    return (objects, groupVersion) => called.convert(objects, groupVersion)
  }

  /** Forgets a deleted definition. Calls in progress continue. */
  forget(name: string): void {
    this.#called.delete(name)
  }

  close(): void {
    for (const called of this.#called.values()) called.close()
    this.#called.clear()
  }
}

class Webhook {
  readonly #parts: ConversionParts
  readonly #webhook: WebhookConversion
  #client: { readonly to: string; readonly client: JsonClient } | null = null

  constructor(parts: ConversionParts, webhook: WebhookConversion) {
    this.#parts = parts
    this.#webhook = webhook
  }

  /** Rejects with an Error that states the reason. */
  async convert(
    objects: readonly JsonObject[],
    groupVersion: string,
  ): Promise<readonly JsonObject[]> {
    const { v, ids } = this.#parts
    const version = this.#webhook.conversionReviewVersions.find((one) => REVIEWS.includes(one))
    if (version === undefined) throw new Error('no version of the review is known')
    const uid = ids.uid()
    const type = {
      kind: 'ConversionReview',
      apiVersion: `${v.resolve('apiextensions{api}')}/${version}`,
    }
    const client = await this.#clientTo(await this.#target())
    const body = { ...type, request: { uid, desiredAPIVersion: groupVersion, objects } }
    const review = await client.call({ body })
    return convertedObjects(review, { type, uid, objects, groupVersion, strict: version === 'v1' })
  }

  close(): void {
    this.#client?.client.close()
    this.#client = null
  }

  async #target(): Promise<Target> {
    const { url, service } = this.#webhook.clientConfig ?? {}
    if (!service) return { server: url ?? '', dial: null }
    const { name, namespace, path = '', port = 443 } = service
    const host = await this.#addressOf(service)
    return { server: `https://${name}.${namespace}.svc:${port}${path}`, dial: { host, port } }
  }

  async #addressOf({ name, namespace, port = 443 }: ServiceReference): Promise<string> {
    const services = { group: '', resource: 'services' }
    const found = await this.#parts.objects.get<Service>(services, namespace, name)
    if (!found) throw new Error(`service ${JSON.stringify(name)} not found`)
    const { clusterIP = '', externalName = '', ports = [], type } = found.spec ?? {}
    if (type === 'ExternalName') return externalName
    if (clusterIP === '' || clusterIP === 'None')
      throw new Error(`cannot route to service with ClusterIP ${JSON.stringify(clusterIP)}`)
    if (!ports.some((one) => one.port === port))
      throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`)
    return clusterIP
  }

  async #clientTo({ server, dial }: Target): Promise<JsonClient> {
    const to = dial?.host ?? ''
    if (this.#client?.to === to) return this.#client.client
    const { v, clock } = this.#parts
    const { caBundle } = this.#webhook.clientConfig ?? {}
    const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString('utf8')
    // Few servers have such definitions.
    const { openJsonClient } = await import('../client/json-call.ts')
    const client = await openJsonClient({
      config: { server, ...(ca === undefined || ca === '' ? {} : { ca }) },
      v,
      clock,
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      attempts: 1,
      ...(dial ? { dial } : {}),
    })
    this.#client = { to, client }
    return client
  }
}

interface Service extends Typed {
  readonly spec?: {
    readonly type?: string
    readonly clusterIP?: string
    readonly externalName?: string
    readonly ports?: readonly { readonly port: number }[]
  }
}
