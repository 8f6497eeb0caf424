/**
 * Lines of events without bodies, put together from parts that are kept. They are the same as those of AuditEvent, which
 * shows what they are made of.
 */
import {
  annotationsOf,
  callerOf,
  isSlow,
  objectRef,
  originOf,
  sourceOf,
  statusJson,
  userJson,
  type EventMoment,
  type EventNames,
  type EventPart,
  type EventRequest,
  type RequestState,
} from './event.ts'
import type { LineStore } from './backend.ts'
import { ID_LENGTH, LineTemplate } from './line-template.ts'
import { METADATA } from './policy-rules.ts'
import { LEVELS, STAGES, type Stage } from './policy.ts'

/** Annotations of allowed requests, by reason, that are kept at most. */
const MAX_ALLOWED = 1000

const NONE: EventPart = { text: '', isPlain: true }

// oxlint-disable-next-line no-control-regex -- ASCII
const ASCII = /^[\0-\x7f]*$/

/** Makes lines for one backend. */
export class MetadataLines {
  readonly #names: EventNames
  readonly #to: LineStore
  readonly #start: string
  readonly #stages: Readonly<Record<Stage, string>>
  /** Statuses that have nothing but a code. */
  readonly #codes = new Map<number, string>()
  readonly #allowed = new Map<string, EventPart>()

  constructor(names: EventNames, to: LineStore) {
    this.#names = names
    this.#to = to
    this.#start = `{${names.type}"level":"${LEVELS[METADATA]}","auditID":"`
    this.#stages = Object.fromEntries(
      STAGES.map((stage) => [stage, `","stage":"${stage}",`]),
    ) as Record<Stage, string>
  }

  /** Stores the event of a request. False: it was not stored. */
  store(request: EventRequest, state: RequestState, moment: EventMoment): boolean {
    const { copy } = this.#to
    if (copy !== undefined && state.isRepeated) {
      const template = this.#template(request, state, moment)
      if (template !== null) {
        const { times } = this.#names
        const received = times.bytes(request.receivedAt)
        const id = request.auditId
        return copy(template, { id, received, at: times.bytes(moment.at) })
      }
    }
    const { start, middle, end, isPlain } = this.#texts(request, state, moment)
    const times = this.#names.times.members(request.receivedAt, moment.at)
    return this.#to.store(start + request.auditId + middle + times + end, isPlain)
  }

  /** The line of an event without id and times. */
  #texts(request: EventRequest, state: RequestState, moment: EventMoment) {
    const { stage, status } = moment
    const common = this.#common(request, state, moment)
    const annotations = this.#annotations(request, state, moment)
    const isBare = status === null || status.status === undefined
    return {
      start: this.#start,
      middle:
        this.#stages[stage] +
        common.text +
        (status === null
          ? ''
          : isBare
            ? this.#code(status.code)
            : `,"responseStatus":${statusJson(status)}`),
      end: `${annotations.text}}\n`,
      isPlain: isBare && common.isPlain && annotations.isPlain,
    }
  }

  /** The kept line of an event that has nothing of its own but id and times; null where it has. */
  #template(request: EventRequest, state: RequestState, moment: EventMoment): LineTemplate | null {
    const { status, stage, reason } = moment
    if (request.auditId.length !== ID_LENGTH) return null
    if (status === null) return (state.received ??= this.#made(request, state, moment))
    const { annotations, identity, impersonator } = request
    if (
      stage !== 'ResponseComplete' ||
      status.status !== undefined ||
      annotations.size > 0 ||
      identity !== null ||
      impersonator !== null ||
      isSlow(request, moment)
    )
      return null
    const kept = state.completed
    if (kept !== null && kept.code === status.code && kept.reason === reason) return kept
    return (state.completed = this.#made(request, state, moment))
  }

  #made(request: EventRequest, state: RequestState, moment: EventMoment): LineTemplate | null {
    const texts = this.#texts(request, state, moment)
    if (!texts.isPlain) return null
    return new LineTemplate(texts, { code: moment.status?.code ?? 0, reason: moment.reason })
  }

  /** What the events of a request have in common. */
  common(request: EventRequest, state: RequestState): EventPart {
    return (state.common ??= partOf(
      (state.caller ??= callerOf(request, this.#names)) +
        (state.origin ??= sourceOf(request, this.#names) + objectRef(request.info, null)),
    ))
  }

  /** The members from the address to the object. */
  #common(request: EventRequest, state: RequestState, moment: EventMoment): EventPart {
    const { impersonator, identity } = request
    if (moment.status === null || (impersonator === null && identity === null))
      return this.common(request, state)
    const text =
      (state.caller ??= callerOf(request, this.#names)) +
      (impersonator === null ? '' : `,"impersonatedUser":${userJson(request.user, this.#names)}`) +
      originOf(request, state, moment, this.#names)
    return { text, isPlain: false }
  }

  #code(code: number): string {
    let text = this.#codes.get(code)
    if (text === undefined) {
      text = `,"responseStatus":${statusJson({ code })}`
      this.#codes.set(code, text)
    }
    return text
  }

  #annotations(request: EventRequest, state: RequestState, moment: EventMoment): EventPart {
    const { reason } = moment
    if (request.annotations.size > 0 || isSlow(request, moment))
      return { text: annotationsOf({ request, state, moment }, this.#names, false), isPlain: false }
    if (reason === null) return NONE
    let part = this.#allowed.get(reason)
    if (part === undefined) {
      part = partOf(`,"annotations":{${this.#names.allowed.of(reason)}}`)
      if (this.#allowed.size >= MAX_ALLOWED) this.#allowed.clear()
      this.#allowed.set(reason, part)
    }
    return part
  }
}

/** The test makes the text flat, too. */
const partOf = (text: string): EventPart => ({ text, isPlain: ASCII.test(text) })
