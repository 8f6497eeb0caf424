import { constants, type ClientHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { memoryOf } from '../machine.ts'
import { AnswerParser } from './answer-parser.ts'
import type { LoadResult, WatchJob } from './job.ts'
import { openLanes, openSessions, openSockets, type Lane } from './lanes.ts'
import { PlannedRequest, requestsOf } from './requests.ts'
import { Window } from './window.ts'

const PATIENCE_MS = 60_000
// A handshake each, and many deliveries, on a machine with other work.
const WATCHER_PATIENCE_MS = 60
const NEWLINE = 10
const WARM_UP_EVENTS = 5

/**
 * Opens watchers, makes events and counts the deliveries; the window opens and closes while nothing is under way, so
 * the count is exact. Rejects when a watch is refused or ends, and when deliveries are missing for long.
 */
export async function runWatch(job: WatchJob): Promise<LoadResult> {
  const flood = new Flood(job)
  const patience = setTimeout(
    () => flood.fail(new Error(flood.missing())),
    job.seconds * 1000 + PATIENCE_MS + job.connections * job.streams * WATCHER_PATIENCE_MS,
  )
  try {
    return await Promise.race([flood.run(), flood.failed])
  } finally {
    clearTimeout(patience)
    flood.close()
  }
}

class Flood {
  readonly failed: Promise<never>
  fail: (error: Error) => void = () => {}
  readonly #job: WatchJob
  readonly #watchers: number
  readonly #next
  readonly #closers: (() => void)[] = []
  #writers: readonly Lane[] = []
  #free: number[] = []
  #events = 0
  #deliveries = 0
  #bytes = 0
  /** Deliveries at which something may go on. */
  #mark = Infinity
  #atMark: () => void = () => {}
  #closed = false

  constructor(job: WatchJob) {
    this.#job = job
    this.#watchers = job.connections * job.streams
    this.#next = requestsOf(job.writes)
    this.failed = new Promise((_, reject) => (this.fail = reject))
    // Whoever awaits it hears of it; nobody may be there yet.
    this.failed.catch(() => {})
  }

  missing(): string {
    return `${this.#events * this.#watchers - this.#deliveries} of ${this.#events * this.#watchers} deliveries are missing`
  }

  close(): void {
    this.#closed = true
    for (const close of this.#closers) close()
  }

  async run(): Promise<LoadResult> {
    const { target, seconds, inFlight } = this.#job
    const onError = (error: Error) => this.#closed || this.fail(error)
    const before = memoryOf(target.pid).resident
    await (this.#job.protocol === 'h1'
      ? this.#watchOverSockets(onError)
      : this.#watchOverStreams(onError))
    const watcherBytes = (memoryOf(target.pid).resident - before) / this.#watchers
    const writers = await openLanes({
      target,
      protocol: 'h1',
      connections: inFlight,
      streams: 1,
      onError,
    })
    this.#closers.push(() => writers.close())
    this.#writers = writers.lanes
    this.#free = writers.lanes.map((_, i) => i)
    await this.#flood(() => this.#events < WARM_UP_EVENTS)

    const deliveries = this.#deliveries
    const bytes = this.#bytes
    const window = new Window(target)
    const until = performance.now() + seconds * 1000
    await this.#flood(() => performance.now() < until)
    return {
      ...window.close(),
      operations: this.#deliveries - deliveries,
      bytes: this.#bytes - bytes,
      p50Ms: 0,
      p99Ms: 0,
      watcherBytes,
    }
  }

  /** Makes events while `more`, a few at a time, and resolves when every watcher has all of them. */
  #flood(more: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const pump = () => {
        const delivered = Math.floor(this.#deliveries / this.#watchers)
        let going = more()
        while (going && this.#free.length > 0 && this.#events - delivered < this.#job.inFlight) {
          this.#write(this.#free.pop()!, pump)
          going = more()
        }
        this.#mark = going ? (delivered + 1) * this.#watchers : this.#events * this.#watchers
        this.#atMark = pump
        const idle = this.#free.length === this.#writers.length
        if (!going && idle && this.#deliveries >= this.#events * this.#watchers) {
          this.#mark = Infinity
          resolve()
        }
      }
      pump()
    })
  }

  #write(i: number, then: () => void): void {
    const lane = this.#writers[i]!
    const request = this.#next(i, null)
    if (request === null) return this.fail(new Error('out of events'))
    lane.onAnswer = ({ status, head }) => {
      if (status > 299) return this.fail(new Error(`write: ${status} ${head}`))
      this.#free.push(i)
      then()
    }
    this.#events++
    lane.send(request)
  }

  /** Events are lines, and JSON has no raw newline in it. */
  #count(piece: Buffer): void {
    this.#bytes += piece.length
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1))
      this.#deliveries++
    if (this.#deliveries >= this.#mark) {
      this.#mark = Infinity
      this.#atMark()
    }
  }

  async #watchOverSockets(onError: (error: Error) => void): Promise<void> {
    const wire = new PlannedRequest('GET', this.#job.path).wireFor(this.#job.target.token)
    const opened: Promise<void>[] = []
    await openSockets({ ...this.#job, onError }, (socket) => {
      this.#closers.push(() => socket.destroy())
      opened.push(this.#watchOver(socket, wire, onError))
    })
    await Promise.all(opened)
  }

  /** Resolves when the watch is accepted. */
  #watchOver(socket: TLSSocket, wire: Buffer, onError: (error: Error) => void): Promise<void> {
    return new Promise((resolve) => {
      const parser = new AnswerParser({
        onHead: (status) => {
          if (status === 200) resolve()
          else onError(new Error(`watch: ${status}`))
        },
        onBody: (piece) => this.#count(piece),
        onEnd: () => onError(new Error('a watch ended')),
      })
      socket.on('data', (data: Buffer) => {
        try {
          parser.push(data)
        } catch (error) {
          onError(error as Error)
        }
      })
      socket.once('close', () => onError(new Error('the server closed a watch')))
      socket.write(wire)
    })
  }

  async #watchOverStreams(onError: (error: Error) => void): Promise<void> {
    const sessions = await openSessions({ ...this.#job, onError })
    this.#closers.push(() => sessions.forEach((session) => session.destroy()))
    for (const session of sessions) {
      const opened = Array.from({ length: this.#job.streams }, () =>
        this.#watchOverStream(session, onError),
      )
      // Flow control refuses a user who opens a thousand at once.
      await Promise.all(opened)
    }
  }

  /** Resolves when the watch is accepted. */
  #watchOverStream(session: ClientHttp2Session, onError: (error: Error) => void): Promise<void> {
    const stream = session.request({
      [constants.HTTP2_HEADER_PATH]: this.#job.path,
      accept: 'application/json',
      'user-agent': 'bench',
    })
    stream.on('data', (piece: Buffer) => this.#count(piece))
    stream.on('end', () => onError(new Error('a watch ended')))
    stream.on('error', onError)
    return new Promise((resolve) => {
      stream.once('response', (headers) => {
        const status = Number(headers[constants.HTTP2_HEADER_STATUS])
        if (status === 200) resolve()
        else onError(new Error(`watch: ${status}`))
      })
    })
  }
}
