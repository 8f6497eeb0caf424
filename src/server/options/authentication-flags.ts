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

/** Flags of authentication. */
export const authenticationFlags = {
  'anonymous-auth': onFlag({
    option: 'authentication.anonymous',
    section,
    help: 'Accept requests without credentials as the user system:anonymous.',
  }),
  'api-audiences': listFlag({
    option: 'authentication.apiAudiences',
    section,
    help: 'Audiences of this API: a token must be issued for one of them. Defaults to the issuers of service account tokens.',
  }),
  'client-ca-file': fileFlag({
    option: 'authentication.clientCaFile',
    section,
    help: 'CA bundle that verifies client certificates, PEM, in addition to the server’s own CA. Reloaded when the file changes.',
  }),
  'token-auth-file': fileFlag({
    option: 'authentication.tokenAuthFile',
    section,
    help: 'CSV file of static tokens: token, user name, user ID, and optional groups in quotes.',
  }),
  'enable-bootstrap-token-auth': onFlag({
    option: 'authentication.bootstrapTokens',
    section,
    help: 'Accept bootstrap tokens, which are secrets in the system namespace, for machines that join the cluster.',
  }),
  'service-account-issuer': listFlag(
    {
      option: 'authentication.serviceAccounts.issuers',
      section,
      help: 'Issuer of service account tokens. May be repeated: new tokens name the first issuer, tokens of all of them are accepted.',
    },
    { split: false },
  ),
  'service-account-key-file': listFlag(
    {
      option: 'authentication.serviceAccounts.keyFiles',
      section,
      help: 'Keys that verify service account tokens, PEM: RSA or ECDSA, private keys, public keys or certificates. May be repeated. Defaults to the server’s own key.',
    },
    { split: false },
  ),
  'service-account-signing-key-file': fileFlag({
    option: 'authentication.serviceAccounts.signingKeyFile',
    section,
    help: 'Private key that signs service account tokens, PEM. Defaults to the server’s own key.',
  }),
  'service-account-jwks-uri': optionalTextFlag({
    option: 'authentication.serviceAccounts.jwksUri',
    section,
    help: 'URL of the keys in the discovery document. Defaults to this server.',
  }),
  'service-account-lookup': onFlag({
    option: 'authentication.serviceAccounts.lookup',
    section,
    help: 'Reject tokens from secrets whose secret was deleted.',
  }),
  'service-account-max-token-expiration': ttl({
    option: 'authentication.serviceAccounts.maxExpirationSeconds',
    section,
    default: '0s',
    help: 'Maximum lifetime of a requested service account token, at least 1h; 0 for no limit.',
  }),
  'service-account-extend-token-expiration': onFlag({
    option: 'authentication.serviceAccounts.extendExpiration',
    section,
    help: 'Accept tokens of pods for longer than they state, for programs that do not reload them.',
  }),
  'oidc-issuer-url': optionalTextFlag({
    option: 'authentication.oidc.issuerUrl',
    section,
    help: 'URL of the OpenID provider whose ID tokens are accepted; https only.',
  }),
  'oidc-client-id': optionalTextFlag({
    option: 'authentication.oidc.clientId',
    section,
    help: 'Client ID for which ID tokens must be issued.',
  }),
  'oidc-ca-file': fileFlag({
    option: 'authentication.oidc.caFile',
    section,
    help: "CA bundle that verifies the certificate of the OpenID provider, PEM. Defaults to the system's.",
  }),
  'oidc-username-claim': optionalTextFlag({
    option: 'authentication.oidc.usernameClaim',
    section,
    default: 'sub',
    help: 'Claim that contains the user name.',
  }),
  'oidc-username-prefix': optionalTextFlag({
    option: 'authentication.oidc.usernamePrefix',
    section,
    help: 'Prefix of user names; "-" for none. Defaults to the issuer and "#", or to none if the claim is email.',
  }),
  'oidc-groups-claim': optionalTextFlag({
    option: 'authentication.oidc.groupsClaim',
    section,
    help: 'Claim that contains the groups of the user: a string or a list of strings.',
  }),
  'oidc-groups-prefix': optionalTextFlag({
    option: 'authentication.oidc.groupsPrefix',
    section,
    help: 'Prefix of group names.',
  }),
  'oidc-required-claim': {
    ...listFlag({
      option: 'authentication.oidc.requiredClaims',
      section,
      help: 'Claim that an ID token must have, name=value. May be repeated.',
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
    help: 'Signature algorithms that are accepted for ID tokens.',
  }),
  'authentication-token-webhook-config-file': fileFlag({
    option: 'authentication.webhook.configFile',
    section,
    help: 'Kubeconfig of a webhook that authenticates bearer tokens.',
  }),
  'authentication-token-webhook-version': choiceFlag(['v1', 'v1beta1'], {
    option: 'authentication.webhook.version',
    section,
    default: 'v1beta1',
    help: 'API version of the reviews that are sent to the webhook.',
  }),
  'authentication-token-webhook-cache-ttl': ttl({
    option: 'authentication.webhook.cacheTtlMs',
    section,
    default: '2m',
    help: 'How long responses of the token webhook are cached.',
  }),
  'requestheader-client-ca-file': fileFlag({
    option: 'authentication.requestHeader.clientCaFile',
    section,
    help: 'CA bundle that verifies the client certificates of authenticating proxies, PEM.',
  }),
  'requestheader-allowed-names': listFlag({
    option: 'authentication.requestHeader.allowedNames',
    section,
    help: 'Common names that are allowed for authenticating proxies; empty allows any.',
  }),
  'requestheader-username-headers': listFlag({
    option: 'authentication.requestHeader.usernameHeaders',
    section,
    help: 'Request headers that contain the user name. The first one with a value is used.',
  }),
  'requestheader-group-headers': listFlag({
    option: 'authentication.requestHeader.groupHeaders',
    section,
    help: 'Request headers that contain group names.',
  }),
  'requestheader-extra-headers-prefix': listFlag({
    option: 'authentication.requestHeader.extraHeaderPrefixes',
    section,
    help: 'Prefixes of request headers that contain extra attributes of the user.',
  }),
} as const satisfies Readonly<Record<string, Flag>>

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
