import type { Headers } from '../../../http2/hpack.ts'
import type { StreamError, StreamListener } from '../http2/stream.ts'
import { FrameReader, wholeMessage } from './frames.ts'
import { detailsOf, GrpcError, status } from './status.ts'

/** Splits a stream into messages, and tells once how it ended: null when its status is OK. */
export abstract class Response implements StreamListener {
  /** For messages that do not come in one piece of their own. */
  #reader: FrameReader | null = null
  #isResponse = false
  #isOver = false
  #result: GrpcError | null | undefined

  /** Takes a message; what it throws ends the stream. */
  protected abstract take(message: Buffer): void
  /** Told once. */
  protected abstract ended(error: GrpcError | null): void
  /** Ends the stream, of which nothing more is to be heard. */
  protected abstract stop(): void

  /** Whether a message has begun and not ended. */
  protected get halfway(): boolean {
    return this.#reader !== null && this.#reader.halfway
  }

  headers(headers: Headers): void {
    if (!this.#isResponse) {
      const code = headers.get(':status')
      if (code?.startsWith('1')) return
      const type = headers.get('content-type') ?? ''
      if (code !== '200' || !type.startsWith('application/grpc'))
        return this.#fail(status.UNKNOWN, `an answer ${code} of type ${type}`)
      this.#isResponse = true
    }
    const result = headers.get('grpc-status')
    if (result === undefined) return
    this.#result = result === '0' ? null : new GrpcError(Number(result), detailsOf(headers))
  }

  data(piece: Buffer): void {
    if (this.#isOver) return
    try {
      const message = this.halfway ? null : wholeMessage(piece)
      if (message !== null) this.take(message)
      else for (const one of (this.#reader ??= new FrameReader()).push(piece)) this.take(one)
    } catch (cause) {
      this.#fail(status.INTERNAL, (cause as Error).message)
    }
  }

  end(error: StreamError | null): void {
    if (error)
      this.#tell(new GrpcError(status.UNAVAILABLE, error.message, { isUnsent: error.isUnsent }))
    else if (this.#result !== undefined) this.#tell(this.#result)
    else this.#tell(new GrpcError(status.UNAVAILABLE, 'the answer has no status'))
  }

  #fail(code: number, details: string): void {
    this.stop()
    this.#tell(new GrpcError(code, details))
  }

  #tell(error: GrpcError | null): void {
    if (this.#isOver) return
    this.#isOver = true
    this.ended(error)
  }
}
