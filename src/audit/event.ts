/** One event: a stage of a request, as the text that backends store. */
import { formatDuration } from '../base/duration.ts'
import type { AuditedRequest } from '../http/audit.ts'
import type { RequestInfo } from '../http/request-info.ts'
import type { ObjectIdentity } from '../http/request-record.ts'
import type { Status } from '../meta/errors.ts'
import type { User } from '../registry/context.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import { MadeTexts } from './made-texts.ts'
import { madeJson, sentJson } from './object-json.ts'
import { METADATA, REQUEST, REQUEST_RESPONSE, type Decided } from './policy-rules.ts'
import type { LineTemplate } from './line-template.ts'
import { LEVELS, type Stage } from './policy.ts'
import { sourceAddresses } from './source-addresses.ts'
import { EventTimes } from './times.ts'

/** The request of an event, as far as it is known. */
export type EventRequest = Pick<
  AuditedRequest,
  | 'target'
  | 'headers'
  | 'remoteAddress'
  | 'auditId'
  | 'info'
  | 'user'
  | 'impersonator'
  | 'annotations'
  | 'identity'
  | 'receivedAt'
  | 'startedAt'
  | 'parts'
  | 'requestObject'
  | 'responseObject'
>

/** What an event says of the response. */
export type EventStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details'>> & {
  readonly code: number
}

/** Names that depend on the vocabulary, and what events have in common. */
export interface EventNames {
  /** The first two members of a line: kind and apiVersion, each followed by a comma. */
  readonly type: string
  readonly truncated: string
  /** Prefix of the times of slow requests. */
  readonly latency: string
  /** The options of a delete without a body. */
  readonly deleteOptions: string
  readonly times: EventTimes
  /** JSON of users. */
  readonly users: WeakMap<User, string>
  /** JSON of user agents. */
  readonly agents: MadeTexts
  /** JSON of the addresses of clients without proxies. */
  readonly addresses: MadeTexts
  /** Annotations of an allowed request, by the reason. */
  readonly allowed: MadeTexts
}

/** The names of a vocabulary, with empty caches. */
export const eventNames = (v: Vocabulary): EventNames => ({
  type: `"kind":"Event","apiVersion":${JSON.stringify(v.resolve('audit{api}/v1'))},`,
  truncated: v.resolve('audit{api}/truncated'),
  latency: v.resolve('apiserver.latency{api}/'),
  deleteOptions: JSON.stringify({
    kind: 'DeleteOptions',
    apiVersion: v.resolve('meta{api}/__internal'),
  }),
  times: new EventTimes(),
  users: new WeakMap(),
  agents: new MadeTexts((agent) => quoted(shortAgent(agent))),
  addresses: new MadeTexts((address) => JSON.stringify(sourceAddresses({}, address))),
  allowed: new MadeTexts(
    (reason) =>
      `${quoted(v.resolve('authorization{api}/decision'))}:"allow",` +
      `${quoted(v.resolve('authorization{api}/reason'))}:${quoted(reason)}`,
  ),
})

const MAX_USER_AGENT = 1024

/** Total time from which on it is recorded. */
const SLOW_MS = 500

/** Members of an event as one flat text. */
export interface EventPart {
  readonly text: string
  /** Whether it is known to be ASCII. */
  readonly isPlain: boolean
}

/** How requests of one client for one path are recorded, and what their events have in common. */
export class RequestState {
  readonly decided: Decided
  /** The members from the address to the user. */
  caller: string | null = null
  /** The members from the source to the object, unless the body names the object. */
  origin: string | null = null
  /** Both together; null until it is needed. */
  common: EventPart | null = null
  /** Lines that were made; null until they are needed again. */
  received: LineTemplate | null = null
  completed: LineTemplate | null = null
  /** Whether lines are made for the second time, so that it is worth to keep them. */
  isRepeated = false

  constructor(decided: Decided) {
    this.decided = decided
  }
}

/** The parts of an event that depend on its stage. */
export interface EventMoment {
  readonly stage: Stage
  readonly at: number
  /** Null before the response. */
  readonly status: EventStatus | null
  /** Why the request was allowed, which is not among its annotations; null before the response. */
  readonly reason: string | null
}

/** One event. Its texts are made on first use, which must be at once: the request goes on. */
export class AuditEvent {
  readonly request: EventRequest
  readonly state: RequestState
  readonly moment: EventMoment
  readonly #names: EventNames
  #body: string | null = null

  constructor(request: EventRequest, state: RequestState, moment: EventMoment, names: EventNames) {
    this.request = request
    this.state = state
    this.moment = moment
    this.#names = names
  }

  /** Members without the opening brace, kind and apiVersion; with the closing brace. */
  get body(): string {
    return (this.#body ??= this.#text(true))
  }

  /** A line of the log. */
  get line(): string {
    return `{${this.#names.type}${this.body}\n`
  }

  /** Removes the objects. */
  truncate(): void {
    this.#body = this.#text(false)
  }

  #text(withObjects: boolean): string {
    const { request, state, moment } = this
    const { times } = this.#names
    const { decided } = state
    const { stage, at, status } = moment
    return (
      `"level":"${LEVELS[decided.level]}","auditID":"${request.auditId}","stage":"${stage}",` +
      (state.caller ??= callerOf(request, this.#names)) +
      // Who is impersonated is known when the response is.
      (status === null || request.impersonator === null
        ? ''
        : `,"impersonatedUser":${userJson(request.user, this.#names)}`) +
      originOf(request, state, moment, this.#names) +
      (status === null ? '' : `,"responseStatus":${statusJson(status)}`) +
      (withObjects && decided.level >= REQUEST ? this.#objects() : '') +
      times.members(request.receivedAt, at) +
      annotationsOf(this, this.#names, !withObjects) +
      '}'
    )
  }

  #objects(): string {
    const { request, state, moment } = this
    if (moment.status === null) return ''
    const { omitManagedFields, level: recorded } = state.decided
    const body = request.requestObject()
    const sent = body ? sentJson(body.json, omitManagedFields) : this.#deleteOptions()
    const isAnswered = recorded >= REQUEST_RESPONSE && moment.stage !== 'Panic'
    const made = isAnswered ? request.responseObject() : null
    return (
      (sent === null ? '' : `,"requestObject":${sent}`) +
      (made === null ? '' : `,"responseObject":${madeJson(made.json, omitManagedFields)}`)
    )
  }

  #deleteOptions(): string | null {
    const verb = this.request.info?.verb
    return verb === 'delete' || verb === 'deletecollection' ? this.#names.deleteOptions : null
  }
}

/** What an event is made of. */
export type EventParts = Pick<AuditEvent, 'request' | 'state' | 'moment'>

/** The annotations of an event with their name, behind a comma; empty without any. */
export function annotationsOf(
  { request, state, moment }: EventParts,
  names: EventNames,
  isTruncated: boolean,
): string {
  const { annotations } = request
  let text = ''
  const add = (key: string, value: string) => {
    text += `${text === '' ? '' : ','}${quoted(key)}:${quoted(value)}`
  }
  if (annotations.size > 0) {
    for (const [key, { value, level }] of annotations) {
      if (level === 'Metadata' || state.decided.level > METADATA) add(key, value)
    }
  }
  if (moment.reason !== null) text += (text === '' ? '' : ',') + names.allowed.of(moment.reason)
  if (isSlow(request, moment))
    for (const [part, ms] of timesOf(request, moment.at))
      add(names.latency + part, formatDuration(BigInt(Math.round(ms * 1e6))))
  if (isTruncated) add(names.truncated, 'true')
  return text === '' ? '' : `,"annotations":{${text}}`
}

/** Whether an event says where the time of its request went. */
export const isSlow = ({ receivedAt }: EventRequest, { stage, at }: EventMoment): boolean =>
  stage === 'ResponseComplete' && at - receivedAt > SLOW_MS

/** Where the time of a request went; nothing of a watch, which takes as long as it is wanted. */
function* timesOf(request: EventRequest, at: number): Generator<readonly [string, number]> {
  if (request.info?.verb === 'watch') return
  for (const [part, ms] of request.parts?.ms ?? []) if (ms > 0) yield [part, ms]
  // In modes that block, this event is made before the response is written.
  const writing = request.startedAt === 0 ? 0 : at - request.startedAt
  if (writing > 0) yield ['response-write', writing]
  yield ['total', at - request.receivedAt]
}

/** The members from the address to the user. */
export const callerOf = (request: EventRequest, names: EventNames): string =>
  `"requestURI":${quoted(request.target)},"verb":"${request.info?.verb ?? ''}","user":` +
  userJson(request.impersonator ?? request.user, names)

/** The members from the source to the object. */
export function originOf(
  request: EventRequest,
  state: RequestState,
  { status }: EventMoment,
  names: EventNames,
): string {
  if (request.identity === null || status === null)
    return (state.origin ??= sourceOf(request, names) + objectRef(request.info, null))
  return sourceOf(request, names) + objectRef(request.info, request.identity)
}

/** Addresses and user agent. */
export function sourceOf(request: EventRequest, { addresses, agents }: EventNames): string {
  const { headers, remoteAddress } = request
  const agent = headers['user-agent']
  const found = isDirect(headers)
    ? addresses.of(remoteAddress)
    : JSON.stringify(sourceAddresses(headers, remoteAddress))
  return (
    (found === '[]' ? '' : `,"sourceIPs":${found}`) +
    (agent === undefined || agent === '' ? '' : `,"userAgent":${agents.of(agent)}`)
  )
}

/** Whether no proxy says that it forwards the request. */
export const isDirect = (headers: EventRequest['headers']): boolean =>
  headers['x-forwarded-for'] === undefined && headers['x-real-ip'] === undefined

const shortAgent = (agent: string) =>
  agent.length > MAX_USER_AGENT ? `${agent.slice(0, MAX_USER_AGENT)}...TRUNCATED` : agent

/** A user without a name is not known. */
export function userJson(user: User | null, { users }: EventNames): string {
  if (user === null) return '{}'
  let json = users.get(user)
  if (json === undefined) users.set(user, (json = userText(user)))
  return json
}

function userText({ name, uid, groups, extra }: User): string {
  return JSON.stringify({
    ...(name === '' ? {} : { username: name }),
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  })
}

/** What the request is about; `of`: as the body says. */
export function objectRef(info: RequestInfo | null, of: ObjectIdentity | null): string {
  if (info === null || !info.isResource) return ''
  return (
    `,"objectRef":{"resource":${quoted(info.resource)}` +
    member('namespace', info.namespace === '' ? of?.namespace : info.namespace) +
    member('name', info.name === '' ? of?.name : info.name) +
    member('uid', of?.uid) +
    member('apiGroup', info.group) +
    member('apiVersion', info.version) +
    member('resourceVersion', of?.resourceVersion) +
    member('subresource', info.subresource) +
    '}'
  )
}

const member = (name: string, value: string | undefined): string =>
  value === undefined || value === '' ? '' : `,"${name}":${quoted(value)}`

/** The status of a response. */
export function statusJson({ status, message, reason, details, code }: EventStatus): string {
  if (status === undefined) return `{"metadata":{},"code":${code}}`
  return (
    '{"metadata":{}' +
    member('status', status) +
    member('message', message) +
    member('reason', reason) +
    (details === undefined || Object.keys(details).length === 0
      ? ''
      : `,"details":${JSON.stringify(details)}`) +
    `,"code":${code}}`
  )
}

// Most texts need no escapes: this finds out faster than the engine's formatter.
const PLAIN = /^[ !#-[\]-~]*$/

/** A text as JSON. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)
}
