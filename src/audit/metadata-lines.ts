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
import { METADATA } from './policy-rules.ts'
import { LEVELS, STAGES, type Stage } from './policy.ts'

/** Stores a line. `isPlain`: it is known to be ASCII. False: it was not stored. */
export type StoreLine = (line: string, isPlain: boolean) => boolean

/** Annotations of allowed requests that are kept at most. */
const MAX_ALLOWED = 1000

const NONE: EventPart = { text: '', isPlain: true }

// oxlint-disable-next-line no-control-regex -- ASCII
const ASCII = /^[\0-\x7f]*$/

/** Makes lines for one backend. */
export class MetadataLines {
  readonly #names: EventNames
  readonly #store: StoreLine
  readonly #start: string
  readonly #stages: Readonly<Record<Stage, string>>
  /** Statuses that have nothing but a code. */
  readonly #codes = new Map<number, string>()
  readonly #allowed = new Map<string, EventPart>()

  constructor(names: EventNames, store: StoreLine) {
    this.#names = names
    this.#store = store
    this.#start = `{${names.type}"level":"${LEVELS[METADATA]}","auditID":"`
    this.#stages = Object.fromEntries(
      STAGES.map((stage) => [stage, `","stage":"${stage}",`]),
    ) as Record<Stage, string>
  }

  /** Stores the event of a request. False: it was not stored. */
  store(request: EventRequest, state: RequestState, moment: EventMoment): boolean {
    const { stage, at, status } = moment
    const common = this.#common(request, state, moment)
    const annotations = this.#annotations(request, state, moment)
    const isBare = status === null || status.status === undefined
    const line =
      this.#start +
      request.auditId +
      this.#stages[stage] +
      common.text +
      (status === null
        ? ''
        : isBare
          ? this.#code(status.code)
          : `,"responseStatus":${statusJson(status)}`) +
      this.#names.times.members(request.receivedAt, at) +
      annotations.text +
      '}\n'
    return this.#store(line, isBare && common.isPlain && annotations.isPlain)
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
    const { allowed } = moment
    if (request.annotations.size > 0 || isSlow(request, moment))
      return { text: annotationsOf({ request, state, moment }, this.#names, false), isPlain: false }
    if (allowed === null) return NONE
    let part = this.#allowed.get(allowed)
    if (part === undefined) {
      part = partOf(`,"annotations":{${allowed}}`)
      if (this.#allowed.size >= MAX_ALLOWED) this.#allowed.clear()
      this.#allowed.set(allowed, part)
    }
    return part
  }
}

/** The test makes the text flat, too. */
const partOf = (text: string): EventPart => ({ text, isPlain: ASCII.test(text) })
