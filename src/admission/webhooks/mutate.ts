/** Mutating webhooks: one after the other, each with the result of the one before. */
import type { ObjectSource } from '../../catalogue/object-source.ts'
import { formatJson, parseJson } from '../../codec/json-text.ts'
import type { JsonObject } from '../../codec/codec.ts'
import { internalError } from '../../meta/errors.ts'
import { applyJsonPatch } from '../../patch/json-patch.ts'
import { sameJson } from '../../patch/json-value.ts'
import type { MutableAttributes, MutableObject } from '../attributes.ts'
import { callHook, errorOf, HookFailure, type CallParts } from './call-hook.ts'
import { measured } from './measured-hook.ts'
import type { Candidate } from './hook-index.ts'
import { groupVersionOfKind, ObjectTexts } from './review-request.ts'
import type { Verdict } from './review-response.ts'
import { RequestSelection } from './selectors.ts'

/** Dependencies of mutating webhooks. */
export interface MutatingParts extends CallParts {
  readonly objects: Pick<ObjectSource, 'get' | 'fresh'>
  /** Prefix of audit keys. */
  readonly auditDomain: string
}

/** What both rounds of one request know of its webhooks that may be called again. */
class Rounds {
  /** Called webhooks that may be called again. */
  readonly #called = new Set<object>()
  /** Those of them that an object has changed after. */
  readonly #wanted = new Set<object>()
  /** The object after the last webhook of a round; null when no webhook may be called again. */
  #output: string | null = null

  called(hook: object): void {
    this.#called.add(hook)
  }

  isWanted(hook: object): boolean {
    return this.#wanted.has(hook)
  }

  /** The object was changed: everything called so far is to see it. */
  changed(): void {
    for (const hook of this.#called) this.#wanted.add(hook)
    this.#called.clear()
  }

  async ends(object: MutableObject | null): Promise<void> {
    this.#output = this.#called.size + this.#wanted.size === 0 ? null : await textOf(object)
  }

  /** Another plugin may have changed the object between the rounds. */
  async begins(object: MutableObject | null): Promise<void> {
    if (this.#output !== null && this.#output !== (await textOf(object))) this.changed()
  }
}

const textOf = async (object: MutableObject | null): Promise<string> =>
  object ? formatJson(await object.toJson()) : ''

const STATE = 'MutatingAdmissionWebhook'

/** Calls the webhooks that select a request. Rejects with StatusError when one refuses it or fails. */
export async function callMutating(
  parts: MutatingParts,
  candidates: readonly Candidate[],
  attributes: MutableAttributes,
): Promise<void> {
  const { reinvocation } = attributes
  let rounds = reinvocation.value(STATE) as Rounds | undefined
  if (!rounds) reinvocation.setValue(STATE, (rounds = new Rounds()))
  if (reinvocation.isAgain) await rounds.begins(attributes.object)
  const selection = new RequestSelection(attributes, parts.objects)
  const texts = new ObjectTexts()
  for (const candidate of candidates) {
    const { hook } = candidate
    if (!(await selection.selects(hook))) continue
    // A webhook that the first round left out is not called in the second.
    if (reinvocation.isAgain && !rounds.isWanted(hook)) continue
    const isChanged = await callOne(parts, candidate, attributes, texts)
    if (isChanged) {
      texts.changed()
      rounds.changed()
      reinvocation.request()
    }
    if (hook.webhook.reinvocationPolicy === 'IfNeeded') rounds.called(hook)
  }
  await rounds.ends(attributes.object)
}

/** Calls one webhook; whether it has changed the object. */
async function callOne(
  parts: MutatingParts,
  candidate: Candidate,
  attributes: MutableAttributes,
  texts: ObjectTexts,
): Promise<boolean> {
  const { hook } = candidate
  const { configuration, webhook } = hook
  const round = attributes.reinvocation.isAgain ? 1 : 0
  const key = `${parts.auditDomain}/round_${round}_index_${hook.index}`
  let isChanged = false
  let isDenial = false
  const end = measured(parts, candidate, attributes)
  try {
    const verdict = await callHook(parts, candidate, attributes, { isMutating: true, texts })
    isDenial = verdict.denial !== null
    if (verdict.denial) throw verdict.denial
    const patch = patchIn(verdict, hook.webhook.name)
    if (patch) {
      isChanged = await patched(candidate, attributes, patch)
      const value = { configuration, webhook: webhook.name, patch, patchType: verdict.patchType }
      attributes.annotate(`patch.${key}`, formatJson(value), 'Request')
    }
    end(null)
    return isChanged
  } catch (error) {
    end(error, { isDenial })
    const refusal = errorOf(parts, hook, error, attributes)
    if (refusal) throw refusal
    attributes.annotate(`failed-open.mutation.${key}`, webhook.name)
    return false
  } finally {
    const value = { configuration, webhook: webhook.name, mutated: isChanged }
    attributes.annotate(`mutation.${key}`, JSON.stringify(value))
  }
}

/** The operations of a patch; null when there are none. */
function patchIn({ patch: text, patchType }: Verdict, name: string): readonly unknown[] | null {
  if (text === null) return null
  let patch: unknown
  try {
    patch = parseJson(text)
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error))
  }
  if (patch === null || (Array.isArray(patch) && patch.length === 0)) return null
  if (patchType === 'JSONPatch') return patch as readonly unknown[]
  throw new HookFailure(name, `unsupported patch type ${JSON.stringify(patchType)}`)
}

/** Applies a patch to the object in the version that the webhook got; whether it has changed something. */
async function patched(
  { hook: { webhook }, kind }: Candidate,
  { object, requestKind }: MutableAttributes,
  patch: readonly unknown[],
): Promise<boolean> {
  if (!object)
    throw internalError(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    )
  try {
    const before = await object.toJson(groupVersionOfKind(kind ?? requestKind))
    const after = applyJsonPatch(before, patch)
    if (sameJson(before, after)) return false
    await object.replace(after as JsonObject)
    return true
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error))
  }
}
