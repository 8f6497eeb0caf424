/**
 * Clients of a real etcd that speak to the stand-in. They get an error at once: without one they would wait for answers
 * until their deadlines.
 */

/** How a client speaks: etcd takes all of them. */
export type Speech = 'gRPC' | 'HTTP' | 'TLS'

/** What is said of such clients on standard error. */
export const foreignLine = (speech: string): string =>
  `a client of etcd speaks ${speech} to this stand-in, which stores nothing: it gets errors; start a real etcd for it`

/** Error message for clients of a real etcd. */
const FOREIGN_MESSAGE = 'this is a stand-in for etcd, which stores nothing; start a real etcd'

/** Paths of the interfaces that etcd serves by HTTP/1.1, as a source for regular expressions of Perl too. */
export const FOREIGN_PATHS = '^/v[23][a-z]*/'

/** gRPC status code UNIMPLEMENTED. */
const UNIMPLEMENTED = 12

/** The body for such a path. */
export const foreignBody = (): object => ({
  error: FOREIGN_MESSAGE,
  code: UNIMPLEMENTED,
  message: FOREIGN_MESSAGE,
})

/** First byte of a TLS handshake. */
export const TLS_HELLO = 0x16

/** The alert `handshake_failure` of TLS, fatal. */
export const TLS_ALERT = Buffer.from([0x15, 3, 1, 0, 2, 2, 40])

/** With what a client begins that speaks HTTP/2 without TLS. */
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** Frames of one connection that are answered: more than a client sends that learns from its first error. */
export const MOST_ANSWERS = 100
/** Most bytes of a frame, as HTTP/2 has it without another agreement. */
export const MOST_FRAME = 16_384

const HEAD_BYTES = 9
const [HEADERS, SETTINGS, PING] = [1, 4, 6]
const ACK = 1
const END_STREAM_AND_HEADERS = 5
const STATUS_200 = 0x88

/** A header as HPACK writes one that is in no table: its texts are shorter than 127 bytes. */
const literal = (name: string, value: string): Buffer =>
  Buffer.from(
    `\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`,
  )

/** The headers of a call that failed, which end it. */
export const FAILED_CALL = Buffer.concat([
  Buffer.from([STATUS_200]),
  literal('content-type', 'application/grpc'),
  literal('grpc-status', String(UNIMPLEMENTED)),
  literal('grpc-message', FOREIGN_MESSAGE),
])

function frame(type: number, flags: number, stream: Buffer, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES - stream.length)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  return Buffer.concat([head, stream, payload])
}

const CONNECTION = Buffer.alloc(4)
const NOTHING = Buffer.alloc(0)

/** The frame with which a server begins. */
export const SERVER_SETTINGS = frame(SETTINGS, 0, CONNECTION, NOTHING)

/** One connection over HTTP/2, after the preface: every call fails. */
export class FailingCalls {
  #rest = NOTHING
  #answers = 0

  /** What to send for more bytes of the client; null: the connection is to be closed. */
  take(bytes: Buffer): Buffer | null {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const answers: Buffer[] = []
    while (this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUIntBE(0, 3)
      if (length > MOST_FRAME) return null
      const end = HEAD_BYTES + length
      if (this.#rest.length < end) break
      const answer = answerTo(this.#rest.subarray(0, end))
      this.#rest = this.#rest.subarray(end)
      if (answer === null) continue
      if (++this.#answers > MOST_ANSWERS) return null
      answers.push(answer)
    }
    return Buffer.concat(answers)
  }
}

/** The answer to one frame; null when it needs none. */
function answerTo(whole: Buffer): Buffer | null {
  const [type, flags] = [whole[3]!, whole[4]!]
  const payload = whole.subarray(HEAD_BYTES)
  if (type === HEADERS)
    return frame(HEADERS, END_STREAM_AND_HEADERS, whole.subarray(5, HEAD_BYTES), FAILED_CALL)
  if ((flags & ACK) !== 0) return null
  if (type === SETTINGS) return frame(SETTINGS, ACK, CONNECTION, NOTHING)
  return type === PING ? frame(PING, ACK, CONNECTION, payload) : null
}
