/** Turns a plan into requests, lane by lane. */
import {
  bindingText,
  configMapParts,
  deploymentParts,
  numberText,
  podText,
  type Parts,
} from './bodies.ts'
import { CHANGING, REVISION, type Plan } from './job.ts'

const JSON_TYPE = 'application/json'

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
  readonly accept: string
  #wire: Buffer | null = null

  constructor(
    method: string,
    path: string,
    contentType = '',
    body: Buffer | null = null,
    accept = JSON_TYPE,
  ) {
    this.accept = accept
    this.method = method
    this.path = path
    this.contentType = contentType
    this.body = body
  }

  /** With the token, if there is one; a request is always sent by the same user. */
  wireFor(token: string | undefined): Buffer {
    if (this.#wire === null) {
      const payload =
        this.body === null
          ? ''
          : `Content-Type: ${this.contentType}\r\nContent-Length: ${this.body.length}\r\n`
      const shown = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`
      const head = Buffer.from(
        `${this.method} ${this.path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${this.accept}\r\nUser-Agent: bench\r\n${shown}${payload}\r\n`,
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
      const request = new PlannedRequest('GET', plan.path, '', null, plan.accept)
      return () => request
    }
    case 'gets': {
      const requests = plan.paths.map((path) => new PlannedRequest('GET', path))
      let sent = 0
      return () => requests[sent++ % requests.length]!
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
    case 'create':
      return configMaps(plan)
    case 'createDeployments':
      return numbered(plan, deploymentParts(plan.prefix, 3))
    case 'createPods': {
      const { paths, count, from = 0 } = plan
      let made = 0
      return () => {
        if (made >= count) return null
        const number = from + made++
        const body = Buffer.from(podText(number, plan))
        return new PlannedRequest('POST', paths[number % paths.length] ?? '/', JSON_TYPE, body)
      }
    }
    case 'replace':
      return replacements(plan)
    case 'patchLease': {
      let round = 0
      return (lane) =>
        patchOf(
          plan,
          lane,
          'application/merge-patch+json',
          `{"spec":{"renewTime":"2022-11-01T10:00:00.${sixDigits(round++)}Z"}}`,
        )
    }
    case 'deleteCollection': {
      const request = new PlannedRequest('DELETE', plan.path)
      let isSent = false
      return () => {
        if (isSent) return null
        isSent = true
        return request
      }
    }
    case 'createBindings': {
      const { paths, prefix, count } = plan
      let made = 0
      return () => {
        if (made >= count) return null
        const path = paths[made % paths.length] ?? '/'
        const body = Buffer.from(bindingText(prefix, made++))
        return new PlannedRequest('POST', path, 'application/json', body)
      }
    }
    case 'patch': {
      let round = 0
      return (lane) =>
        patchOf(
          plan,
          lane,
          'application/merge-patch+json',
          `{"metadata":{"labels":{"round":"${round++}"}}}`,
        )
    }
    case 'patchImage': {
      let round = 0
      return (lane) =>
        patchOf(
          plan,
          lane,
          'application/strategic-merge-patch+json',
          `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"example.com/web:1.${round++}"}]}}}}`,
        )
    }
    case 'apply': {
      let sent = 0
      const turns: number[] = []
      const { prefix, of } = plan
      const variants = Array.from({ length: plan.changes ? VARIANTS : 1 }, (_, i) =>
        of === undefined
          ? deploymentParts(prefix, 3 + i)
          : configMapParts(APPLIED_BYTES, prefix, { of, fill: String(i) }),
      )
      return (lane) => {
        if (sent >= plan.count) return null
        // The lanes take turns of their own, so that each differs from the last of its lane.
        turns[lane] = (turns[lane] ?? -1) + 1
        const { before, after } = variants[turns[lane] % variants.length]!
        sent++
        const body = before + numberText(lane) + after
        return patchOf(plan, lane, 'application/apply-patch+yaml', body, '?fieldManager=applier')
      }
    }
  }
}

const sixDigits = (number: number) => String(number % 1_000_000).padStart(6, '0')

/** Each lane reads the revision of its object before the first replacement, and knows it from the answers then. */
function replacements({ paths, texts }: Extract<Plan, { readonly is: 'replace' }>): NextRequest {
  let round = 0
  return (lane, answer) => {
    const path = paths[lane]!
    if (answer === null) return new PlannedRequest('GET', path)
    const revision = /"resourceVersion":"(\d+)"/.exec(answer.head)?.[1]
    if (revision === undefined) throw new Error(`an answer without a revision: ${answer.head}`)
    const text = texts[lane]!.replace(REVISION, revision).replace(CHANGING, sixDigits(round++))
    return new PlannedRequest('PUT', path, JSON_TYPE, Buffer.from(text))
  }
}

/** Configurations that differ in one field. */
const VARIANTS = 7
/** Size of an applied object with data. */
const APPLIED_BYTES = 2048

/** Creates config maps, some of them marked. */
function configMaps(plan: Extract<Plan, { readonly is: 'create' }>): NextRequest {
  const { markEvery, from = 0, of } = plan
  const kind = of === undefined ? {} : { of }
  const plain = configMapParts(plan.sizeBytes, plan.prefix, kind)
  if (markEvery === undefined) return numbered(plan, plain, from)
  const marked = configMapParts(plan.sizeBytes, plan.prefix, {
    ...kind,
    labels: { marked: 'yes' },
  })
  return numbered(plan, (number) => (number % markEvery === 0 ? marked : plain), from)
}

/** Creates objects, one after the other. */
function numbered(
  { path, count }: { readonly path: string; readonly count: number },
  parts: Parts | ((number: number) => Parts),
  from = 0,
): NextRequest {
  let made = 0
  return () => {
    if (made >= count) return null
    const number = from + made++
    const { before, after } = typeof parts === 'function' ? parts(number) : parts
    const body = Buffer.from(before + numberText(number) + after)
    return new PlannedRequest('POST', path, 'application/json', body)
  }
}

/** A patch of the lane's own object. */
const patchOf = (
  { path, prefix }: { readonly path: string; readonly prefix: string },
  lane: number,
  contentType: string,
  body: string,
  query = '',
) =>
  new PlannedRequest(
    'PATCH',
    `${path}/${prefix}${numberText(lane)}${query}`,
    contentType,
    Buffer.from(body),
  )
