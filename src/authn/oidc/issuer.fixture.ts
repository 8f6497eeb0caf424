/** A small issuer of tokens over TLS, for tests: its documents can be set, and it counts requests. */
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWTPayload,
  type JWK,
} from 'jose'
import { silentLog, type Log } from '../../base/log.ts'
import { issue } from '../../pki/issue.ts'

const HOUR_MS = 3_600_000
const now = Date.now()
const span = { notBeforeMs: now - HOUR_MS, notAfterMs: now + 24 * HOUR_MS }
const authority = issue({ subject: { commonName: 'issuer-ca' }, use: 'authority', ...span })
const serving = issue({
  subject: { commonName: 'issuer' },
  use: 'server',
  hosts: ['127.0.0.1'],
  issuer: authority,
  ...span,
})

/** Authority of every issuer's certificate here, PEM. */
export const issuerCa = authority.cert

/** A key that tokens are signed with. */
export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly key: CryptoKey
  readonly jwk: JWK
}

/** A new key of an algorithm. */
export async function signingKey(kid: string, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return {
    kid,
    alg,
    key: privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
  }
}

/** Signs a token; a header of null leaves out the key's name. */
export function signed(
  claims: JWTPayload,
  { kid, alg, key }: SigningKey,
  header: Readonly<Record<string, unknown>> = { kid },
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(key)
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void

const DISCOVERY = '/.well-known/openid-configuration'
const KEYS = '/keys'

/** Its state may be changed while it runs. */
export class TestIssuer {
  readonly url: string
  /** Requested paths, in order. */
  readonly asked: string[] = []
  keys: readonly object[] = []
  keysHeaders: Readonly<Record<string, string>> = {}
  /** Responses in place of the documents, by path. */
  readonly instead = new Map<string, Respond>()
  readonly #server: ReturnType<typeof createServer>
  #waiting: { path: string; times: number; done: () => void }[] = []

  static async start(): Promise<TestIssuer> {
    const server = createServer({ key: serving.key, cert: serving.cert })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    return new TestIssuer(server)
  }

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => this.#answer(request, response))
  }

  /** How often the keys were requested. */
  get keyFetches(): number {
    return this.asked.filter((path) => path === KEYS).length
  }

  /** Resolves when a path has been requested so often. */
  askedFor(path: string, times: number): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ path, times, done })
      this.#wake()
    })
  }

  close(): Promise<void> {
    return new Promise((done) => {
      this.#server.close(() => done())
      this.#server.closeAllConnections()
    })
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!
    this.asked.push(path)
    this.#wake()
    const instead = this.instead.get(path)
    if (instead) return instead(request, response)
    if (path === DISCOVERY) {
      return json(response, { issuer: this.url, jwks_uri: `${this.url}${KEYS}` })
    }
    if (path === KEYS) return json(response, { keys: this.keys }, this.keysHeaders)
    response.writeHead(404).end()
  }

  #wake(): void {
    this.#waiting = this.#waiting.filter(({ path, times, done }) => {
      if (this.asked.filter((each) => each === path).length < times) return true
      done()
      return false
    })
  }
}

/** Responds with a JSON document. */
export function json(
  response: ServerResponse,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** A log that shows when an issuer was found, and when and why not. */
export function foundLog(): {
  readonly log: Log
  readonly found: Promise<void>
  readonly lines: string[]
  /** Resolves when so many lines of any kind were written. */
  written(count: number): Promise<void>
} {
  const lines: string[] = []
  const waiting: { count: number; done: () => void }[] = []
  let tell = () => {}
  const found = new Promise<void>((done) => {
    tell = done
  })
  const line = (message: string, cause: unknown) => {
    lines.push(cause === undefined ? message : `${message}: ${String(cause)}`)
    for (const { count, done } of waiting) if (lines.length >= count) done()
    if (message === 'oidc: provider configuration loaded') tell()
  }
  const log: Log = {
    ...silentLog,
    error: (message, fields) => line(message, fields?.['cause']),
    warn: (message, fields) => line(message, fields?.['cause']),
    info: (message, fields) => line(message, fields?.['cause']),
  }
  const written = (count: number) =>
    new Promise<void>((done) => {
      if (lines.length >= count) done()
      else waiting.push({ count, done })
    })
  return { log, found, lines, written }
}
