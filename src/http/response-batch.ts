/** Sends the complete responses of HTTP/1.1 together. */

/** A response whose head is made. */
export interface MadeResponse {
  /** Hands head and body to the connection. */
  sendNow(body: Buffer | string): void
}

/** Where complete responses go. */
export interface ResponseSink {
  send(response: MadeResponse, body: Buffer | string): void
  /** Sends all that have not been sent yet. */
  flush(): void
}

/** The plain way: each response is sent when it is made. */
export const atOnce: ResponseSink = {
  send: (response, body) => response.sendNow(body),
  flush() {},
}

/** Responses in one batch at most: the first one waits for the work on the others. */
const MOST = 32

/**
 * Sends the responses of one iteration of the event loop at its end. A system that has to wake the receiver for each
 * response takes longer for that than for the response; while it works on the first one it need not be woken for the rest.
 */
export class ResponseBatch implements ResponseSink {
  #responses: MadeResponse[] = []
  #bodies: (Buffer | string)[] = []
  #isDue = false

  send(response: MadeResponse, body: Buffer | string): void {
    this.#bodies.push(body)
    if (this.#responses.push(response) >= MOST) this.flush()
    else if (!this.#isDue) {
      this.#isDue = true
      setImmediate(this.#atEnd)
    }
  }

  flush(): void {
    if (this.#responses.length === 0) return
    const responses = this.#responses
    const bodies = this.#bodies
    this.#responses = []
    this.#bodies = []
    for (let i = 0; i < responses.length; i++) responses[i]!.sendNow(bodies[i]!)
  }

  readonly #atEnd = (): void => {
    this.#isDue = false
    this.flush()
  }
}
