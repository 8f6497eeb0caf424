/** A server of webhooks in a process of its own; the test says what it replies. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { issue } from '../src/pki/issue.ts'
import type { Issued } from '../src/pki/subject.ts'

const HOUR_MS = 3_600_000
const PROGRAM = join(import.meta.dirname, 'webhook-program.mjs')

/** JSON of any shape. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read documents of every shape
export type Json = any

/** A request as it came in. */
export interface Received {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The text as JSON. */
  readonly review: Json
  /** Name that the client asked for in its TLS handshake; empty for an IP address. */
  readonly servername: string
  /** Common name of the client's certificate. */
  readonly client: string
  /** Counts connections from 1. */
  readonly connection: number
}

/** What the server does with a request. */
export type Reply =
  | { readonly act: 'hang' | 'close' | 'cut' }
  | { readonly act: 'flood'; readonly bytes: number }
  | { readonly act: 'raw'; readonly text: string }
  | { readonly code?: number; readonly headers?: Record<string, string>; readonly body: Json }

/** A running server. */
export class WebhookProcess {
  readonly #process: ChildProcess
  readonly port: number
  /** PEM. */
  readonly ca: string
  /** Authority of the certificates. */
  readonly authority: Issued
  readonly received: Received[] = []
  /** What a request gets. */
  reply: (request: Received) => Reply | Promise<Reply> = ({ review }) => allow(review)

  constructor(child: ChildProcess, port: number, authority: Issued) {
    this.#process = child
    this.port = port
    this.ca = authority.cert
    this.authority = authority
    child.on('message', (message: { readonly id: number } & Omit<Received, 'review'>) => {
      const { id, ...request } = message
      const received = { ...request, review: JSON.parse(request.text) }
      this.received.push(received)
      void Promise.resolve(this.reply(received)).then((reply) =>
        child.send('body' in reply ? { id, ...reply, text: textOf(reply.body) } : { id, ...reply }),
      )
    })
  }

  /** The caBundle of configurations. */
  get caBundle(): string {
    return Buffer.from(this.ca).toString('base64')
  }

  url(path = '/'): string {
    return `https://127.0.0.1:${this.port}${path}`
  }

  /** Reviews so far; they are forgotten. */
  take(): Received[] {
    return this.received.splice(0)
  }

  close(): void {
    this.#process.disconnect()
  }
}

const textOf = (body: Json): string => (typeof body === 'string' ? body : JSON.stringify(body))

/** Starts a server whose certificate is for these hosts. */
export async function webhookProcess(
  hosts: readonly string[] = [],
  host = '127.0.0.1',
): Promise<WebhookProcess> {
  const times = { notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS }
  const authority = issue({ ...times, subject: { commonName: 'authority' }, use: 'authority' })
  const subject = { commonName: 'webhook' }
  const own = issue({
    ...times,
    subject,
    use: 'server',
    hosts: ['127.0.0.1', ...hosts],
    issuer: authority,
  })
  const child = fork(PROGRAM, [], { execArgv: [], env: {} })
  child.send({ cert: own.cert, key: own.key, host })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return new WebhookProcess(child, port, authority)
}

/** A response in the form of a review. */
export const respond = (review: Json, response: Json): Reply => ({
  body: {
    kind: review.kind,
    apiVersion: review.apiVersion,
    response: { uid: review.request.uid, ...response },
  },
})

export const allow = (review: Json, more: Json = {}): Reply =>
  respond(review, { allowed: true, ...more })

export const deny = (review: Json, status?: Json): Reply =>
  respond(review, { allowed: false, ...(status === undefined ? {} : { status }) })

export const patch = (review: Json, operations: Json, more: Json = {}): Reply =>
  allow(review, {
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
    ...more,
  })
