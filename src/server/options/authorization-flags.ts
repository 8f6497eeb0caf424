import { STANDARD_MODES, type AuthorizationOptions } from './authorization-options.ts'
import {
  choiceFlag,
  durationFlag,
  fileFlag,
  listFlag,
  orNone,
  type Flag,
  type Values,
} from '../../flags/flags.ts'

const section = 'Authorization'

/** Flags of authorization. */
export const authorizationFlags = {
  'authorization-mode': listFlag({
    option: 'authorization.modes',
    section,
    default: STANDARD_MODES.join(','),
    help: 'Ordered list of authorizers: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny.',
  }),
  'authorization-policy-file': fileFlag({
    option: 'authorization.policyFile',
    section,
    help: 'File of ABAC policies, one JSON object per line.',
  }),
  'authorization-webhook-config-file': fileFlag({
    option: 'authorization.webhook.configFile',
    section,
    help: 'Kubeconfig of a webhook that authorizes requests.',
  }),
  'authorization-webhook-version': choiceFlag(['v1', 'v1beta1'], {
    option: 'authorization.webhook.version',
    section,
    default: 'v1beta1',
    help: 'API version of the reviews that are sent to the webhook.',
  }),
  'authorization-webhook-cache-authorized-ttl': orNone(
    durationFlag({
      option: 'authorization.webhook.authorizedTtlMs',
      section,
      default: '5m',
      help: 'How long requests that the authorization webhook allowed are cached; 0 disables caching.',
    }),
  ),
  'authorization-webhook-cache-unauthorized-ttl': orNone(
    durationFlag({
      option: 'authorization.webhook.unauthorizedTtlMs',
      section,
      default: '30s',
      help: 'How long its other responses are cached; 0 disables caching.',
    }),
  ),
} as const satisfies Readonly<Record<string, Flag>>

/** The options that these flags mean. */
export function authorizationOf(values: Values<typeof authorizationFlags>): AuthorizationOptions {
  return {
    modes: values['authorization-mode'],
    ...(values['authorization-policy-file'] === ''
      ? {}
      : { policyFile: values['authorization-policy-file'] }),
    ...(values['authorization-webhook-config-file'] === ''
      ? {}
      : {
          webhook: {
            configFile: values['authorization-webhook-config-file'],
            version: values['authorization-webhook-version'],
            authorizedTtlMs: values['authorization-webhook-cache-authorized-ttl'],
            unauthorizedTtlMs: values['authorization-webhook-cache-unauthorized-ttl'],
          },
        }),
  }
}
