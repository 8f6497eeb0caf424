/** Flags of the port of the program that runs controllers: TLS, who its users are, and what they may. */
import { milliseconds } from '../../base/value-checks.ts'
import {
  boolFlag,
  durationFlag,
  fileFlag,
  intFlag,
  ipFlag,
  listFlag,
  optionalTextFlag,
  type Flag,
} from '../../flags/flags.ts'
import { authenticationFlags } from '../../server/options/authentication-flags.ts'
import { servingFlags } from '../../server/options/serving-flags.ts'

const section = 'Serving'

/** The same flag, of this program. */
function ours<T>(flag: Flag<T>, change: Partial<Pick<Flag<T>, 'help' | 'default'>> = {}): Flag<T> {
  const { option: _, takes: __, ...rest } = flag
  return { ...rest, section, ...change }
}

const ttl = (help: string): Flag<number> => ({
  ...durationFlag({ section, default: '10s', help }),
  takes: milliseconds(0),
  check: (value) => (value < 0 ? 'must not be negative' : null),
})

const proxyFlags = {
  'requestheader-client-ca-file': ours(authenticationFlags['requestheader-client-ca-file']),
  'requestheader-allowed-names': ours(authenticationFlags['requestheader-allowed-names']),
  'requestheader-username-headers': ours(authenticationFlags['requestheader-username-headers'], {
    default: 'x-remote-user',
  }),
  'requestheader-group-headers': ours(authenticationFlags['requestheader-group-headers'], {
    default: 'x-remote-group',
  }),
  'requestheader-extra-headers-prefix': ours(
    authenticationFlags['requestheader-extra-headers-prefix'],
    { default: 'x-remote-extra-' },
  ),
} as const

/** All of them. */
export const portFlags = {
  'bind-address': ipFlag({
    section,
    default: '0.0.0.0',
    help: 'Address that serves /healthz, /livez, /readyz, /metrics, /configz and /debug/controllers/ over HTTPS.',
  }),
  'secure-port': intFlag(
    { min: 0, max: 65_535 },
    { section, default: '10257', help: 'Port of these pages; 0 disables them.' },
  ),
  'tls-cert-file': ours(servingFlags['tls-cert-file'], {
    help: 'Serving certificate, with those between it and its authority behind it, PEM. Reloaded when it changes. Without it one is made that signs itself.',
  }),
  'tls-private-key-file': ours(servingFlags['tls-private-key-file']),
  'cert-dir': optionalTextFlag({
    section,
    help: 'Folder that keeps the certificate that is made without --tls-cert-file. Without it there is a new one at each start.',
  }),
  'tls-sni-cert-key': ours(servingFlags['tls-sni-cert-key']),
  'tls-min-version': ours(servingFlags['tls-min-version']),
  'tls-cipher-suites': ours(servingFlags['tls-cipher-suites']),
  'http2-max-streams-per-connection': ours(servingFlags['http2-max-streams-per-connection']),
  'permit-port-sharing': ours(servingFlags['permit-port-sharing']),
  'permit-address-sharing': ours(servingFlags['permit-address-sharing']),
  'client-ca-file': fileFlag({
    section,
    help: 'Authorities of client certificates, PEM. Reloaded when the file changes. Other users are known by their tokens, which a server reviews.',
  }),
  ...proxyFlags,
  'authentication-kubeconfig': fileFlag({
    section,
    help: 'Kubeconfig of the server that reviews tokens. Authorities and headers that no flag gives are looked up there. Defaults to that of --kubeconfig, where nothing is looked up.',
  }),
  'authentication-skip-lookup': boolFlag({
    section,
    help: 'Look nothing up in the server of --authentication-kubeconfig.',
  }),
  'authentication-tolerate-lookup-failure': boolFlag({
    section,
    help: 'Start although it cannot be looked up: then users are known by tokens, and by what the flags give.',
  }),
  'authentication-token-webhook-cache-ttl': ttl('How long reviews of tokens are remembered.'),
  'authorization-kubeconfig': fileFlag({
    section,
    help: 'Kubeconfig of the server that reviews access. Defaults to that of --kubeconfig.',
  }),
  'authorization-always-allow-paths': {
    ...listFlag({
      section,
      default: '/healthz,/readyz,/livez',
      help: 'Paths that need no authorization; /path/* matches by prefix. For others an access review is sent to the server.',
    }),
    check(paths: readonly string[]): string | null {
      const wrong = paths.find((path) => path.replace(/\*$/, '').includes('*'))
      return wrong === undefined
        ? null
        : `may have * only at the end, not in ${JSON.stringify(wrong)}`
    },
  },
  'authorization-webhook-cache-authorized-ttl': ttl('How long reviews that allow are remembered.'),
  'authorization-webhook-cache-unauthorized-ttl': ttl('How long other reviews are remembered.'),
} as const
