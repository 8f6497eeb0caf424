/** What clients were answered, counted, and what each answer says. */
import type { Reply } from '../client.ts'
import type { Outcome, Seen } from './history.ts'

/** An object as an answer or an event shows it. */
export interface Shown {
  readonly metadata: {
    readonly name: string
    readonly resourceVersion: string
    readonly uid: string
  }
  readonly data?: { readonly value?: string }
}

/** What the checkers know of an object. */
export const seenOf = ({ metadata, data }: Shown): Seen => ({
  revision: Number(metadata.resourceVersion),
  value: data?.value ?? '',
  uid: metadata.uid,
})

/** Counts of one load. */
export class Tally {
  /** Answers that faults do not excuse. */
  readonly surprises: string[] = []
  /** How often each status was given. */
  readonly statuses = new Map<string, number>()
  /** How many writes were acknowledged. */
  written = 0
  /** How many reads were answered. */
  read = 0
  /** How many of both were answered with an error of the server's. */
  writesRefused = 0
  readsRefused = 0
  /** The longest time in which no write was acknowledged, milliseconds. */
  longestOutageMs = 0
  #lastWrittenMs: number
  readonly #excused: readonly number[]
  readonly #now: () => number

  /** `excused`: what a server in trouble may answer. */
  constructor(excused: readonly number[], now: () => number) {
    this.#excused = excused
    this.#now = now
    this.#lastWrittenMs = now()
  }

  /** What a request was told. */
  outcomeOf(reply: Reply): Outcome {
    const { status, body } = reply
    if (status === 404) return { is: 'absent' }
    if (status === 409) return { is: body.reason === 'AlreadyExists' ? 'exists' : 'conflict' }
    if (status === 200 && body.kind === 'Status')
      return { is: 'deleted', uid: body.details.uid as string }
    if (status === 200 || status === 201) return { is: 'done', seen: seenOf(body) }
    this.judge('request', reply)
    return { is: 'unknown' }
  }

  /** Notes an acknowledged write. */
  noteWritten(): void {
    this.written++
    const now = this.#now()
    this.longestOutageMs = Math.max(this.longestOutageMs, now - this.#lastWrittenMs)
    this.#lastWrittenMs = now
  }

  /** Notes the status of any answer. */
  count(what: 'read' | 'write' | 'list', { status }: Reply): void {
    if (status >= 500 || status === 429) {
      if (what === 'write') this.writesRefused++
      else this.readsRefused++
    }
    const name = `${what} ${status}`
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1)
  }

  /** A server in trouble may say so; anything else is an answer that it must not give. */
  judge(what: string, { status, text, body }: Reply): void {
    if (this.#excused.includes(status) && body?.kind === 'Status') return
    this.surprises.push(`${what}: ${status} ${text.slice(0, 300)}`)
  }
}
