import {
  ImpersonationError,
  impersonationOf,
  removeImpersonation,
  type Impersonation,
} from '../../authn/impersonation.ts'
import { refusal } from '../../authz/refusal.ts'
import type { Context, Filter } from '../context.ts'
import { internalErrorText } from '../plain-text.ts'

/** Lets authorized users impersonate others: 403 for all others. */
export const impersonate: Filter = {
  name: 'impersonate',
  run(context) {
    if (!context.mayImpersonate) return
    const { exchange, server } = context
    let requested: Impersonation | null
    try {
      requested = impersonationOf(exchange, server.api.v)
    } catch (error) {
      if (!(error instanceof ImpersonationError)) throw error
      throw internalErrorText(exchange.target, error.message)
    }
    return requested ? become(context, requested) : undefined
  },
}

async function become(context: Context, { checks, user }: Impersonation): Promise<void> {
  for (const check of checks) {
    const decision = await context.server.authorizer.authorize(context.user, check)
    if (decision.verdict !== 'allow') throw refusal(context.user, check, decision.reason)
  }
  context.impersonator = context.user
  context.user = user
  removeImpersonation(context.exchange.headers)
}
