/** Reviews as they are sent to a webhook, and its responses. */
import { CallError } from './call-error.ts'
import { mapOf, memberOf, type ConfigMap } from './config-values.ts'
import type { JsonClient } from './json-call.ts'

/** A review request in one version of one kind. */
export interface Review {
  readonly kind: string
  readonly apiVersion: string
  readonly spec: Readonly<Record<string, unknown>>
  /** The status of a request as yet without a response. */
  readonly status: Readonly<Record<string, unknown>>
  /** Secrets in the spec that must not appear in an error. */
  readonly secrets?: readonly string[]
  readonly signal?: AbortSignal
}

/** The status in the response of a webhook. Rejects with {@link CallError}. */
export async function askReview(client: JsonClient, review: Review): Promise<ConfigMap> {
  const { kind, apiVersion, spec, status, secrets = [], signal } = review
  const body = { kind, apiVersion, metadata: { creationTimestamp: null }, spec, status }
  const answer = await client.call({ body, secrets, ...(signal ? { signal } : {}) })
  const wrong = () => new CallError(`the webhook did not answer with ${kind} of ${apiVersion}`)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw wrong()
  const map = mapOf(answer, 'the answer')
  if (memberOf(map, 'kind') !== kind || memberOf(map, 'apiVersion') !== apiVersion) throw wrong()
  return read(() => mapOf(memberOf(map, 'status') ?? {}, 'status'))
}

/** Reads members of a response; a malformed one makes the call fail. */
export function read<T>(reader: () => T): T {
  try {
    return reader()
  } catch (error) {
    throw new CallError(
      `the webhook answered with a form that is wrong: ${error instanceof Error ? error.message : ''}`,
    )
  }
}

/** Lists of texts by key, in the order of keys; without those that are absent. */
export const sortedExtra = (extra: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1)))
