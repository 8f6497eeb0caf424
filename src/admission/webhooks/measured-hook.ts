import { StatusError } from '../../meta/errors.ts'
import type { Attributes } from '../attributes.ts'
import { HookFailure, type CallParts } from './call-hook.ts'
import type { Candidate } from './hook-index.ts'
import type { HookOutcome } from './webhook-metrics.ts'

/** Ends the measurement of a call: with what it threw or refused with, or null. */
type End = (error: unknown, how?: { readonly isDenial: boolean }) => void

/** Begins to measure a call. */
export function measured(
  { metrics }: CallParts,
  { hook: { webhook } }: Candidate,
  attributes: Attributes,
): End {
  const start = performance.now()
  return (error, { isDenial } = { isDenial: false }) => {
    const ms = performance.now() - start
    attributes.tookWebhook?.(ms)
    metrics?.called(
      webhook.name,
      attributes,
      ms,
      isDenial ? denialOf(error) : outcomeOf(error, webhook.failurePolicy),
    )
  }
}

const denialOf = (error: unknown): HookOutcome => ({
  code: error instanceof StatusError ? error.code : 0,
  error: 'no_error',
  isRejected: true,
})

function outcomeOf(error: unknown, failurePolicy: string | undefined): HookOutcome {
  if (error === null) return { code: 200, error: null, isRejected: false }
  if (error instanceof HookFailure) {
    const isRejected = failurePolicy !== 'Ignore'
    return { code: error.status, error: 'calling_webhook_error', isRejected }
  }
  return { code: 0, error: 'apiserver_internal_error', isRejected: true }
}
