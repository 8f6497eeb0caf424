/** Many long answers at one time over HTTP/2, to clients that read and to some that stop: every byte is right. */
import { connect, type ClientHttp2Session } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

const NS = '/api/v1/namespaces/default/configmaps'

let server: RunningServer
let client: Client
const texts = new Map<string, string>()
beforeAll(async () => {
  server = await startServer({ controllers: false })
  client = new Client(server)
  for (let i = 0; i < 60; i++) {
    const data = { a: String.fromCharCode(33 + i).repeat(1_000 * (i % 40)) }
    await client.post(NS, { metadata: { name: `m${i}`, labels: { third: String(i % 3) } }, data })
  }
  const paths = [NS, `${NS}?labelSelector=third=1`, `${NS}?limit=20`, `${NS}/m39`, `${NS}/m1`]
  for (const path of paths) texts.set(path, (await client.get(path)).text)
})
afterAll(async () => {
  client.close()
  await server.close()
})

const read = (name: string) =>
  Buffer.from(new RegExp(`${name}: (\\S+)`).exec(server.kubeconfig)![1]!, 'base64')

const open = (initialWindowSize: number): ClientHttp2Session =>
  connect(server.url, {
    ca: server.ca,
    cert: read('client-certificate-data'),
    key: read('client-key-data'),
    settings: { initialWindowSize },
  })

function ask(session: ClientHttp2Session, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path })
    const pieces: Buffer[] = []
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.once('end', () => resolve(Buffer.concat(pieces).toString()))
    stream.once('error', reject)
  })
}

for (const window of [1_000, 65_535, 1 << 20]) {
  test(`over windows of ${window} bytes`, async () => {
    const sessions = [open(window), open(window), open(window)]
    // Its answers wait for ever, in memory that must not be used for others.
    const stopped = open(window)
    for (let i = 0; i < 10; i++) stopped.request({ ':path': NS }).pause()
    const asked = Array.from({ length: 90 }, async (_, i) => {
      const [path, text] = [...texts][i % texts.size]!
      // Compared as a whole: a difference would be printed, which takes minutes.
      expect((await ask(sessions[i % 3]!, path)) === text, `${path} of ${i}`).toBe(true)
    })
    await Promise.all(asked)
    for (const session of [...sessions, stopped]) session.destroy()
  })
}
