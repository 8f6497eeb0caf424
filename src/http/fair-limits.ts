/** Limits by priority levels and flows: API priority and fairness. */
import type { FlowControl } from '../flowcontrol/flow-control.ts'
import type { Flow } from '../flowcontrol/flow.ts'
import type { ReadTurns } from '../flowcontrol/read-turns.ts'
import type { Ticket } from '../flowcontrol/ticket.ts'
import type { Turns } from '../flowcontrol/turns.ts'
import type { WatchCounts } from '../flowcontrol/watch-counts.ts'
import { listWidth, ONE_SEAT, writeWidth, type Width } from '../flowcontrol/width.ts'
import type { Context } from './context.ts'
import type { InFlight, RequestKind } from './in-flight.ts'
import { isLongRunning } from './request-info.ts'
import { tooManyRequests, type Held, type RequestLimits } from './request-limits.ts'

export interface FairLimitsOptions {
  readonly control: FlowControl
  readonly turns: Turns
  /** Turns of busy connections; null: all are always read. */
  readonly readTurns: ReadTurns | null
  readonly watches: WatchCounts
  /** Told of requests that wait, by kind; absent: nobody counts them. */
  readonly waiting?: Readonly<Record<RequestKind, InFlight>>
  readonly now?: () => number
  /** Number of stored objects of a resource; undefined: unknown. */
  readonly storedObjects: (group: string, resource: string) => number | undefined
}

/** Executes requests as far as their priority levels have seats. A request that need not wait costs no promise. */
export class FairLimits implements RequestLimits {
  readonly #options: FairLimitsOptions

  constructor(options: FairLimitsOptions) {
    this.#options = options
  }

  admit(context: Context): void | Promise<void> {
    const { info } = context
    const isWatch = info.verb === 'watch'
    if (!isWatch && isLongRunning(info)) return
    const { control, turns, readTurns } = this.#options
    const flow = control.flowOf(context.user, info)
    const { headers } = context
    const words = flow.headers
    for (let i = 0; i < words.length; i++) headers.push(words[i]!)
    turns.notice(flow)
    const { seats } = flow.level
    if (seats === null) {
      flow.counts.dispatched++
      if (readTurns !== null) context.exchange.readAlways()
      if (isWatch) context.holds = new HeldWatch(null, this.#countWatch(context))
      return
    }
    if (readTurns !== null && !isWatch) context.exchange.readInTurn(readTurns, context.user.name)
    const ticket = seats.begin(flow, this.#widthOf(flow, context))
    if (ticket.state === 'rejected') throw tooManyRequests(context)
    ticket.request = context
    context.holds = isWatch ? new HeldWatch(ticket, this.#countWatch(context)) : ticket
    if (ticket.state === 'waiting') return this.#wait(context, ticket)
    const turn = turns.take(flow, ticket.startedAt)
    if (turn !== null) return turn
  }

  readAll(): void {
    this.#options.readTurns?.close()
  }

  #widthOf({ counts, level }: Flow, { info, query }: Context): Width {
    switch (info.verb) {
      case 'list':
        if (!info.isResource || info.name !== '') return ONE_SEAT
        return listWidth(
          query,
          this.#options.storedObjects(info.group, info.resource),
          level.maxSeats,
        )
      case 'create':
      case 'update':
      case 'patch':
      case 'delete': {
        if (!info.isResource) return ONE_SEAT
        const watches = this.#options.watches.of(info)
        if (counts.observer !== null) counts.observer.watched(watches)
        return writeWidth(watches, level.maxSeats)
      }
      default:
        return ONE_SEAT
    }
  }

  #countWatch({ info, query }: Context): () => void {
    return this.#options.watches.add(info, query.get('fieldSelector')?.[0])
  }

  #wait(context: Context, ticket: Ticket): Promise<void> {
    const { exchange } = context
    const { turns, now = Date.now } = this.#options
    const kind = context.record?.flight ?? null
    const counted = kind === null ? undefined : this.#options.waiting?.[kind]
    counted?.begin(now())
    return new Promise((resolve, reject) => {
      ticket.onDecision = () => {
        counted?.end(now())
        exchange.whenGone(null)
        if (ticket.state !== 'executing') return reject(tooManyRequests(context))
        const turn = turns.take(ticket.flow, ticket.startedAt)
        if (turn === null) resolve()
        else void turn.then(resolve)
      }
      const gone = () => ticket.end()
      if (exchange.whenGone(gone)) gone()
    })
  }
}

/** A watch holds its seats until its initial events have been sent, and is counted until it ends. */
class HeldWatch implements Held {
  readonly #ticket: Ticket | null
  readonly #forget: () => void
  #isOver = false

  constructor(ticket: Ticket | null, forget: () => void) {
    this.#ticket = ticket
    this.#forget = forget
  }

  initialized(): void {
    this.#ticket?.end()
  }

  end(): void {
    this.#ticket?.end()
    if (this.#isOver) return
    this.#isOver = true
    this.#forget()
  }
}
