/** The webhooks and the extension server of a suite: real servers on this machine, as the suite's own program has them. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { issue } from '../../src/pki/issue.ts'
import type { Issued } from '../../src/pki/subject.ts'

const HOUR_MS = 3_600_000

/** JSON of any shape. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read documents of every shape
export type Json = any

const times = () => ({ notBeforeMs: Date.now() - HOUR_MS, notAfterMs: Date.now() + HOUR_MS })

/** Serving certificates whose own text is the bundle: neither is an authority. */
export const certificates: Readonly<Record<string, (...hosts: string[]) => Issued>> = {
  'signed by an authority that is in no bundle': (...hosts) =>
    issue({
      subject: { commonName: hosts[0]! },
      ...times(),
      use: 'server',
      hosts,
      issuer: issue({ subject: { commonName: 'tiny' }, ...times(), use: 'authority' }),
    }),
  'signed by itself': (...hosts) =>
    issue({ subject: { commonName: hosts[0]! }, ...times(), use: 'server', hosts }),
}

/** A server over HTTPS that answers each path with a document. */
export class HttpsServer {
  /** Paths that were asked for, with their bodies. */
  readonly asked: { readonly path: string; readonly body: Json }[] = []
  readonly caBundle: string
  readonly #server: Server

  private constructor(server: Server, cert: string) {
    this.#server = server
    this.caBundle = Buffer.from(cert).toString('base64')
  }

  static async start(
    certificate: Issued,
    answers: (path: string, body: Json) => Json,
  ): Promise<HttpsServer> {
    const server = createServer(certificate)
    const started = new HttpsServer(server, certificate.cert)
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.once('end', () => {
        const text = Buffer.concat(parts).toString()
        const body = text === '' ? null : (JSON.parse(text) as Json)
        // Webhooks are asked with a timeout.
        const path = request.url!.replace(/\?.*/s, '')
        started.asked.push({ path, body })
        const answer = answers(path, body)
        response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer ?? {}))
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return started
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** What a configuration says of it, as the Go test environment rewrites it: it adds a slash before the path. */
  clientConfig(path: string) {
    return { url: `https://127.0.0.1:${this.port}/${path}`, caBundle: this.caBundle }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
