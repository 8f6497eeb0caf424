/** One call of one webhook. */
import { setMaxListeners } from 'node:events'
import type { Clock } from '../../base/clock.ts'
import type { Ids } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { CallError } from '../../client/call-error.ts'
import { UnknownAddress, urlOf, type WebhookClients } from '../../client/webhook-clients.ts'
import { badRequest, internalError, StatusError, timeout } from '../../meta/errors.ts'
import type { Vocabulary } from '../../vocabulary/vocabulary.ts'
import type { Attributes } from '../attributes.ts'
import type { Candidate } from './hook-index.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'
import type { Hook } from './hook.ts'
import {
  reviewApiVersion,
  reviewText,
  reviewVersionOf,
  type ObjectTexts,
} from './review-request.ts'
import { InvalidResponse, verdictOf, type Verdict } from './review-response.ts'

/** Dependencies of calls. */
export interface CallParts {
  readonly v: Vocabulary
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly clients: WebhookClients
  /** Null: nothing is measured. */
  readonly metrics?: WebhookMetrics | null
}

/** A call that failed: the failure policy of the webhook decides what follows. */
export class HookFailure extends Error {
  /** Status for metrics: the call could not be made, or it was made and failed. */
  readonly status: 400 | 503
  constructor(webhook: string, why: string, status: 400 | 503 = 503) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${why}`)
    this.status = status
  }
}

const DEFAULT_TIMEOUT_S = 10

/**
 * Calls a webhook and reports its warnings and annotations. Rejects with {@link HookFailure} when there is no
 * acceptable response, and with StatusError 400 when a dry run must not be sent.
 */
export async function callHook(
  parts: CallParts,
  candidate: Candidate,
  attributes: Attributes,
  how: { readonly isMutating: boolean; readonly texts: ObjectTexts },
): Promise<Verdict> {
  const { hook } = candidate
  const { name, sideEffects } = hook.webhook
  if (attributes.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun')
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`)
  const version = reviewVersionOf(hook.webhook.admissionReviewVersions)
  if (version === undefined)
    throw new HookFailure(
      name,
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
      400,
    )
  const uid = parts.ids.uid()
  const apiVersion = reviewApiVersion(parts.v, version)
  const text = await converted(reviewText(attributes, candidate, { uid, apiVersion, ...how }))
  // Other writers of the object do not wait for the webhook.
  attributes.yieldObject()
  const part = how.isMutating ? 'mutating-webhook' : 'validating-webhook'
  const begun = attributes.beginsPart?.(part, name) ?? null
  const response = await send(
    parts,
    hook,
    { text, traceparent: begun?.traceparent },
    attributes,
  ).finally(() => begun?.end())
  const verdict = read(hook, () =>
    verdictOf(response, {
      webhook: name,
      uid,
      apiVersion,
      strict: version === 'v1',
      isMutating: how.isMutating,
    }),
  )
  report(parts.log, hook, verdict, attributes)
  return verdict
}

async function converted<T>(made: Promise<T>): Promise<T> {
  try {
    return await made
  } catch (error) {
    if (error instanceof StatusError) throw error
    throw internalError(error instanceof Error ? error.message : String(error))
  }
}

async function send(
  { clock, clients }: CallParts,
  hook: Hook,
  { text, traceparent = '' }: { readonly text: string; readonly traceparent: string | undefined },
  { deadline, signal }: Attributes,
): Promise<unknown> {
  const { clientConfig, timeoutSeconds = DEFAULT_TIMEOUT_S } = hook.webhook
  const timeoutMs = Math.min(timeoutSeconds * 1000, deadline - clock.now())
  if (timeoutMs <= 0)
    throw new HookFailure(hook.webhook.name, 'failed to call webhook: context deadline exceeded')
  // As many calls as webhooks wait for the same end.
  setMaxListeners(0, signal)
  try {
    const { client, path } = await clients.of(clientConfig)
    return await client.call({ path, text, timeoutMs, signal, traceparent })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof CallError)
      throw new HookFailure(hook.webhook.name, `failed to call webhook: ${why}`)
    if (error instanceof UnknownAddress) {
      const url = `${urlOf(clientConfig)}?timeout=${Math.ceil(timeoutMs / 1000)}s`
      throw new HookFailure(
        hook.webhook.name,
        `failed to call webhook: Post ${JSON.stringify(url)}: ${why}`,
      )
    }
    throw new HookFailure(hook.webhook.name, `could not get REST client: ${why}`, 400)
  }
}

function read(hook: Hook, reader: () => Verdict): Verdict {
  try {
    return reader()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const what =
      error instanceof InvalidResponse
        ? 'received invalid webhook response'
        : 'failed to call webhook'
    throw new HookFailure(hook.webhook.name, `${what}: ${why}`)
  }
}

function report(
  log: Log,
  { webhook: { name } }: Hook,
  { warnings, auditAnnotations }: Verdict,
  attributes: Attributes,
): void {
  for (const [key, value] of auditAnnotations) annotate(log, attributes, `${name}/${key}`, value)
  for (const warning of warnings) attributes.warn(warning)
}

/** Adds an audit annotation whose key may be invalid. */
function annotate(log: Log, attributes: Attributes, key: string, value: string): void {
  try {
    attributes.annotate(key, value)
  } catch (error) {
    log.warn('an audit annotation of a webhook cannot be recorded', { error: String(error) })
  }
}

/**
 * What a failed call means: an error for the client, or null when the policy of the webhook is to continue. Other errors
 * are returned as they are.
 */
export function errorOf(
  { log, clock }: CallParts,
  hook: Hook,
  error: unknown,
  { signal, deadline }: Attributes,
): StatusError | null {
  if (!(error instanceof HookFailure)) throw error
  const { message } = error
  if (hook.webhook.failurePolicy !== 'Ignore') {
    log.warn('a webhook could not be called, the request is refused', { error: message })
    return internalError(message)
  }
  log.warn('a webhook could not be called, the request continues', { error: message })
  if (!signal.aborted && clock.now() < deadline) return null
  return timeout('request did not complete within requested timeout')
}
