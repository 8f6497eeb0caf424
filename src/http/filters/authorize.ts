import type { Decision } from '../../authz/authorizer.ts'
import { refusal } from '../../authz/refusal.ts'
import type { Context, Filter } from '../context.ts'
import { internalErrorText } from '../plain-text.ts'

/** Authorizes the request: 403 when denied. */
export const authorize: Filter = {
  name: 'authorize',
  run(context) {
    const { user, info, server } = context
    const decision = server.authorizer.authorize(user, info)
    if (decision instanceof Promise) return decision.then((made) => obey(context, made))
    obey(context, decision)
  },
}

function obey(context: Context, decision: Decision): void {
  context.decision = decision
  const { verdict, reason, error } = decision
  if (verdict === 'allow') return
  const { server, user, info } = context
  const { decision: decisionKey, reason: reasonKey } = server.auditKeys
  if (error !== undefined) {
    context.annotate(reasonKey, 'internal error')
    throw internalErrorText(context.exchange.target, error)
  }
  context.annotate(decisionKey, 'forbid')
  const closest = server.api.closestRule?.(user, info) ?? ''
  context.annotate(reasonKey, [reason, closest].filter((text) => text !== '').join('\n'))
  throw refusal(user, info, reason)
}
