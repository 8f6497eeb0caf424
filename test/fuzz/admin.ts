/** Plain requests of the administrator, between those that are made up. */
import { contentOf, type Content } from './answer.ts'
import type { FuzzRequest } from './request.ts'
import { Transport, type Where } from './transport.ts'

export interface AdminAnswer {
  readonly status: number
  readonly bytes: Buffer
  readonly content: Content
  /** The body as JSON; null when it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- objects of every kind
  readonly body: any
}

export interface AdminAsk {
  readonly accept?: string
  readonly type?: string
  readonly body?: Buffer | object
}

/** The connection ended before an answer was whole. */
export class NoAnswer extends Error {}

export class Admin {
  readonly #transport: Transport

  constructor(where: Where) {
    this.#transport = new Transport(where)
  }

  /** Asks; rejects when there is no whole answer. */
  async ask(method: string, target: string, ask: AdminAsk = {}): Promise<AdminAnswer> {
    const { request, outcome } = await this.#sent(method, target, ask)
    const { answer } = outcome
    if (answer === null || !answer.isWhole)
      throw new NoAnswer(
        `no answer to ${request.method} ${target}: ${outcome.fault ?? outcome.ended}`,
      )
    const content = contentOf(answer)
    const body = content.form === 'json' ? content.value : null
    return { status: answer.status, bytes: answer.body, content, body }
  }

  async #sent(method: string, target: string, { accept, type, body }: AdminAsk) {
    const bytes =
      body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const request: FuzzRequest = {
      identity: 'administrator',
      protocol: bytes !== undefined && bytes.length > 40_000 ? 'h1' : 'h2',
      method,
      target,
      headers: [
        ['accept', accept ?? 'application/json'],
        ...(bytes === undefined ? [] : [['content-type', type ?? 'application/json'] as const]),
      ],
      body: bytes ?? null,
      raw: null,
      isOpen: false,
      how: 'as it is',
    }
    const outcome = await this.#transport.send(request)
    return { request, outcome }
  }

  close(): void {
    this.#transport.close()
  }
}
