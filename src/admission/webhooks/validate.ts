/** Validating webhooks: all at once, with the same object. */
import type { ObjectSource } from '../../catalogue/object-source.ts'
import type { StatusError } from '../../meta/errors.ts'
import type { Attributes } from '../attributes.ts'
import { callHook, errorOf, type CallParts } from './call-hook.ts'
import { measured } from './measured-hook.ts'
import type { Candidate } from './hook-index.ts'
import { ObjectTexts } from './review-request.ts'
import { RequestSelection } from './selectors.ts'

/** Dependencies of validating webhooks. */
export interface ValidatingParts extends CallParts {
  readonly objects: Pick<ObjectSource, 'get' | 'fresh'>
  /** Prefix of audit keys. */
  readonly auditDomain: string
}

/** Calls the webhooks that select a request, and waits for all. Rejects with the first StatusError of one. */
export async function callValidating(
  parts: ValidatingParts,
  candidates: readonly Candidate[],
  attributes: Attributes,
): Promise<void> {
  const selection = new RequestSelection(attributes, parts.objects)
  const called: Candidate[] = []
  for (const candidate of candidates)
    if (await selection.selects(candidate.hook)) called.push(candidate)
  if (called.length === 0) return
  const texts = new ObjectTexts()
  let refusal: Error | null = null
  const calls = called.map(async (candidate, place) => {
    const why = await refusalBy(parts, candidate, attributes, { texts, place })
    refusal ??= why
  })
  for (const { status, ...call } of await Promise.allSettled(calls))
    if (status === 'rejected') refusal ??= (call as PromiseRejectedResult).reason as Error
  if (refusal) throw refusal
}

/** Calls one webhook; null when the request continues. */
async function refusalBy(
  parts: ValidatingParts,
  candidate: Candidate,
  attributes: Attributes,
  { texts, place }: { readonly texts: ObjectTexts; readonly place: number },
): Promise<StatusError | null> {
  const { hook } = candidate
  const end = measured(parts, candidate, attributes)
  try {
    const { denial } = await callHook(parts, candidate, attributes, { isMutating: false, texts })
    end(denial, { isDenial: denial !== null })
    return denial
  } catch (error) {
    end(error)
    const refusal = errorOf(parts, hook, error, attributes)
    if (refusal) return refusal
    const key = `failed-open.validating.${parts.auditDomain}/round_0_index_${place}`
    attributes.annotate(key, hook.webhook.name)
    return null
  }
}
