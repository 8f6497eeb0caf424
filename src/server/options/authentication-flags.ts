import { milliseconds, textMap } from '../../base/value-checks.ts'
import type { AuthenticationOptions } from './authentication-options.ts'
import {
  choiceFlag,
  durationFlag,
  fileFlag,
  listFlag,
  onFlag,
  optionalTextFlag,
  type Flag,
  type Values,
} from '../../flags/flags.ts'

const section = 'Authentication'

// Zero has a meaning here.
const ttl = (about: Parameters<typeof durationFlag>[0]): Flag<number> => ({
  ...durationFlag(about),
  takes: milliseconds(0),
  check: (value) => (value < 0 ? 'must not be negative' : null),
})

/** How requests show who makes them (authentication page 12). */
export const authenticationFlags = {
  'anonymous-auth': onFlag({
    option: 'authentication.anonymous',
    section,
    help: 'Let requests without a credential in as the user system:anonymous.',
  }),
  'api-audiences': listFlag({
    option: 'authentication.apiAudiences',
    section,
    help: 'What tokens may be meant for; by default the issuers of service account tokens.',
  }),
  'client-ca-file': fileFlag({
    option: 'authentication.clientCaFile',
    section,
    help: 'Authorities of client certificates, PEM, beside the server’s own. Read anew when the file changes.',
  }),
  'token-auth-file': fileFlag({
    option: 'authentication.tokenAuthFile',
    section,
    help: 'Tokens and their users, CSV: token, user name, user ID, and groups in quotes.',
  }),
  'enable-bootstrap-token-auth': onFlag({
    option: 'authentication.bootstrapTokens',
    section,
    help: 'Take tokens out of secrets in the system’s namespace, with which machines join.',
  }),
  'service-account-issuer': listFlag(
    {
      option: 'authentication.serviceAccounts.issuers',
      section,
      help: 'Issuer of service account tokens; the first signs, all are taken. May be repeated.',
    },
    { split: false },
  ),
  'service-account-key-file': listFlag(
    {
      option: 'authentication.serviceAccounts.keyFiles',
      section,
      help: 'Keys that service account tokens are verified with, PEM: RSA or ECDSA, private or public, or certificates. May be repeated; by default a key of the server’s own.',
    },
    { split: false },
  ),
  'service-account-signing-key-file': fileFlag({
    option: 'authentication.serviceAccounts.signingKeyFile',
    section,
    help: 'Key that service account tokens are signed with, PEM; by default the server’s own.',
  }),
  'service-account-jwks-uri': optionalTextFlag({
    option: 'authentication.serviceAccounts.jwksUri',
    section,
    help: 'Where the discovery document says the keys are; by default at this server.',
  }),
  'service-account-lookup': onFlag({
    option: 'authentication.serviceAccounts.lookup',
    section,
    help: 'Tokens in secrets end with their secret.',
  }),
  'service-account-max-token-expiration': ttl({
    option: 'authentication.serviceAccounts.maxExpirationSeconds',
    section,
    default: '0s',
    help: 'Longest life of a service account token, one hour or more; 0 for no bound.',
  }),
  'service-account-extend-token-expiration': onFlag({
    option: 'authentication.serviceAccounts.extendExpiration',
    section,
    help: 'Tokens of pods are good for longer than they say, so that programs that do not read them anew go on.',
  }),
  'oidc-issuer-url': optionalTextFlag({
    option: 'authentication.oidc.issuerUrl',
    section,
    help: 'Identity provider whose tokens are taken; https.',
  }),
  'oidc-client-id': optionalTextFlag({
    option: 'authentication.oidc.clientId',
    section,
    help: 'Client that tokens of the provider must be issued to.',
  }),
  'oidc-ca-file': fileFlag({
    option: 'authentication.oidc.caFile',
    section,
    help: 'Authority of the provider’s certificate, PEM; by default those of this machine.',
  }),
  'oidc-username-claim': optionalTextFlag({
    option: 'authentication.oidc.usernameClaim',
    section,
    default: 'sub',
    help: 'Claim that is the user name.',
  }),
  'oidc-username-prefix': optionalTextFlag({
    option: 'authentication.oidc.usernamePrefix',
    section,
    help: 'Put before user names; "-" for nothing. By default the issuer and "#", unless the claim is email.',
  }),
  'oidc-groups-claim': optionalTextFlag({
    option: 'authentication.oidc.groupsClaim',
    section,
    help: 'Claim with the groups of the user: a text or a list of texts.',
  }),
  'oidc-groups-prefix': optionalTextFlag({
    option: 'authentication.oidc.groupsPrefix',
    section,
    help: 'Put before the names of groups.',
  }),
  'oidc-required-claim': {
    ...listFlag({
      option: 'authentication.oidc.requiredClaims',
      section,
      help: 'Claims that a token must have, name=value. May be repeated.',
    }),
    takes: textMap,
    check(items: readonly string[]): string | null {
      const wrong = items.find((item) => item.indexOf('=') < 1)
      return wrong === undefined ? null : `must be name=value, not ${JSON.stringify(wrong)}`
    },
  },
  'oidc-signing-algs': listFlag({
    option: 'authentication.oidc.signingAlgs',
    section,
    default: 'RS256',
    help: 'Algorithms that tokens of the provider may be signed with.',
  }),
  'authentication-token-webhook-config-file': fileFlag({
    option: 'authentication.webhook.configFile',
    section,
    help: 'Client configuration of a service that knows tokens.',
  }),
  'authentication-token-webhook-version': choiceFlag(['v1', 'v1beta1'], {
    option: 'authentication.webhook.version',
    section,
    default: 'v1beta1',
    help: 'Version of the reviews that are sent to that service.',
  }),
  'authentication-token-webhook-cache-ttl': ttl({
    option: 'authentication.webhook.cacheTtlMs',
    section,
    default: '2m',
    help: 'How long its answers are remembered.',
  }),
  'requestheader-client-ca-file': fileFlag({
    option: 'authentication.requestHeader.clientCaFile',
    section,
    help: 'Authorities of the certificates of proxies that say whose requests they pass on, PEM.',
  }),
  'requestheader-allowed-names': listFlag({
    option: 'authentication.requestHeader.allowedNames',
    section,
    help: 'Common names that such a certificate may have; any without.',
  }),
  'requestheader-username-headers': listFlag({
    option: 'authentication.requestHeader.usernameHeaders',
    section,
    help: 'Headers that hold the user name; the first with a value counts.',
  }),
  'requestheader-group-headers': listFlag({
    option: 'authentication.requestHeader.groupHeaders',
    section,
    help: 'Headers that hold groups.',
  }),
  'requestheader-extra-headers-prefix': listFlag({
    option: 'authentication.requestHeader.extraHeaderPrefixes',
    section,
    help: 'Beginnings of headers that hold further attributes.',
  }),
} as const satisfies Readonly<Record<string, Flag<any>>>

/** The options that these flags mean. */
export function authenticationOf(
  values: Values<typeof authenticationFlags>,
): AuthenticationOptions {
  const hasProvider = values['oidc-issuer-url'] !== '' || values['oidc-client-id'] !== ''
  return {
    anonymous: values['anonymous-auth'],
    clientCaFile: values['client-ca-file'],
    ...given('tokenAuthFile', values['token-auth-file']),
    bootstrapTokens: values['enable-bootstrap-token-auth'],
    apiAudiences: values['api-audiences'],
    serviceAccounts: {
      issuers: values['service-account-issuer'],
      keyFiles: values['service-account-key-file'],
      signingKeyFile: values['service-account-signing-key-file'],
      jwksUri: values['service-account-jwks-uri'],
      lookup: values['service-account-lookup'],
      maxExpirationSeconds: values['service-account-max-token-expiration'] / 1000,
      extendExpiration: values['service-account-extend-token-expiration'],
    },
    ...(hasProvider
      ? {
          oidc: {
            issuerUrl: values['oidc-issuer-url'],
            clientId: values['oidc-client-id'],
            ...given('caFile', values['oidc-ca-file']),
            usernameClaim: values['oidc-username-claim'],
            usernamePrefix: values['oidc-username-prefix'],
            groupsClaim: values['oidc-groups-claim'],
            groupsPrefix: values['oidc-groups-prefix'],
            requiredClaims: pairs(values['oidc-required-claim']),
            signingAlgs: values['oidc-signing-algs'],
          },
        }
      : {}),
    ...(values['authentication-token-webhook-config-file'] === ''
      ? {}
      : {
          webhook: {
            configFile: values['authentication-token-webhook-config-file'],
            version: values['authentication-token-webhook-version'],
            cacheTtlMs: values['authentication-token-webhook-cache-ttl'],
          },
        }),
    ...(values['requestheader-client-ca-file'] === ''
      ? {}
      : {
          requestHeader: {
            clientCaFile: values['requestheader-client-ca-file'],
            allowedNames: values['requestheader-allowed-names'],
            usernameHeaders: values['requestheader-username-headers'],
            groupHeaders: values['requestheader-group-headers'],
            extraHeaderPrefixes: values['requestheader-extra-headers-prefix'],
          },
        }),
  }
}

const given = <K extends string>(name: K, value: string): { readonly [_ in K]?: string } =>
  (value === '' ? {} : { [name]: value }) as { readonly [_ in K]?: string }

const pairs = (items: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    items.map((item): [string, string] => {
      const at = item.indexOf('=')
      return [item.slice(0, at), item.slice(at + 1)]
    }),
  )
