/**
 * Reads from the connections of busy users in turns.
 *
 * The event loop reads, decrypts and parses every connection that has sent something before it does anything else. The
 * next request of a user with 200 busy connections would be 200 reads away, however soon it was executed then. So an
 * iteration of the loop takes only a few requests of each user. Then the other connections of that user are not read any
 * more, even if they are ready already, and wait for their turns, as do connections whose request was answered:
 *
 *     iteration   ready         read
 *     1           A×200         A A                198 are held, and these 2 once they are answered
 *     2           A×2 B         B A A              the 2 that were held for the longest time
 *
 * No connection waits while the loop has nothing to do. A connection that had its turn and was silent is read until its next
 * request, and as long as few requests come, more connections get their turns in each iteration. A client that
 * disconnects while its connection is held is noticed at its turn, at most some milliseconds later.
 */
import { IndexedPool, type InPool } from '../base/indexed-pool.ts'

/** Requests of one user in one iteration, while other users send requests too. */
const CONTENDED = 2
/** The same while no other user does: iterations with more requests cost less. */
const ALONE = 128
/** With so many times as many requests in one iteration, connections that were silent at their turn are held, too. */
const BURST = 2
/** Connections that get their turn in one iteration. */
const MOST_TURNS = 64

export interface ReadTurnsOptions {
  /** Whether several users have sent requests lately. */
  readonly isContended: () => boolean
  /** Calls back after the connections have been read once more. */
  readonly nextIteration: (call: () => void) => void
  readonly contended?: number
  readonly alone?: number
}

/** The connections of one user. */
interface Line {
  readonly user: string
  size: number
  /** Those that a request may come from now. */
  readonly ready: IndexedPool<Reader>
  /** Those that wait for their turn, the next one first; also some that are closed. */
  readonly held: Reader[]
  /** The iteration of the last request, and the requests of that iteration. */
  iteration: number
  requests: number
}

/** A connection over which a user sends requests. */
export abstract class Reader implements InPool {
  place = -1
  line: Line | null = null
  /** Requests that are not answered yet. */
  underWay = 1
  isHeld = false
  /** Whether a request has come since its last turn. */
  wasUsed = true
  /** The iteration of its last turn. */
  turn = -1
  readonly #turns: ReadTurns

  constructor(turns: ReadTurns) {
    this.#turns = turns
  }

  /** Reads nothing more until `start`. */
  abstract stop(): void
  abstract start(): void

  /** A request has come whose user is not known yet. The first one, which makes the reader, is not reported. */
  begun(): void {
    this.underWay++
    this.line?.ready.delete(this)
  }

  /** The user of a request that has begun. */
  belongsTo(user: string): void {
    this.#turns.arrived(this, user)
  }

  /** A response is complete. */
  answered(): void {
    if (--this.underWay === 0) this.#turns.answered(this)
  }

  /** The connection is closed, or is used for something else. */
  leave(): void {
    const { isHeld } = this
    this.#turns.leave(this)
    if (isHeld) this.start()
  }
}

export class ReadTurns {
  readonly #options: ReadTurnsOptions
  readonly #contended: number
  readonly #alone: number
  readonly #lines = new Map<string, Line>()
  /** Lines with connections that are held; the next one first. */
  readonly #waiting = new Set<Line>()
  /** Whether requests of this iteration are counted. */
  #isOpen = false
  #isClosed = false
  #iteration = 0
  #requests = 0
  #limit: number
  /** Connections that get their turn in the next iteration. */
  #turns = 0

  constructor(options: ReadTurnsOptions) {
    this.#options = options
    this.#contended = options.contended ?? CONTENDED
    this.#alone = options.alone ?? ALONE
    this.#limit = this.#alone
  }

  /** Connections that wait for their turn. */
  get held(): number {
    let count = 0
    for (const { held } of this.#waiting) for (const { isHeld } of held) if (isHeld) count++
    return count
  }

  /** A request of a user has come. */
  arrived(reader: Reader, user: string): void {
    if (reader.line?.user !== user) this.#move(reader, user)
    const line = reader.line!
    if (line.size <= this.#contended || this.#isClosed) return
    if (!this.#isOpen) {
      this.#startCounting()
      if (line.size <= this.#limit) return
      this.#open()
    }
    this.#requests++
    if (line.iteration !== this.#iteration) {
      line.iteration = this.#iteration
      line.requests = 0
    }
    line.requests++
    if (line.requests === this.#limit) this.#holdReady(line, false)
    else if (line.requests === this.#limit * BURST) this.#holdReady(line, true)
  }

  /** All responses of a connection are complete. */
  answered(reader: Reader): void {
    const { line } = reader
    if (line === null || reader.isHeld) return
    reader.wasUsed = true
    const isBusy =
      line.held.length > 0 || (line.iteration === this.#iteration && line.requests >= this.#limit)
    if (isBusy && !this.#isClosed) this.#hold(reader, line)
    else line.ready.add(reader)
  }

  /** A connection is closed, or is used for something else. */
  leave(reader: Reader): void {
    const { line } = reader
    if (line === null) return
    reader.line = null
    reader.isHeld = false
    line.ready.delete(reader)
    if (--line.size === 0) this.#lines.delete(line.user)
  }

  /** Reads from all connections again, and from then on always. */
  close(): void {
    this.#isClosed = true
    for (const { held } of this.#waiting) for (const reader of held) this.#start(reader)
    this.#waiting.clear()
  }

  #move(reader: Reader, user: string): void {
    if (reader.line !== null) {
      const { isHeld } = reader
      this.leave(reader)
      // It is in the queue of its former user.
      reader.isHeld = isHeld
    }
    let line = this.#lines.get(user)
    if (line === undefined) {
      line = { user, size: 0, ready: new IndexedPool(), held: [], iteration: -1, requests: 0 }
      this.#lines.set(user, line)
    }
    line.size++
    reader.line = line
  }

  #open(): void {
    this.#isOpen = true
    this.#iteration++
    this.#turns = this.#limit
    this.#options.nextIteration(this.#next)
  }

  #startCounting(): void {
    this.#requests = 0
    this.#limit = this.#options.isContended() ? this.#contended : this.#alone
  }

  /** Holds connections that are not being used: unless `all`, those that were used since their turn, or have it now. */
  #holdReady(line: Line, all: boolean): void {
    for (const reader of line.ready) {
      const hasTurn = reader.turn === this.#iteration
      if (hasTurn || reader.wasUsed || all) this.#hold(reader, line, hasTurn)
    }
  }

  #hold(reader: Reader, line: Line, isNext = false): void {
    line.ready.delete(reader)
    reader.isHeld = true
    reader.stop()
    if (isNext) line.held.unshift(reader)
    else line.held.push(reader)
    this.#waiting.add(line)
  }

  readonly #next = (): void => {
    const before = this.#requests
    const isIdle = before === 0 && this.#waiting.size === 0
    if (isIdle || this.#isClosed) {
      this.#isOpen = false
      return
    }
    this.#iteration++
    this.#startCounting()
    this.#turns =
      before >= this.#limit ? this.#limit : Math.min(Math.max(this.#turns, 1) * 2, MOST_TURNS)
    this.#giveTurns()
    this.#options.nextIteration(this.#next)
  }

  #giveTurns(): void {
    let left = this.#turns
    for (const line of this.#waiting) {
      if (left === 0) return
      const reader = line.held.shift()!
      // The set visits it again, after the others.
      this.#waiting.delete(line)
      if (line.held.length > 0) this.#waiting.add(line)
      if (this.#start(reader)) left--
    }
  }

  /** False: it was closed meanwhile. */
  #start(reader: Reader): boolean {
    if (!reader.isHeld) return false
    reader.isHeld = false
    reader.wasUsed = false
    reader.turn = this.#iteration
    if (reader.underWay === 0) reader.line?.ready.add(reader)
    reader.start()
    return true
  }
}
