import type { DueTimes, Due } from '../due-times.ts'
import type { Stream } from '../http2/stream.ts'
import type { CallListener, UnaryCall } from '../transport.ts'
import { prefixOf } from './frames.ts'
import { Response } from './response.ts'
import type { Session, SessionWaiter } from './session.ts'
import { GrpcError, status } from './status.ts'

/** What one call needs. */
export interface UnaryOptions<T> {
  readonly session: Session
  readonly dueTimes: DueTimes
  readonly call: UnaryCall<T>
  /** Its headers. */
  readonly block: Buffer
  readonly listener: CallListener<T>
}

/** The state of one call with one response, and its callbacks. */
export class Unary<T> extends Response implements SessionWaiter, Due {
  place = -1
  dueAt = 0
  readonly #options: UnaryOptions<T>
  #stream: Stream | null = null
  #answer: Buffer | null = null
  #isOver = false

  constructor(options: UnaryOptions<T>) {
    super()
    this.#options = options
  }

  begin(timeoutMs: number): void {
    const { session, dueTimes } = this.#options
    dueTimes.add(this, timeoutMs)
    session.whenReady(this)
  }

  ready(): void {
    const { session, block, call } = this.#options
    try {
      this.#stream = session.request(block, this, [prefixOf(call.request), call.request])
      session.expect(1)
    } catch (error) {
      this.failed(error as GrpcError)
    }
  }

  failed(error: GrpcError): void {
    if (this.#finish()) this.#options.listener.failed(error)
  }

  late(): void {
    const isUnsent = this.#stream === null
    if (!this.#finish()) return
    this.#stream?.cancel()
    const error = new GrpcError(status.DEADLINE_EXCEEDED, 'Deadline exceeded', { isUnsent })
    this.#options.listener.failed(error)
  }

  protected take(message: Buffer): void {
    if (this.#answer !== null) throw new Error('more than one message')
    this.#answer = message
  }

  protected stop(): void {
    this.#stream?.cancel()
  }

  protected ended(error: GrpcError | null): void {
    if (error) return this.failed(error)
    if (!this.#finish()) return
    const { call, listener } = this.#options
    if (this.#answer === null || this.halfway)
      return listener.failed(new GrpcError(status.INTERNAL, 'an answer without its message'))
    let answer: T
    try {
      answer = call.decode(this.#answer)
    } catch (cause) {
      return listener.failed(new GrpcError(status.INTERNAL, (cause as Error).message))
    }
    listener.answered(answer)
  }

  /** False when it was over. */
  #finish(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    const { session, dueTimes } = this.#options
    dueTimes.delete(this)
    if (this.#stream) session.expect(-1)
    else session.forget(this)
    return true
  }
}
