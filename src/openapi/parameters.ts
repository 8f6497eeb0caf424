import type { Json, Parameter } from './document.ts'

type Type = NonNullable<Parameter['type']>

const QUERY: Readonly<Record<string, readonly [type: Type, description: string]>> = {
  allowWatchBookmarks: [
    'boolean',
    'Whether a watch may send BOOKMARK events, which tell how far it has come. Means nothing without `watch`.',
  ],
  continue: [
    'string',
    'Token of the part before: the answer goes on where that one ended. An expired token is answered with 410; start again without one then.',
  ],
  dryRun: ['string', '`All`: everything is done but storing.'],
  fieldManager: [
    'string',
    'Name under which the written fields are owned, at most 128 printable characters.',
  ],
  fieldSelector: ['string', 'Only objects whose fields have these values.'],
  fieldValidation: [
    'string',
    'What happens to unknown and repeated fields: `Ignore` drops them, `Warn` tells them in a header, `Strict` refuses the request. `Warn` unless said otherwise.',
  ],
  force: [
    'boolean',
    'Takes over fields that others own. For apply patches alone; other patches must not set it.',
  ],
  gracePeriodSeconds: [
    'integer',
    'Seconds the object is given to end; 0 removes it at once. The usual time of the kind unless given.',
  ],
  labelSelector: ['string', 'Only objects whose labels meet these conditions.'],
  limit: [
    'integer',
    'At most so many items; `metadata.continue` of the answer asks for the next ones.',
  ],
  orphanDependents: [
    'boolean',
    'Older way to set `propagationPolicy`: true means `Orphan`. Only one of them may be set.',
  ],
  pretty: ['string', '`true`: the answer is indented.'],
  propagationPolicy: [
    'string',
    'What becomes of dependents: `Orphan` leaves them, `Background` deletes them afterwards, `Foreground` deletes them first.',
  ],
  resourceVersion: [
    'string',
    'Version of the state that is asked for: unset means the newest, 0 any, another value as `resourceVersionMatch` says; a watch starts after it.',
  ],
  resourceVersionMatch: [
    'string',
    '`NotOlderThan` or `Exact`: how `resourceVersion` of a list is meant.',
  ],
  timeoutSeconds: ['integer', 'Ends a list or watch after so many seconds.'],
  watch: ['boolean', 'Tells changes as a stream of events instead of a list.'],
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

/** What is sent. */
export const body = (schema: Json, required: boolean): Parameter => ({
  in: 'body',
  name: 'body',
  ...(required ? { required: true } : {}),
  schema,
})

const CONTAINER: readonly [Type, string] = [
  'string',
  'Container of the pod; needed when there are several.',
]

const attach = (what: string): Record<string, readonly [Type, string]> => ({
  container: CONTAINER,
  stderr: ['boolean', `Whether the error output of the ${what} is sent.`],
  stdin: ['boolean', `Whether the ${what} gets input.`],
  stdout: ['boolean', `Whether the output of the ${what} is sent.`],
  tty: ['boolean', `Whether the ${what} has a terminal.`],
})

const proxied = (what: string): Record<string, readonly [Type, string]> => ({
  path: ['string', `Path of the request to the ${what}.`],
})

/** Query parameters of streams, by the kind of their options. */
const CONNECT: Readonly<Record<string, Readonly<Record<string, readonly [Type, string]>>>> = {
  PodAttachOptions: attach('container'),
  PodExecOptions: {
    ...attach('command'),
    command: ['string', 'Program to run and its arguments, each given on its own; no shell.'],
  },
  PodPortForwardOptions: {
    ports: ['integer', 'Ports to forward; only needed where the protocol does not tell them.'],
  },
  PodProxyOptions: proxied('pod'),
  ServiceProxyOptions: proxied('service'),
  NodeProxyOptions: proxied('node'),
}

/** Query parameters of reading a log. */
const LOG: Readonly<Record<string, readonly [Type, string]>> = {
  container: CONTAINER,
  follow: ['boolean', 'Goes on sending what is written.'],
  insecureSkipTLSVerifyBackend: [
    'boolean',
    'Does not check the certificate of the node that is asked; the log may then come from anyone.',
  ],
  limitBytes: ['integer', 'At most so many bytes.'],
  previous: ['boolean', 'Log of the container that ran before, when it was started anew.'],
  sinceSeconds: ['integer', 'Only what is not older than so many seconds.'],
  tailLines: ['integer', 'Only so many lines from the end; all unless given.'],
  timestamps: ['boolean', 'Puts the time before every line.'],
}

/** Query parameters of a stream. */
export function connectParameters(kind: string): readonly Parameter[] {
  return Object.hasOwn(CONNECT, kind) ? all(CONNECT[kind]!) : []
}

/** Query parameters of a log. */
export const logParameters = (): readonly Parameter[] => [...all(LOG), query('pretty')]

const all = (table: Readonly<Record<string, readonly [Type, string]>>) =>
  Object.entries(table).map(([name, [type, description]]) => typed(name, type, description))
