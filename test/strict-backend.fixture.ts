/** A server over HTTP/1.1 that reads requests strictly, one after the other, and records bytes that belong to none. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** A request that came. */
export interface StrictRequest {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** When the response is sent. */
export type AnswerTime = 'at the head' | 'at the end'

/** Reads requests; a connection that sends anything that is not one is a fault. */
export class StrictBackend {
  readonly requests: StrictRequest[] = []
  /** What is wrong with what came. */
  readonly faults: string[] = []
  answers: AnswerTime = 'at the end'
  /** Status of the responses, as it is sent. */
  status = '200 OK'
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket))
  }

  static async start(): Promise<StrictBackend> {
    const backend = new StrictBackend()
    await new Promise<void>((done) => backend.#server.listen(0, '127.0.0.1', done))
    return backend
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    let bytes = Buffer.alloc(0)
    let isAnswered = false
    socket.on('error', () => {})
    const answer = () => {
      if (!isAnswered) socket.write(`HTTP/1.1 ${this.status}\r\ncontent-length: 2\r\n\r\nok`)
      isAnswered = true
    }
    socket.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece])
      for (;;) {
        const head = headOf(bytes)
        if (head === null) return
        if (typeof head === 'string') {
          this.faults.push(head)
          return void socket.destroy()
        }
        if (this.answers === 'at the head') answer()
        const read = bodyOf(bytes.subarray(head.bytes), head.headers)
        if (read === null) return
        const { method, target, headers } = head
        this.requests.push({ method, target, headers, body: read.body })
        bytes = bytes.subarray(head.bytes + read.bytes)
        answer()
        isAnswered = false
      }
    })
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (bytes.length > 0 && this.answers === 'at the end')
        this.faults.push(`left over: ${bytes.toString('latin1').slice(0, 80)}`)
    })
  }
}

interface Head {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyMap<string, string>
  readonly bytes: number
}

/** Null: it is not whole; a text: it is none. */
function headOf(bytes: Buffer): Head | string | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const [, method, target] = /^([A-Z]+) (\/\S*) HTTP\/1\.1$/.exec(line) ?? []
  if (method === undefined || target === undefined) return `not a request: ${line.slice(0, 80)}`
  const headers = new Map<string, string>()
  for (const one of lines) {
    const [, name, value] = /^([!#-'*+\-.0-9A-Z^-z|~]+): ?(.*)$/.exec(one) ?? []
    if (name === undefined) return `not a header: ${one}`
    const key = name.toLowerCase()
    if (headers.has(key) && ['content-length', 'transfer-encoding', 'host'].includes(key))
      return `twice: ${key}`
    headers.set(key, value!)
  }
  if (headers.has('content-length') && headers.has('transfer-encoding')) return 'two framings'
  return { method, target, headers, bytes: end + 4 }
}

/** Null: it is not whole. */
function bodyOf(
  bytes: Buffer,
  headers: ReadonlyMap<string, string>,
): { readonly body: string; readonly bytes: number } | null {
  const length = headers.get('content-length')
  if (length !== undefined) {
    const count = Number(length)
    return bytes.length < count ? null : { body: bytes.toString('latin1', 0, count), bytes: count }
  }
  if (headers.get('transfer-encoding') !== 'chunked') return { body: '', bytes: 0 }
  let body = ''
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    const next = end + 2 + size
    if (bytes.length < next + 2) return null
    body += bytes.toString('latin1', end + 2, next)
    at = next + 2
    if (size === 0) return { body, bytes: at }
  }
}
