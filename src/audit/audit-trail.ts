/** Makes events of the stages of requests, and hands them to the backends. */
import type { AuditedRequest, RequestAudit } from '../http/audit.ts'
import { MeasuredParts } from '../http/measured-parts.ts'
import type { Vocabulary } from '../vocabulary/vocabulary.ts'
import type { Clock } from '../base/clock.ts'
import type { Backend } from './backend.ts'
import type { AuditCounters } from './counters.ts'
import { AuditEvent, eventNames, RequestState, type EventNames, type EventStatus } from './event.ts'
import { KnownRequests } from './known-requests.ts'
import { MetadataLines } from './metadata-lines.ts'
import { METADATA, REQUEST, type PolicyRules, type PolicySubject } from './policy-rules.ts'
import { STAGES, type Stage } from './policy.ts'

const BIT: Readonly<Record<Stage, number>> = {
  RequestReceived: 1 << STAGES.indexOf('RequestReceived'),
  ResponseStarted: 1 << STAGES.indexOf('ResponseStarted'),
  ResponseComplete: 1 << STAGES.indexOf('ResponseComplete'),
  Panic: 1 << STAGES.indexOf('Panic'),
}

const MAX_FAULT = 1024

/** The state of a request that is recorded no further, or not at all. */
const OVER = new RequestState({ level: 0, omitted: 0, omitManagedFields: false })

/** What a request is said to have got whose client left before the response. */
const LEFT: EventStatus = { code: 200, status: 'Success', message: 'Connection closed early' }

interface TrailOptions {
  readonly rules: PolicyRules
  readonly backends: readonly Backend[]
  readonly counters: AuditCounters
  readonly clock: Clock
  readonly v: Vocabulary
}

/** Records the requests of one server. */
export class AuditTrail implements RequestAudit {
  readonly name = 'audit'
  readonly #options: TrailOptions
  readonly #names: EventNames
  /** Whether a response must wait until its event is stored. */
  readonly #holds: boolean
  /** Null: every event goes to the backends as an object. */
  readonly #lines: MetadataLines | null
  readonly #known = new KnownRequests()

  constructor(options: TrailOptions) {
    this.#options = options
    this.#names = eventNames(options.v)
    this.#holds = options.backends.some(({ mode }) => mode !== 'batch')
    const [first, second] = options.backends
    const store = second === undefined ? first?.lines : undefined
    this.#lines = store === undefined ? null : new MetadataLines(this.#names, store)
  }

  wantsBody({ audit }: AuditedRequest): boolean {
    return audit !== null && (audit as RequestState).decided.level >= REQUEST
  }

  begins(record: AuditedRequest): boolean | Promise<boolean> {
    if (!this.#decide(record)) return true
    const stored = this.#emit(record, 'RequestReceived', record.receivedAt, null)
    if (stored === true) return true
    return stored === false
      ? this.#refused(record)
      : stored.then((done) => done || this.#refused(record))
  }

  answers(record: AuditedRequest, status: number): Promise<void> | null {
    if (!this.#holds || record.isLongRunning || record.audit === null) return null
    const now = this.#options.clock.now()
    const stored = record.hasFault
      ? this.#emit(record, 'Panic', now, panicStatus(record.fault))
      : this.#emit(record, 'ResponseComplete', now, statusOf(record, status))
    record.audit = OVER
    return stored instanceof Promise ? stored.then(() => {}) : null
  }

  responseStarted(record: AuditedRequest): void {
    if (record.audit === null) return this.#unauthenticated(record)
    if (!record.isLongRunning) return
    void this.#emit(record, 'ResponseStarted', record.startedAt, statusOf(record, record.status))
  }

  responseComplete(record: AuditedRequest): void {
    if (record.audit === null) return
    const { status, endedAt } = record
    const answered = status === 0 ? LEFT : statusOf(record, status)
    if (status === 0 && record.isLongRunning) {
      void this.#emit(record, 'ResponseStarted', endedAt, answered)
    }
    void this.#emit(record, 'ResponseComplete', endedAt, answered)
    record.audit = OVER
  }

  panic(record: AuditedRequest): void {
    if (record.audit === null) return
    void this.#emit(record, 'Panic', record.endedAt, panicStatus(record.fault))
    record.audit = OVER
  }

  /** Stores what is left. */
  async close(): Promise<void> {
    await Promise.all(this.#options.backends.map((backend) => backend.close()))
  }

  /** A request that was refused before its user was known has one event. */
  #unauthenticated(record: AuditedRequest): void {
    if (record.info === null || !this.#decide(record)) return
    const status = statusOf(record, record.status)
    void this.#emit(record, 'ResponseStarted', record.startedAt, status)
    record.audit = OVER
  }

  /** Whether a request is recorded. */
  #decide(record: AuditedRequest): boolean {
    const state = this.#known.find(record) ?? this.#stateOf(record)
    const { level } = state.decided
    this.#options.counters.levels[level]!++
    if (level < METADATA) {
      record.audit = OVER
      return false
    }
    record.audit = state
    record.parts ??= new MeasuredParts()
    return true
  }

  /** How a request is recorded. */
  #stateOf(record: AuditedRequest): RequestState {
    const state = new RequestState(this.#options.rules.decide(subjectOf(record)))
    const { level } = state.decided
    if (this.#lines === null || level > METADATA) return state
    const chars = level < METADATA ? 0 : this.#lines.common(record, state).text.length
    this.#known.keep(record, state, chars)
    return state
  }

  #refused(record: AuditedRequest): false {
    record.audit = OVER
    this.#options.counters.rejected++
    return false
  }

  /** False, or a promise of it: the request must not go on. */
  #emit(
    record: AuditedRequest,
    stage: Stage,
    at: number,
    status: EventStatus | null,
  ): boolean | Promise<boolean> {
    const state = record.audit as RequestState
    if (state === OVER || (state.decided.omitted & BIT[stage]) !== 0) return true
    const { backends, counters } = this.#options
    const moment = { stage, at, status, reason: status && reasonOf(record) }
    counters.events++
    if (this.#lines !== null && state.decided.level === METADATA) {
      const stored = this.#lines.store(record, state, moment)
      return stored || backends[0]!.mode !== 'blocking-strict'
    }
    let waiting: Promise<boolean>[] | null = null
    let isStored = true
    for (const backend of backends) {
      let stored: boolean | Promise<boolean>
      try {
        // Each has its own: truncation changes it.
        stored = backend.store(new AuditEvent(record, state, moment, this.#names))
      } catch (error) {
        // An object that is too large to be one text.
        counters.lost(backend.name, 1, error instanceof Error ? error.message : String(error))
        stored = false
      }
      const isStrict = backend.mode === 'blocking-strict'
      if (stored instanceof Promise)
        (waiting ??= []).push(isStrict ? stored : stored.then(() => true))
      else if (!stored && isStrict) isStored = false
    }
    if (waiting === null) return isStored
    return Promise.all(waiting).then((all) => isStored && all.every(Boolean))
  }
}

/** Why a request was allowed; the reason of a refusal is among the annotations. */
const reasonOf = ({ decision }: AuditedRequest): string | null =>
  decision === null || decision.verdict !== 'allow' ? null : decision.reason

const NO_INFO = {
  isResource: false,
  verb: '',
  path: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
}

function subjectOf(record: AuditedRequest): PolicySubject {
  const { isResource, verb, path, group, resource, subresource, namespace, name } =
    record.info ?? NO_INFO
  const user = record.impersonator ?? record.user
  return { user, isResource, verb, path, group, resource, subresource, namespace, name }
}

/** Verbs of requests whose body may be quoted in a 400. */
const WITH_BODY = new Set(['create', 'update', 'patch'])

function statusOf({ audit, failure, outcome, info }: AuditedRequest, code: number): EventStatus {
  const said = failure === null ? outcome : failure.toStatus()
  if (said === null) return { code }
  const { status, message, reason, details } = said
  // Differs: docs/decisions/0055-audit-before-and-after.md. A malformed secret or token is quoted in the refusal.
  const quotes =
    code === 400 &&
    (audit as RequestState).decided.level < REQUEST &&
    WITH_BODY.has(info?.verb ?? '')
  return {
    code,
    status,
    ...(message === undefined || quotes ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  }
}

function panicStatus(fault: unknown): EventStatus {
  const text = fault instanceof Error ? fault.message : String(fault)
  const message = `APIServer panic'd: ${text.slice(0, MAX_FAULT)}`
  return { code: 500, status: 'Failure', message, reason: 'InternalError' }
}
