import { TLS_VERSIONS, suitesProblem, type TlsVersionName } from '../../http/tls-parameters.ts'
import { numberBetween } from '../../base/value-checks.ts'
import {
  boolFlag,
  choiceFlag,
  fileFlag,
  intFlag,
  listFlag,
  onFlag,
  optionalTextFlag,
  type Flag,
  type Values,
} from '../../flags/flags.ts'
import type { ServingOptions } from './serving-options.ts'
import { parseSniPair } from './sni-pair.ts'

const section = 'Secure serving'
const MAX_GOAWAY_CHANCE = 0.02
const DIRECTIVES = 'max-age=expireTime, includeSubDomains, preload'

const goawayChance: Flag<number> = {
  option: 'serving.goawayChance',
  section: 'Generic',
  default: '0',
  placeholder: 'float',
  help: 'Probability, from 0 to 0.02, with which a request over HTTP/2 makes its client connect anew, so that load balancers spread long-lived connections. Requests in progress are finished.',
  takes: numberBetween(0, MAX_GOAWAY_CHANCE),
  parse(text) {
    if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) throw new Error('must be a number')
    return Number(text)
  },
  check: (value) =>
    value < 0 || value > MAX_GOAWAY_CHANCE
      ? `can not be less than 0 or greater than ${MAX_GOAWAY_CHANCE}`
      : null,
}

/** Flags of certificates, TLS and headers of every response. */
export const servingFlags = {
  'tls-cert-file': fileFlag({
    option: 'serving.certFile',
    section,
    help: 'Serving certificate, with those between it and its authority behind it, PEM. Reloaded when it changes. Defaults to a certificate of its own authority, which the server creates.',
  }),
  'tls-private-key-file': fileFlag({
    option: 'serving.keyFile',
    section,
    help: 'Private key of the serving certificate, PEM. Reloaded when it changes.',
  }),
  'cert-dir': optionalTextFlag({
    option: 'serving.certDir',
    section,
    help: 'Directory of apiserver.crt and apiserver.key, the serving certificate and its key, where --tls-cert-file is not given. The server makes a self-signed pair there if there is none. Without it the server has a certificate of its own authority in the data directory.',
  }),
  'tls-sni-cert-key': {
    ...listFlag(
      {
        option: 'serving.sniCertKeys',
        section,
        help: 'Further certificate and key for clients that ask for certain names: certificate,key or certificate,key:name,name. Names may begin with "*."; without names those of the certificate count. Of several the first wins, given names before those of certificates. May be repeated. Reloaded when they change.',
      },
      { split: false },
    ),
    check(pairs: readonly string[]): string | null {
      const wrong = pairs.find((pair) => parseSniPair(pair) === null)
      return wrong === undefined
        ? null
        : `must be certificate,key or certificate,key:name,..., not ${JSON.stringify(wrong)}`
    },
  },
  'tls-min-version': choiceFlag<TlsVersionName>(TLS_VERSIONS, {
    option: 'serving.minTlsVersion',
    section,
    default: 'VersionTLS12',
    help: 'Oldest version of TLS that clients may use.',
  }),
  'tls-cipher-suites': {
    ...listFlag({
      option: 'serving.cipherSuites',
      section,
      help: 'Cipher suites for TLS 1.2 and older, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; those of TLS 1.3 are always on. Defaults to what Node.js prefers.',
    }),
    check: suitesProblem,
  },
  'http2-max-streams-per-connection': intFlag(
    { min: 0, max: 1_000_000 },
    {
      option: 'serving.http2MaxStreams',
      section,
      default: '0',
      help: 'Concurrent requests on one HTTP/2 connection; 0 for 250.',
    },
  ),
  'join-responses': onFlag({
    option: 'serving.joinsResponses',
    section,
    help: 'Send the responses over HTTP/1.1 that are made in one iteration of the event loop together at its end. Without it each one is sent as soon as it is made, which takes longer under load.',
  }),
  'direct-http1': onFlag({
    option: 'serving.directHttp1',
    section,
    help: 'Read plain requests over HTTP/1.1, and write their responses, without the HTTP server of Node.js, which takes longer. A connection that sends anything else is passed on to it. Connections, also those of HTTP/2, are read into memory that they share.',
  }),
  'permit-port-sharing': boolFlag({
    option: 'serving.sharesPort',
    section,
    help: 'Let several servers listen on the same address and port (SO_REUSEPORT). Needs Node.js 22.12 or newer.',
  }),
  'permit-address-sharing': boolFlag({
    section,
    help: 'Listen although connections of an earlier server still linger on the port (SO_REUSEADDR). Always on.',
  }),
  'strict-transport-security-directives': {
    ...listFlag({
      option: 'serving.hstsDirectives',
      section: 'Generic',
      help: `Directives of the header Strict-Transport-Security of every response: ${DIRECTIVES}. Without them there is none.`,
    }),
    check(directives: readonly string[]): string | null {
      const isKnown = (one: string) =>
        /^max-age=\d+$/.test(one) || one === 'includeSubDomains' || one === 'preload'
      return directives.every(isKnown) ? null : `invalid, allowed values: ${DIRECTIVES}`
    },
  },
  'goaway-chance': goawayChance,
  'cors-allowed-origins': listFlag({
    option: 'serving.corsAllowedOrigins',
    section: 'Generic',
    help: 'Origins of pages in browsers that may make requests, as regular expressions; they match anywhere unless they begin with ^ and end with $. Without them none may.',
  }),
}

/** The options out of the flags. */
export const servingOf = (values: Values<typeof servingFlags>): ServingOptions => ({
  certFile: values['tls-cert-file'],
  keyFile: values['tls-private-key-file'],
  certDir: values['cert-dir'],
  sniCertKeys: values['tls-sni-cert-key'],
  minTlsVersion: values['tls-min-version'],
  cipherSuites: values['tls-cipher-suites'],
  http2MaxStreams: values['http2-max-streams-per-connection'],
  joinsResponses: values['join-responses'],
  directHttp1: values['direct-http1'],
  sharesPort: values['permit-port-sharing'],
  hstsDirectives: values['strict-transport-security-directives'],
  goawayChance: values['goaway-chance'],
  corsAllowedOrigins: values['cors-allowed-origins'],
})
