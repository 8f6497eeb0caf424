/**
 * What a test does with its server, as calls over HTTP: for tests in other languages and in other processes. Each call is
 * `POST <address>/<name>` with a JSON object of arguments; the response is JSON.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatJson, parseJson } from '../codec/json-text.ts'
import type { ActiveFault, Fault } from './faults.ts'
import type { TestUser } from './kubeconfig-for.ts'
import type { RequestPattern } from './request-pattern.ts'
import type { Session } from './session.ts'
import type { Snapshot } from './store-state.ts'
import type { Span } from './test-clock.ts'
import type { TestServer } from './test-server.ts'
import type { WebhookPattern } from './webhook-record.ts'

/** Largest arguments, bytes: a session of a long run. */
const MOST_BYTES = 64 << 20

/** The calls at work. */
export interface Control {
  /** Address of all calls. It contains a secret: who knows it has every permission on the server. */
  readonly url: string
  close(): Promise<void>
}

type Arguments = Readonly<Record<string, unknown>>
type Call = (given: Arguments) => unknown

/** Listens on 127.0.0.1 for calls about a server. */
export async function serveControl(server: TestServer): Promise<Control> {
  const secret = randomBytes(24).toString('base64url')
  const calls = callsOf(server)
  const listener = createServer((request, response) => {
    void answer(request, calls, `/${secret}/`).then(
      ([status, body]) => send(response, status, body),
      (error: unknown) => send(response, 500, { error: String(error) }),
    )
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  // It must not keep a program alive that has nothing else to do.
  listener.unref()
  const { port } = listener.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/${secret}`, close: () => ended(listener) }
}

async function ended(listener: Server): Promise<void> {
  const closed = new Promise((resolve) => listener.close(resolve))
  listener.closeAllConnections()
  await closed
}

async function answer(
  request: IncomingMessage,
  calls: ReadonlyMap<string, Call>,
  root: string,
): Promise<readonly [status: number, body: unknown]> {
  const { method, url = '' } = request
  if (!url.startsWith(root)) return [404, { error: 'not found' }]
  const name = url.slice(root.length)
  const call = calls.get(name)
  if (!call)
    return [404, { error: `unknown call ${name}; there are ${[...calls.keys()].join(', ')}` }]
  if (method !== 'POST') return [405, { error: 'calls are made by POST' }]
  const text = await textOf(request)
  if (text === null) return [413, { error: `arguments may have ${MOST_BYTES} bytes` }]
  try {
    return [200, (await call(argumentsOf(text))) ?? {}]
  } catch (error) {
    return [400, { error: error instanceof Error ? error.message : String(error) }]
  }
}

/** The body; null when it is too large. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += (part as Buffer).length
    if (bytes > MOST_BYTES) return null
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString()
}

function argumentsOf(text: string): Arguments {
  if (text.trim() === '') return {}
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('arguments are a JSON object')
  return value as Arguments
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(`${formatJson(body)}\n`)
}

/** Things that calls create, by number. */
class Numbered<T> {
  readonly #what: string
  readonly #all: T[] = []

  constructor(what: string) {
    this.#what = what
  }

  add(one: T): number {
    return this.#all.push(one)
  }

  get(number: unknown): T {
    const found = typeof number === 'number' ? this.#all[number - 1] : undefined
    if (found === undefined)
      throw new TypeError(`there is no ${this.#what} ${formatJson(number ?? null)}`)
    return found
  }
}

function callsOf(server: TestServer): ReadonlyMap<string, Call> {
  const faults = new Numbered<ActiveFault>('fault')
  const snapshots = new Numbered<Snapshot>('snapshot')
  const { clock, requests, webhooks } = server
  // What callers pass is checked where it is used.
  const span = ({ by }: Arguments) => by as Span
  const time = () => ({ time: clock.date.toISOString() })
  return new Map<string, Call>([
    ['reset', () => server.reset()],
    ['settled', () => server.settled()],
    ['snapshot', async () => ({ snapshot: snapshots.add(await server.snapshot()) })],
    ['restore', ({ snapshot }) => server.restore(snapshots.get(snapshot))],
    [
      'namespace',
      async ({ prefix }) => ({ name: (await server.namespace(prefix as string)).name }),
    ],
    ['apply', async ({ manifests }) => ({ objects: await server.apply(manifests as string) })],
    [
      'kubeconfig',
      async (user) => ({ kubeconfig: await server.kubeconfigFor(user as unknown as TestUser) }),
    ],
    ['clock', time],
    ['advance', (given) => clock.advance(span(given)).then(time)],
    ['jump', (given) => clock.jump(span(given)).then(time)],
    ['stop-clock', () => (clock.stop(), time())],
    ['start-clock', () => (clock.start(), time())],
    ['fail', (fault) => ({ fault: faults.add(server.fail(fault as Fault)) })],
    ['fault', ({ fault }) => ({ hits: faults.get(fault).hits })],
    ['release', ({ fault }) => faults.get(fault).release()],
    ['remove', ({ fault }) => faults.get(fault).remove()],
    ['drop-watches', (pattern) => ({ dropped: server.dropWatches(pattern as RequestPattern) })],
    ['expire-watches', ({ resource }) => server.expireWatches(resource as string | undefined)],
    ['expire-history', () => server.expireHistory()],
    ['requests', (pattern) => ({ requests: requests.find(pattern as RequestPattern) })],
    ['webhooks', (pattern) => ({ calls: webhooks.find(pattern as WebhookPattern) })],
    ['session', () => server.session()],
    ['replay', (session) => server.replay(session as unknown as Session)],
  ])
}
