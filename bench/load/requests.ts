/** Turns a plan into requests, lane by lane. */
import type { Plan } from './job.ts'

export interface Answer {
  readonly status: number
  readonly bodyBytes: number
  /** The first bytes of the body, at least as many as hold a continue token. */
  readonly head: string
}

/** One request, and its bytes on an HTTP/1.1 connection. */
export class PlannedRequest {
  readonly method: string
  readonly path: string
  readonly contentType: string
  readonly body: Buffer | null
  #wire: Buffer | null = null

  constructor(method: string, path: string, contentType = '', body: Buffer | null = null) {
    this.method = method
    this.path = path
    this.contentType = contentType
    this.body = body
  }

  get wire(): Buffer {
    if (this.#wire === null) {
      const payload =
        this.body === null
          ? ''
          : `Content-Type: ${this.contentType}\r\nContent-Length: ${this.body.length}\r\n`
      const head = Buffer.from(
        `${this.method} ${this.path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nUser-Agent: bench\r\n${payload}\r\n`,
        'latin1',
      )
      this.#wire = this.body === null ? head : Buffer.concat([head, this.body])
    }
    return this.#wire
  }
}

/** Gives a lane its next request, knowing the answer to the last; null when nothing is left to do. */
export type NextRequest = (lane: number, answer: Answer | null) => PlannedRequest | null

/** The requests of a plan. Throws when a page's answer holds no list. */
export function requestsOf(plan: Plan): NextRequest {
  switch (plan.is) {
    case 'get': {
      const request = new PlannedRequest('GET', plan.path)
      return () => request
    }
    case 'pages': {
      const first = new PlannedRequest('GET', `${plan.path}?limit=${plan.limit}`)
      return (_lane, answer) => {
        const token = answer === null ? null : /"continue":"([^"]+)"/.exec(answer.head)
        return token === null
          ? first
          : new PlannedRequest('GET', `${first.path}&continue=${encodeURIComponent(token[1]!)}`)
      }
    }
    case 'create': {
      let made = 0
      const { before, after } = configMapParts(plan.sizeBytes, plan.prefix)
      return () => {
        if (made >= plan.count) return null
        const number = String(made++).padStart(NUMBER_DIGITS, '0')
        return new PlannedRequest(
          'POST',
          plan.path,
          'application/json',
          Buffer.from(before + number + after),
        )
      }
    }
    case 'patch': {
      let round = 0
      return (lane) =>
        new PlannedRequest(
          'PATCH',
          `${plan.path}/${plan.prefix}${String(lane).padStart(NUMBER_DIGITS, '0')}`,
          'application/merge-patch+json',
          Buffer.from(`{"metadata":{"labels":{"round":"${round++}"}}}`),
        )
    }
  }
}

const NUMBER_DIGITS = 7
const VALUES = 8

// What the server adds to an object of this size: uid, revision, time of creation, namespace.
const SERVER_PART_BYTES = 160

/** JSON of a config map around the number in its name; `sizeBytes` long when it is read back. */
function configMapParts(sizeBytes: number, prefix: string): { before: string; after: string } {
  const around = (data: Record<string, string>) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${prefix}#` }, data })
  const keys = Array.from({ length: VALUES }, (_, i) => `setting-${i}`)
  const empty = around(Object.fromEntries(keys.map((key) => [key, ''])))
  const room = Math.max(0, sizeBytes - SERVER_PART_BYTES - empty.length - NUMBER_DIGITS + 1)
  const text = around(
    Object.fromEntries(keys.map((key, i) => [key, 'v'.repeat(Math.floor((room + i) / VALUES))])),
  )
  const [before = '', after = ''] = text.split('#')
  return { before, after }
}
