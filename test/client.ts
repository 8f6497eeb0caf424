/** A bare client for tests: one request, the whole answer. */
import { Agent, request } from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { RunningServer } from '../src/index.ts'

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read bodies of every shape
  readonly body: any
}

export interface Ask {
  readonly body?: unknown
  /** A list makes one header line of each value. */
  readonly headers?: Record<string, string | string[]>
  /** Sent as it is. */
  readonly raw?: string | Buffer
  /** Sends the path as it is, dots and all. */
  readonly exactPath?: boolean
}

/** What a client shows; nothing for the administrator's certificate. */
export interface Credential {
  readonly anonymous?: boolean
  /** A certificate of a client, those between it and its authority behind it, and its key, PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string }
  /** Shown with every request, and no certificate besides. */
  readonly token?: string
}

/** Talks to one server as its administrator, as somebody else, or as nobody. */
export class Client {
  readonly #url: string
  readonly #agent: Agent
  readonly #shown: Record<string, string>
  constructor(server: Pick<RunningServer, 'url' | 'ca' | 'kubeconfig'>, options: Credential = {}) {
    this.#url = server.url
    const { anonymous, certificate, token } = options
    this.#shown = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const read = (name: string) =>
      Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)?.[1] ?? '', 'base64')
    this.#agent = new Agent({
      keepAlive: true,
      ca: server.ca,
      ...(certificate ??
        (anonymous === true || token !== undefined
          ? {}
          : { cert: read('client-certificate-data'), key: read('client-key-data') })),
    })
  }

  /** Opens a request and gives the answer's head with its body still coming. */
  open(method: string, path: string, ask: Ask = {}): Promise<IncomingMessage> {
    const payload = ask.raw ?? (ask.body === undefined ? undefined : JSON.stringify(ask.body))
    return new Promise((resolve, reject) => {
      const message = request(
        new URL(ask.exactPath === true ? '/' : path, this.#url),
        {
          method,
          agent: this.#agent,
          ...(ask.exactPath === true ? { path } : {}),
          headers: {
            ...this.#shown,
            ...(payload === undefined
              ? {}
              : {
                  'content-type': 'application/json',
                  'content-length': Buffer.byteLength(payload),
                }),
            ...ask.headers,
          },
        },
        resolve,
      )
      message.once('error', reject)
      message.end(payload)
    })
  }

  async ask(method: string, path: string, ask: Ask = {}): Promise<Reply> {
    const answer = await this.open(method, path, ask)
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      body = undefined
    }
    return { status: answer.statusCode ?? 0, headers: answer.headers, text, body }
  }

  get = (path: string, ask?: Ask) => this.ask('GET', path, ask)
  post = (path: string, body: unknown, ask?: Ask) => this.ask('POST', path, { body, ...ask })
  put = (path: string, body: unknown, ask?: Ask) => this.ask('PUT', path, { body, ...ask })
  delete = (path: string, ask?: Ask) => this.ask('DELETE', path, ask)
  merge = (path: string, body: unknown, ask?: Ask) =>
    this.ask('PATCH', path, {
      body,
      ...ask,
      headers: { 'content-type': 'application/merge-patch+json', ...ask?.headers },
    })
  json = (path: string, body: unknown, ask?: Ask) =>
    this.ask('PATCH', path, {
      body,
      ...ask,
      headers: { 'content-type': 'application/json-patch+json', ...ask?.headers },
    })

  /** Starts a watch. */
  async watch(path: string, ask?: Ask): Promise<Watch> {
    return new Watch(await this.open('GET', path, ask))
  }

  close(): void {
    this.#agent.destroy()
  }
}

export interface WatchEvent {
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read objects of every kind
  readonly object: any
}

/** The events of one watch, in order. */
export class Watch {
  readonly answer: IncomingMessage
  readonly #events: WatchEvent[] = []
  #rest = ''
  #ended = false
  #wake = () => {}

  constructor(answer: IncomingMessage) {
    this.answer = answer
    answer.on('data', (data: Buffer) => {
      const lines = (this.#rest + data.toString('utf8')).split('\n')
      this.#rest = lines.pop()!
      for (const line of lines) this.#events.push(JSON.parse(line) as WatchEvent)
      this.#wake()
    })
    const end = () => {
      this.#ended = true
      this.#wake()
    }
    answer.on('end', end)
    answer.on('close', end)
    answer.on('error', end)
  }

  /** The next event; null when the stream has ended. */
  async next(): Promise<WatchEvent | null> {
    for (;;) {
      const event = this.#events.shift()
      if (event) return event
      if (this.#ended) return null
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** The next `count` events in short: type, name, resourceVersion left out. */
  async names(count: number): Promise<string[]> {
    const out: string[] = []
    for (let i = 0; i < count; i++) {
      const event = await this.next()
      if (!event) break
      out.push(`${event.type} ${event.object?.metadata?.name ?? event.object?.reason ?? ''}`)
    }
    return out
  }

  close(): void {
    this.answer.destroy()
  }
}
