/** A server of two kinds that does what is asked of it, but for one fault: for tests of the run that looks for faults. */
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { isDeepStrictEqual } from 'node:util'
import { load } from 'js-yaml'
import { issue } from '../../src/pki/issue.ts'
import { vocabularies } from '../../src/vocabulary/index.ts'
import { protobufForm } from '../protobuf/form.ts'
import type { FindingClass } from './findings.ts'
import { shown } from './identities.ts'
import type { Memory, Subject } from './subject.ts'

const form = protobufForm(vocabularies.kubernetes)
const GROUP = 'rbac.authorization.k8s.io'

interface Stored {
  kind: string
  metadata: { name: string; resourceVersion?: string; uid?: string }
}

/** Requests after which a fault that is no property of an answer shows. */
const LATE = 60

export class FaultyServer implements Subject {
  readonly name = 'faulty'
  where = { port: 0, ca: '', cert: '', key: '' }
  death: string | null = null
  readonly #fault: FindingClass | null
  readonly #objects = new Map<string, Stored>()
  readonly #log: string[] = []
  #revision = 1
  #requests = 0
  #memory = 1 << 20
  #close = () => {}

  private constructor(fault: FindingClass | null) {
    this.#fault = fault
  }

  static async start(fault: FindingClass | null): Promise<FaultyServer> {
    const server = new FaultyServer(fault)
    const nowMs = Date.now()
    const { cert, key } = issue({
      subject: { commonName: 'localhost' },
      notBeforeMs: nowMs - 60_000,
      notAfterMs: nowMs + 3_600_000,
      use: 'server',
      hosts: ['localhost', '127.0.0.1'],
    })
    const listener = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) =>
      server.#take(request, response),
    )
    const sockets = new Set<{ destroy(): void }>()
    listener.on('secureConnection', (socket) => sockets.add(socket))
    listener.on('sessionError', () => {})
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as { port: number }
    server.where = { port, ca: cert, cert, key }
    server.#close = () => {
      for (const socket of sockets) socket.destroy()
      listener.close()
    }
    return server
  }

  takeLog(): string[] {
    return this.#log.splice(0)
  }

  memory(): Promise<Memory> {
    if (this.#fault === 'memory') this.#memory += 10 << 20
    const heapUsed = this.#memory
    return Promise.resolve({ heapUsed, external: 0, arrayBuffers: 0, rss: 0, longestTurnMs: 0 })
  }

  close(): Promise<void> {
    this.#close()
    return Promise.resolve()
  }

  #take(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const pieces: Buffer[] = []
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => this.#answer(request, response, Buffer.concat(pieces)))
  }

  #answer(request: Http2ServerRequest, response: Http2ServerResponse, bytes: Buffer): void {
    if (++this.#requests > LATE) this.#lateFault()
    const { method, url } = request
    const path = decodeURIComponent(url.split('?')[0]!)
    const at = OBJECT.exec(path)
    if (this.#fault === 'silence' && method === 'PUT') return void request.socket.destroy()
    if (this.#fault === 'connection' && method === 'PUT' && request.httpVersion === '2.0')
      return response.stream.close(2)
    const send = (status: number, value: object) => this.#send(request, response, { status, value })
    const refuse = (code: number, message: string) => {
      const told = this.#fault === 'status' && code === 404 ? 400 : code
      send(code, { ...STATUS, status: 'Failure', message, code: told })
    }
    if (path === '/readyz') return void response.end('ok')
    const document = documents[url.split('?')[0]!]
    if (document && method === 'GET') return send(200, document)
    if (!at) return refuse(404, 'no such path')
    const [, collection = '', name] = at
    const isWrite = method !== 'GET'
    if (isWrite && this.#fault !== 'permission' && !mayWrite(request)) {
      if (this.#fault === 'change') this.#touch([...this.#objects.keys()][0]!)
      return refuse(403, 'not for you')
    }
    if (this.#fault === 'error' && method === 'PUT') return refuse(500, 'something is wrong')
    if (this.#fault === 'panic' && method === 'PUT')
      return refuse(500, 'This request caused apiserver to panic.')
    if (name === undefined && method === 'GET') {
      const items = [...this.#objects].filter(
        ([key]) => key.startsWith(collection) || collection.endsWith('v1/configmaps'),
      )
      const kind = `${kindOf(path)}List`
      return send(200, {
        kind,
        apiVersion: 'v1',
        metadata: {},
        items: items.map(([, item]) => item).filter((item) => `${item.kind}List` === kind),
      })
    }
    const key = name === undefined ? null : `${collection}/${name}`
    const old = key === null ? undefined : this.#objects.get(key)
    if (key !== null && !old) return refuse(404, 'not there')
    if (method === 'GET') return send(200, old!)
    if (method === 'DELETE' && key !== null) {
      this.#objects.delete(key)
      return send(200, { ...STATUS, status: 'Success' })
    }
    if (method !== 'PUT' && method !== 'POST') return refuse(405, 'not that')
    const object = bodyOf(request, bytes)
    if (!object || object.kind !== kindOf(path)) return refuse(400, 'no object')
    const own = object.metadata.name
    if (typeof own !== 'string' || !/^[a-z0-9.-]{1,60}$/.test(own)) return refuse(422, 'no name')
    if (key !== null && own !== name) return refuse(400, 'another name')
    const target = `${collection}/${own}`
    if (key === null && this.#objects.has(target)) return refuse(409, 'there already')
    const made = {
      ...object,
      metadata: {
        name: own,
        uid: `u-${own}`,
        resourceVersion: old?.metadata.resourceVersion ?? '0',
      },
    }
    if (collection.includes('/namespaces/'))
      Object.assign(made.metadata, { namespace: collection.split('/')[4] })
    const isSame = this.#fault !== 'round trip' && isDeepStrictEqual(made, old)
    if (!isSame) made.metadata.resourceVersion = String(++this.#revision)
    this.#objects.set(target, made)
    send(key === null ? 201 : 200, made)
  }

  #touch(key: string): void {
    const object = this.#objects.get(key)
    if (object) object.metadata.resourceVersion = String(++this.#revision)
  }

  #lateFault(): void {
    if (this.#fault === 'log') this.#log.push('{"level":"error","msg":"a controller fell"}')
    if (this.#fault === 'death') this.death = 'the server ended with 1'
    if (this.#fault === 'witness')
      for (const key of this.#objects.keys()) if (key.includes('witness')) this.#touch(key)
  }

  #send(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    { status, value }: { readonly status: number; readonly value: object },
  ): void {
    const accept = String(request.headers.accept)
    const { kind } = value as Stored
    let type = /^application\/(json|yaml)$/.test(accept) ? accept : 'application/json'
    let body: Buffer = Buffer.from(JSON.stringify(value))
    if (accept === form.type && (kind === 'ConfigMap' || kind === 'Namespace')) {
      type = accept
      body = form.write(value)
    }
    const isList = kind.endsWith('MapList')
    if (this.#fault === 'list' && isList && accept === 'application/yaml') body = Buffer.from('{')
    if (this.#fault === 'unreadable' && status === 404) body = body.subarray(0, 9)
    response.writeHead(status, { 'content-type': type, 'content-length': body.length })
    response.end(body)
  }
}

const OBJECT =
  /^(\/api\/v1\/(?:namespaces|configmaps|namespaces\/[^/]+\/configmaps))(?:\/([^/]+))?$/
const STATUS = { kind: 'Status', apiVersion: 'v1', metadata: {} }
const kindOf = (path: string): string => (path.includes('/configmaps') ? 'ConfigMap' : 'Namespace')

/** Who has the administrator's token and speaks for nobody else. Certificates are not looked at. */
const mayWrite = ({ headers }: Http2ServerRequest): boolean =>
  headers['impersonate-user'] === undefined &&
  shown.administrator.some(([, value]) => headers.authorization === value)

function bodyOf({ headers }: Http2ServerRequest, bytes: Buffer): Stored | null {
  try {
    const type = headers['content-type']
    const value = (
      type === form.type
        ? form.read(bytes)
        : type === 'application/yaml'
          ? load(bytes.toString())
          : JSON.parse(bytes.toString())
    ) as Stored | null
    if (typeof value?.metadata !== 'object' || value.metadata === null) return null
    // What is kept has every form.
    return form.read(form.write(value)) as Stored
  } catch {
    return null
  }
}

const REF = (kind: string) => ({ $ref: `#/definitions/${kind}` })
const operation = (kind: string, action: string, more: object = {}) => ({
  consumes: ['*/*'],
  produces: ['application/json'],
  'x-kubernetes-action': action,
  'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind },
  ...more,
})
const body = (kind: string) => ({ parameters: [{ in: 'body', name: 'body', schema: REF(kind) }] })
const CONFIG_MAPS = '/api/v1/namespaces/{namespace}/configmaps'

/** What it publishes of itself. */
const documents: Readonly<Record<string, object>> = {
  '/apis': { kind: 'APIGroupList', groups: [{ name: GROUP, versions: [] }] },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [
      {
        name: 'configmaps',
        namespaced: true,
        kind: 'ConfigMap',
        verbs: ['create', 'get', 'list', 'update', 'delete'],
      },
      {
        name: 'namespaces',
        namespaced: false,
        kind: 'Namespace',
        verbs: ['create', 'get', 'list', 'update', 'delete'],
      },
    ],
  },
  '/openapi/v3': { kind: 'Index', paths: {} },
  '/openapi/v2': {
    kind: 'Document',
    paths: {
      [CONFIG_MAPS]: {
        get: operation('ConfigMap', 'list'),
        post: operation('ConfigMap', 'post', body('ConfigMap')),
      },
      [`${CONFIG_MAPS}/{name}`]: {
        parameters: [{ in: 'path', name: 'name' }],
        get: operation('ConfigMap', 'get'),
        put: operation('ConfigMap', 'put', body('ConfigMap')),
        delete: operation('ConfigMap', 'delete'),
      },
    },
    definitions: {
      ConfigMap: {
        type: 'object',
        properties: {
          kind: { type: 'string' },
          apiVersion: { type: 'string' },
          metadata: { type: 'object' },
          data: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
    },
  },
}
