/** Requests that change something when their body is whole, and a server that shows whether one did. */
import { expect } from 'vitest'
import { lineLog } from '../../src/base/log.ts'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

export const NS = '/api/v1/namespaces/default/configmaps'
const ONE = `${NS}/one`
const NAMESPACES = '/api/v1/namespaces'
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts'
const BINARY = 'application/vnd.kubernetes.protobuf'
const ENDING = 'last: "1"'
const WITNESSES = [NS, NAMESPACES, ACCOUNTS]

const yaml = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  b: "2"\n  ${ENDING}\n`
const json = (name: string) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { b: '2' } })

export interface Request {
  readonly method: string
  readonly path: string
  readonly type: string
  /** In latin1. */
  readonly body: string
}

/** Each body is whole enough without its last bytes to be taken for one: of JSON only what follows it is missing. */
export const requests: readonly Request[] = [
  { method: 'POST', path: NS, type: 'application/yaml', body: yaml('new') },
  { method: 'POST', path: NS, type: 'application/json', body: `${json('new')}\n` },
  {
    method: 'POST',
    path: NAMESPACES,
    type: BINARY,
    body: 'k8s\0\n\x0f\n\x02v1\x12\tNamespace\x12\x07\n\x05\n\x03new\x1a\0\x22\0',
  },
  { method: 'PUT', path: ONE, type: 'application/yaml', body: yaml('one') },
  { method: 'PUT', path: ONE, type: 'application/json', body: `${json('one')}\n` },
  {
    method: 'PUT',
    path: `${NAMESPACES}/default/status`,
    type: 'application/json',
    body: '{"metadata":{"name":"default"},"status":{"phase":"Active","conditions":[{"type":"a","status":"True"}]}}\n',
  },
  {
    method: 'PATCH',
    path: `${ONE}?fieldManager=m&force=true`,
    type: 'application/apply-patch+yaml',
    body: yaml('one'),
  },
  {
    method: 'PATCH',
    path: ONE,
    type: 'application/merge-patch+json',
    body: '{"data":{"a":"9"}}\n',
  },
  {
    method: 'PATCH',
    path: ONE,
    type: 'application/strategic-merge-patch+json',
    body: '{"data":{"a":"9"}}\n',
  },
  {
    method: 'PATCH',
    path: ONE,
    type: 'application/json-patch+json',
    body: '[{"op":"remove","path":"/data/a"}]\n',
  },
  {
    method: 'DELETE',
    path: ONE,
    type: 'application/json',
    body: '{"preconditions":{"uid":"other"}}\n',
  },
  { method: 'DELETE', path: ONE, type: 'application/yaml', body: 'propagationPolicy: Orphan\n' },
  {
    method: 'DELETE',
    path: ONE,
    type: BINARY,
    body: 'k8s\0\n\x13\n\x02v1\x12\rDeleteOptions\x12\x08\x12\x06\n\x04none\x1a\0\x22\0',
  },
  { method: 'DELETE', path: NS, type: 'application/yaml', body: 'dryRun:\n- All\n' },
  { method: 'DELETE', path: NS, type: 'application/json', body: '{"dryRun":["All"]}\n' },
  {
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    type: 'application/json',
    body: '{"spec":{}}\n',
  },
]

/** A server with what the requests would change. */
export class CutScene {
  readonly server: RunningServer
  readonly client: Client
  /** What was logged since all is made. */
  readonly lines: readonly string[]
  #before = ''

  private constructor(server: RunningServer, lines: readonly string[]) {
    this.server = server
    this.client = new Client(server)
    this.lines = lines
  }

  static async start(): Promise<CutScene> {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const server = await startServer({
      controllers: false,
      vocabulary: 'kubernetes',
      log: lineLog({ format: 'json', level: 0, now: () => 0, write }),
    })
    await server.settled()
    const scene = new CutScene(server, lines)
    await scene.client.post(NS, { metadata: { name: 'one' }, data: { a: '1', last: '1' } })
    lines.length = 0
    scene.#before = await scene.#witness()
    return scene
  }

  /** All objects that the requests could have changed, and the revision of the store. */
  async #witness(): Promise<string> {
    const texts = []
    for (const path of WITNESSES) texts.push((await this.client.get(path)).text)
    return texts.join('\n')
  }

  /** Expects that nothing was done since the start, and nothing is logged. */
  async expectNothing(): Promise<void> {
    expect(await this.#witness()).toBe(this.#before)
    expect(this.lines).toEqual([])
  }

  async close(): Promise<void> {
    this.client.close()
    await this.server.close()
  }
}
