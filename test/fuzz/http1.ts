/** HTTP/1.1 as a client that keeps every byte of an answer. */
import type { TLSSocket } from 'node:tls'
import type { FuzzAnswer } from './answer.ts'

/** What can be read at the front of some bytes. */
export type Parsed =
  | { readonly is: 'answer'; readonly answer: FuzzAnswer; readonly used: number }
  /** The head is there, the body goes on. */
  | { readonly is: 'part'; readonly answer: FuzzAnswer | null }
  | { readonly is: 'wrong'; readonly why: string }

/** Reads one answer, interim ones skipped. `isOver`: nothing more comes. */
export function parseAnswer(bytes: Buffer, method: string, isOver: boolean): Parsed {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) {
    if (bytes.length > 0 && !'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7)))
      return { is: 'wrong', why: `what is no answer: ${bytes.toString('latin1', 0, 80)}` }
    return { is: 'part', answer: null }
  }
  const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})( |$)/.exec(line)?.[1] ?? 0)
  if (status < 100) return { is: 'wrong', why: `a status line that is none: ${line.slice(0, 80)}` }
  const headers: Record<string, string> = {}
  for (const field of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(field) ?? []
    if (name === undefined)
      return { is: 'wrong', why: `a field that is none: ${field.slice(0, 80)}` }
    headers[name.toLowerCase()] = value!
  }
  const start = end + 4
  if (status < 200 && status !== 101) {
    const next = parseAnswer(bytes.subarray(start), method, isOver)
    return next.is === 'answer' ? { ...next, used: next.used + start } : next
  }
  const rest = bytes.subarray(start)
  const whole = (body: Buffer, used: number): Parsed => ({
    is: 'answer',
    answer: { status, headers, body, isWhole: true },
    used: start + used,
  })
  if (method === 'HEAD' || status === 101 || status === 204 || status === 304)
    return whole(Buffer.alloc(0), 0)
  if (headers['transfer-encoding'] === 'chunked') {
    const body = chunksOf(rest)
    if (typeof body === 'string') return { is: 'wrong', why: body }
    if (body.used !== null) return whole(body.bytes, body.used)
    return { is: 'part', answer: { status, headers, body: body.bytes, isWhole: false } }
  }
  const length = headers['content-length']
  if (length !== undefined && /^\d+$/.test(length)) {
    if (rest.length >= Number(length))
      return whole(rest.subarray(0, Number(length)), Number(length))
  } else if (isOver) return whole(rest, rest.length)
  return { is: 'part', answer: { status, headers, body: rest, isWhole: false } }
}

/** The body of the chunks so far; `used` is null until the last one. A text tells what is wrong. */
function chunksOf(bytes: Buffer): { bytes: Buffer; used: number | null } | string {
  const pieces: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return { bytes: Buffer.concat(pieces), used: null }
    const size = bytes.toString('latin1', at, line)
    if (!/^[0-9a-fA-F]+$/.test(size)) return `a chunk of the size ${size.slice(0, 20)}`
    const length = parseInt(size, 16)
    const start = line + 2
    if (length === 0) {
      const end = bytes.indexOf('\r\n', start)
      return { bytes: Buffer.concat(pieces), used: end < 0 ? null : end + 2 }
    }
    pieces.push(bytes.subarray(start, start + length))
    if (bytes.length < start + length + 2) return { bytes: Buffer.concat(pieces), used: null }
    at = start + length + 2
  }
}

/** What came of a request. */
export interface Outcome {
  /** What was answered; null when nothing was, or nothing that can be read. */
  readonly answer: FuzzAnswer | null
  /** What is wrong with what came. */
  readonly fault: string | null
  /** Why there is no whole answer. */
  readonly ended: 'answered' | 'closed' | 'waited'
}

/** One connection. */
export class Http1Link {
  readonly #socket: TLSSocket
  #bytes = Buffer.alloc(0)
  #pieces: Buffer[] = []
  #isOver = false
  #wake = () => {}

  constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.on('data', (piece: Buffer) => {
      this.#pieces.push(piece)
      this.#wake()
    })
    const over = () => {
      this.#isOver = true
      this.#wake()
    }
    socket.on('end', over)
    socket.on('close', over)
    // The end of a connection shows in what is asked next.
    socket.on('error', over)
  }

  get isUsable(): boolean {
    return !this.#isOver && this.#bytes.length === 0
  }

  /** Sends bytes and waits for one answer, at most so long. */
  async ask(bytes: Buffer, method: string, patienceMs: number): Promise<Outcome> {
    this.#socket.write(bytes)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#wake()
    }, patienceMs)
    try {
      for (;;) {
        this.#bytes = Buffer.concat([this.#bytes, ...this.#pieces.splice(0)])
        const parsed = parseAnswer(this.#bytes, method, this.#isOver)
        if (parsed.is === 'wrong') return { answer: null, fault: parsed.why, ended: 'answered' }
        if (parsed.is === 'answer') {
          this.#bytes = this.#bytes.subarray(parsed.used)
          if (parsed.answer.headers['connection'] === 'close' || parsed.answer.status === 101)
            this.close()
          return { answer: parsed.answer, fault: null, ended: 'answered' }
        }
        if (this.#isOver) return { answer: parsed.answer, fault: null, ended: 'closed' }
        if (isLate) return { answer: parsed.answer, fault: null, ended: 'waited' }
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#isOver = true
    this.#socket.destroy()
  }
}
