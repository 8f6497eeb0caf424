import type { FlagSpecs } from './flags.ts'

/** Flags that every command has. */
export const globalFlags = {
  as: {
    type: 'text',
    help: 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace.',
  },
  'as-group': {
    type: 'array',
    help: 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups.',
  },
  'as-uid': { type: 'text', help: 'UID to impersonate for the operation.' },
  'cache-dir': {
    type: 'text',
    help: 'Directory for cached discovery documents; the folder of the configuration by default.',
  },
  'certificate-authority': {
    type: 'text',
    help: 'Path to a cert file for the certificate authority',
  },
  'client-certificate': { type: 'text', help: 'Path to a client certificate file for TLS' },
  'client-key': { type: 'text', help: 'Path to a client key file for TLS' },
  cluster: { type: 'text', help: 'The name of the cluster of the configuration to use' },
  context: { type: 'text', help: 'The name of the context of the configuration to use' },
  'disable-compression': {
    type: 'bool',
    help: 'Accepted for compatibility: responses are not compressed.',
    isHidden: true,
  },
  'insecure-skip-tls-verify': {
    type: 'bool',
    help: "If true, the server's certificate will not be checked for validity. This will make your HTTPS connections insecure",
  },
  kubeconfig: {
    type: 'text',
    help: 'Path to the client configuration file to use for CLI requests.',
  },
  'match-server-version': { type: 'bool', help: 'Require server version to match client version' },
  namespace: {
    type: 'text',
    short: 'n',
    help: 'If present, the namespace scope for this CLI request',
  },
  password: { type: 'text', help: 'Password for basic authentication to the API server' },
  'request-timeout': {
    type: 'duration',
    default: '0',
    help: "The length of time to wait before giving up on a single server request. A value of zero means don't timeout requests.",
  },
  server: { type: 'text', short: 's', help: 'The address and port of the API server' },
  'tls-server-name': {
    type: 'text',
    help: 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used',
  },
  token: { type: 'text', help: 'Bearer token for authentication to the API server' },
  user: { type: 'text', help: 'The name of the user of the configuration to use' },
  username: { type: 'text', help: 'Username for basic authentication to the API server' },
  v: {
    type: 'int',
    short: 'v',
    default: '0',
    help: 'number for the log level verbosity; from 6 on requests are shown, with credentials masked',
  },
  'warnings-as-errors': {
    type: 'bool',
    help: 'Treat warnings received from the server as errors and exit with a non-zero exit code',
  },
} as const satisfies FlagSpecs

/** Every command explains itself. */
export const helpFlag = {
  help: { type: 'bool', short: 'h', help: 'Shows this help.' },
} as const satisfies FlagSpecs
