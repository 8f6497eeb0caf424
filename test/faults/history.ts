/** What clients asked for and what they were told, in the order in which it happened. */

/** The content of an object as a client saw it: its revision, the one value ever written with it, its uid. */
export interface Seen {
  readonly revision: number
  readonly value: string
  readonly uid: string
}

/** What an operation was told. */
export type Outcome =
  /** The state that a get found or a write left. */
  | { readonly is: 'done'; readonly seen: Seen }
  /** An object of this uid was deleted. */
  | { readonly is: 'deleted'; readonly uid: string }
  /** A collection in the state of one revision. */
  | { readonly is: 'listed'; readonly at: number; readonly items: ReadonlyMap<string, Seen> }
  /** There was no such object. */
  | { readonly is: 'absent' }
  /** A create found the object. */
  | { readonly is: 'exists' }
  /** The object was not at the expected revision, or not there any more. */
  | { readonly is: 'conflict' }
  /** The answer did not come, or was an error that leaves open whether anything was written. */
  | { readonly is: 'unknown' }

/** One request of one client. Times are ticks of one counter: no two events share one. */
export interface Operation {
  readonly kind: 'create' | 'update' | 'delete' | 'get' | 'list'
  readonly key: string
  /** What a create or an update writes; used once in a history. */
  readonly value?: string
  /** Revision that an update or a delete asks for; without, any will do. */
  readonly expected?: number
  readonly invoked: number
  /** Infinity for as long as it may still take effect. */
  readonly completed: number
  readonly outcome: Outcome
}

/** A change that was committed, as watches tell of it. */
export interface Committed {
  readonly key: string
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly revision: number
  /** Of a deletion: the last value. */
  readonly value: string
  readonly uid: string
}

/** An operation under way. */
export interface Begun {
  readonly invoked: number
  /** Notes the answer; `over` when nothing can happen any more, though it is not known what has. */
  end(outcome: Outcome, over?: boolean): void
  /** Forgets the operation: it surely had no effect and told nothing. */
  drop(): void
}

type Asked = Pick<Operation, 'kind' | 'key' | 'value' | 'expected'>

/** Records operations as they begin and end. */
export class History {
  #tick = 0
  readonly #entries = new Set<{
    asked: Asked
    invoked: number
    completed: number
    outcome: Outcome
  }>()
  /** Milliseconds at which the tick of the same place came. */
  readonly #times: number[] = [0]
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** The next moment. */
  tick(): number {
    this.#times.push(this.#now())
    return ++this.#tick
  }

  /** When a tick was, in milliseconds. */
  timeOf(tick: number): number {
    return this.#times[tick] ?? Infinity
  }

  begin(asked: Asked): Begun {
    const entry = {
      asked,
      invoked: this.tick(),
      completed: Infinity,
      outcome: { is: 'unknown' } as Outcome,
    }
    this.#entries.add(entry)
    return {
      invoked: entry.invoked,
      end: (outcome, over = outcome.is !== 'unknown') => {
        entry.outcome = outcome
        // What is not known may still happen, until `settle` says otherwise.
        if (over) entry.completed = this.tick()
      },
      drop: () => {
        this.#entries.delete(entry)
      },
    }
  }

  /**
   * The server has ended and nothing works on behind it: what began before `upTo` and was not
   * answered has happened by now, or never will.
   */
  settle(upTo: number): void {
    const now = this.tick()
    for (const entry of this.#entries) {
      if (entry.completed === Infinity && entry.invoked < upTo) entry.completed = now
    }
  }

  get operations(): readonly Operation[] {
    return [...this.#entries].map(({ asked, invoked, completed, outcome }) => ({
      ...asked,
      invoked,
      completed,
      outcome,
    }))
  }
}
