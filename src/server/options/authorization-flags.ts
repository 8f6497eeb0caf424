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

/** Who decides about requests (authorization page 10). */
export const authorizationFlags = {
  'authorization-mode': listFlag({
    option: 'authorization.modes',
    section,
    default: STANDARD_MODES.join(','),
    help: 'Who decides, in the order in which they are asked: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny.',
  }),
  'authorization-policy-file': fileFlag({
    option: 'authorization.policyFile',
    section,
    help: 'Policies of ABAC, one JSON object on each line.',
  }),
  'authorization-webhook-config-file': fileFlag({
    option: 'authorization.webhook.configFile',
    section,
    help: 'Client configuration of a service that decides.',
  }),
  'authorization-webhook-version': choiceFlag(['v1', 'v1beta1'], {
    option: 'authorization.webhook.version',
    section,
    default: 'v1beta1',
    help: 'Version of the reviews that are sent to that service.',
  }),
  'authorization-webhook-cache-authorized-ttl': orNone(
    durationFlag({
      option: 'authorization.webhook.authorizedTtlMs',
      section,
      default: '5m',
      help: 'How long it is remembered what that service allowed; 0 for not at all.',
    }),
  ),
  'authorization-webhook-cache-unauthorized-ttl': orNone(
    durationFlag({
      option: 'authorization.webhook.unauthorizedTtlMs',
      section,
      default: '30s',
      help: 'How long its other answers are remembered; 0 for not at all.',
    }),
  ),
} as const satisfies Readonly<Record<string, Flag<any>>>

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
