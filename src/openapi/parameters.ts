import type { Json, Parameter } from './document.ts'

type Type = NonNullable<Parameter['type']>

const QUERY: Readonly<Record<string, readonly [type: Type, description: string]>> = {
  allowWatchBookmarks: [
    'boolean',
    'If true, the watch may send BOOKMARK events that carry only a newer resource version. Ignored without `watch`.',
  ],
  continue: [
    'string',
    'Token from the previous chunk of a list, to get the next one. Fails with 410 once the token has expired; start the list again without it then.',
  ],
  dryRun: [
    'string',
    '`All` processes the request through all stages without persisting it. No other value is allowed.',
  ],
  fieldManager: [
    'string',
    'Field manager that owns the fields set by the request, at most 128 printable characters. Required for apply patches; otherwise defaults to the client name in the user agent.',
  ],
  fieldSelector: [
    'string',
    'Field selector that restricts the returned objects, such as `metadata.name=example`. Defaults to all objects.',
  ],
  fieldValidation: [
    'string',
    'Handling of unknown and duplicate fields: `Ignore` drops them, `Warn` also returns warnings, `Strict` rejects the request. Defaults to `Warn`.',
  ],
  force: [
    'boolean',
    'If true, an apply takes over fields that other managers own instead of failing with a conflict. Only valid for apply patches.',
  ],
  gracePeriodSeconds: [
    'integer',
    'Seconds the object has to terminate gracefully; zero deletes it immediately. Defaults to the grace period of the kind or object.',
  ],
  labelSelector: [
    'string',
    'Label selector that restricts the returned objects, such as `app=web,tier!=test`. Defaults to all objects.',
  ],
  limit: [
    'integer',
    'Maximum number of items in one response; `metadata.continue` of the list leads to the rest. Defaults to no limit.',
  ],
  orphanDependents: [
    'boolean',
    'Deprecated; use `propagationPolicy`. True keeps dependents, false deletes them in the background. Mutually exclusive with `propagationPolicy`.',
  ],
  pretty: ['string', 'If `true`, the response is indented for reading.'],
  propagationPolicy: [
    'string',
    'How dependents are garbage collected: `Orphan` keeps them, `Background` deletes them after the object, `Foreground` before it.',
  ],
  resourceVersion: [
    'string',
    'Resource version to read at: unset for the most recent, `0` for any, otherwise as `resourceVersionMatch` defines. A watch starts after it.',
  ],
  resourceVersionMatch: [
    'string',
    'How a list applies `resourceVersion`: `Exact` or `NotOlderThan`. Only valid with a resource version.',
  ],
  timeoutSeconds: [
    'integer',
    'Seconds after which the server ends the list or watch, regardless of activity.',
  ],
  watch: ['boolean', 'If true, streams changes as watch events instead of returning a list.'],
}

const LISTING = [
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
]

/** Names of the query parameters of the verbs. */
export const PARAMETERS = {
  list: ['allowWatchBookmarks', ...LISTING, 'watch'],
  write: ['dryRun', 'fieldManager', 'fieldValidation'],
  patch: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  delete: ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'],
  deleteMany: [...LISTING, 'dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'],
} as const

/** A query parameter that verbs share. */
export const query = (name: string): Parameter => typed(name, ...QUERY[name]!)

function typed(name: string, type: Type, description: string): Parameter {
  return { description, in: 'query', name, type, uniqueItems: true }
}

/** A part of the path. */
export const pathParameter = (name: string, description: string): Parameter => ({
  description,
  in: 'path',
  name,
  required: true,
  type: 'string',
  uniqueItems: true,
})

/** The body of the request. */
export const body = (schema: Json, required: boolean): Parameter => ({
  in: 'body',
  name: 'body',
  ...(required ? { required: true } : {}),
  schema,
})

const CONTAINER: readonly [Type, string] = [
  'string',
  'Name of the container. Required if the pod has more than one.',
]

const attach = (what: string): Record<string, readonly [Type, string]> => ({
  container: CONTAINER,
  stderr: ['boolean', `If true, streams the standard error of the ${what}.`],
  stdin: ['boolean', `If true, passes the standard input of the client to the ${what}.`],
  stdout: ['boolean', `If true, streams the standard output of the ${what}.`],
  tty: ['boolean', `If true, allocates a terminal (TTY) for the ${what}.`],
})

const proxied = (what: string): Record<string, readonly [Type, string]> => ({
  path: ['string', `URL path of the request to the ${what}.`],
})

/** Query parameters of streams, by the kind of their options. */
const CONNECT: Readonly<Record<string, Readonly<Record<string, readonly [Type, string]>>>> = {
  PodAttachOptions: attach('container'),
  PodExecOptions: {
    ...attach('command'),
    command: [
      'string',
      'Command to execute and its arguments, one parameter each. It is not run in a shell.',
    ],
  },
  PodPortForwardOptions: {
    ports: ['integer', 'Ports to forward. Required for WebSocket connections.'],
  },
  PodProxyOptions: proxied('pod'),
  ServiceProxyOptions: proxied('service'),
  NodeProxyOptions: proxied('node'),
}

/** Query parameters of reading a log. */
const LOG: Readonly<Record<string, readonly [Type, string]>> = {
  container: CONTAINER,
  follow: ['boolean', 'If true, continues to stream the log as it is written.'],
  insecureSkipTLSVerifyBackend: [
    'boolean',
    'If true, the certificate of the node is not verified, so the log may come from an impostor. Defaults to false.',
  ],
  limitBytes: ['integer', 'Maximum number of bytes of the log to return.'],
  previous: [
    'boolean',
    'If true, returns the log of the previous, terminated instance of the container.',
  ],
  sinceSeconds: ['integer', 'Returns only entries that are at most this many seconds old.'],
  tailLines: ['integer', 'Number of lines to return from the end of the log. Defaults to all.'],
  timestamps: ['boolean', 'If true, each line begins with a timestamp in RFC 3339 format.'],
}

/** Query parameters of a stream. */
export function connectParameters(kind: string): readonly Parameter[] {
  return Object.hasOwn(CONNECT, kind) ? all(CONNECT[kind]!) : []
}

/** Query parameters of a log. */
export const logParameters = (): readonly Parameter[] => [...all(LOG), query('pretty')]

const all = (table: Readonly<Record<string, readonly [Type, string]>>) =>
  Object.entries(table).map(([name, [type, description]]) => typed(name, type, description))
