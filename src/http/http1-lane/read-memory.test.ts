/** Connections that share the memory they are read into. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, createServer, type Server, type TLSSocket } from 'node:tls'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { issue } from '../../pki/issue.ts'
import { ReadMemory } from './read-memory.ts'

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})

let server: Server
let accepted: TLSSocket[]
let clients: Socket[]
beforeEach(async () => {
  accepted = []
  clients = []
  server = createServer({ cert, key, allowHalfOpen: true }, (socket) => {
    socket.on('error', () => {})
    accepted.push(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(() => {
  for (const client of clients) client.destroy()
  for (const socket of accepted) socket.destroy()
  server.close()
})

/** A connection: both of its ends, and what it is over. */
async function pair(): Promise<{ at: TLSSocket; client: TLSSocket; below: Socket }> {
  const { port } = server.address() as { port: number }
  const below = connect(port, '127.0.0.1').on('error', () => {})
  const client = connectTls({ socket: below, rejectUnauthorized: false }).on('error', () => {})
  clients.push(client, below)
  await once(client, 'secureConnect')
  await expect.poll(() => accepted.length).toBeGreaterThan(0)
  return { at: accepted.pop()!, client, below }
}

const text = (length: number, of: string) => of.repeat(length)

test('what connections receive comes in their order, in the same memory', async () => {
  const memory = new ReadMemory()
  const pairs = [await pair(), await pair()]
  const received = ['', '']
  const places = new Set<ArrayBufferLike>()
  for (const [i, { at }] of pairs.entries())
    expect(
      memory.serve(at, (bytes) => {
        received[i] += bytes.toString('latin1')
        places.add(bytes.buffer)
      }),
    ).toBe(true)
  const sent = [3, 40_000, 3, 5, 16_384, 1].map((length, i) => text(length, 'abcdef'[i]!))
  for (const piece of sent) {
    for (const { client } of pairs) client.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await expect.poll(() => received.map(({ length }) => length)).toEqual([56_396, 56_396])
  expect(received).toEqual([sent.join(''), sent.join('')])
  expect(places.size).toBe(1)
})

test('nothing more is read while a connection is paused', async () => {
  const { at, client } = await pair()
  let count = 0
  new ReadMemory().serve(at, (bytes) => {
    count += bytes.length
    at.pause()
  })
  client.write(text(4 << 20, 'a'))
  await expect.poll(() => count).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  // Of what was received from the system at once, nothing is left in the connection.
  expect(count).toBeLessThanOrEqual(256 << 10)
  at.pause = () => at
  at.resume()
  await expect.poll(() => count, { timeout: 10_000 }).toBe(4 << 20)
})

for (const [name, go, code] of [
  ['ends', ({ client }) => void client.end(), null],
  ['closes', ({ client }) => void client.destroy(), null],
  ['goes without saying so', ({ below }) => void below.end(), null],
  ['resets it', ({ below }) => void below.resetAndDestroy(), 'ECONNRESET'],
] as readonly (readonly [
  string,
  (ends: Awaited<ReturnType<typeof pair>>) => void,
  string | null,
])[])
  test(`a client that ${name} is noticed`, async () => {
    const ends = await pair()
    const { at } = ends
    let found: string | null = null
    at.on('error', (error: NodeJS.ErrnoException) => (found = error.code ?? ''))
    at.on('end', () => at.end())
    const closed = new Promise((resolve) => at.once('close', resolve))
    expect(new ReadMemory().serve(at, () => {})).toBe(true)
    go(ends)
    await closed
    expect(found).toBe(code)
  })

test('a connection that is left has a stream as others', async () => {
  const memory = new ReadMemory()
  const [one, other] = [await pair(), await pair()]
  let direct = ''
  memory.serve(one.at, (bytes) => (direct += bytes.toString('latin1')))
  memory.serve(other.at, () => {})
  one.client.write('first')
  await expect.poll(() => direct).toBe('first')
  one.at.pause()
  memory.leave(one.at)
  one.client.write(text(4 << 20, 'b'))
  one.client.end()
  const chunks: Buffer[] = []
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(one.at.readableLength).toBeLessThan(1 << 20)
  one.at.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    other.client.write('x')
  })
  one.at.resume()
  await once(one.at, 'end')
  expect(Buffer.concat(chunks).equals(Buffer.alloc(4 << 20, 'b'))).toBe(true)
  expect(direct).toBe('first')
})

test('a connection that has received something already is not served', async () => {
  const { at, client } = await pair()
  at.read(0)
  client.write('early')
  await expect.poll(() => at.readableLength).toBe(5)
  expect(new ReadMemory().serve(at, () => {})).toBe(false)
  expect(at.read().toString()).toBe('early')
})

test('a connection is not served without the parts of Node.js that this takes', async () => {
  const { at } = await pair()
  const known = Object.getOwnPropertySymbols(at).filter((one) => one.description !== 'kBufferCb')
  const without = Object.defineProperties(
    Object.create(Object.getPrototypeOf(at) as object) as TLSSocket,
    Object.fromEntries(known.map((one) => [one, { value: null, writable: true }])),
  )
  Object.assign(without, { _handle: { useUserBuffer: () => expect.fail('it was called') } })
  Object.defineProperty(without, 'readableLength', { value: 0 })
  expect(new ReadMemory().serve(without, () => {})).toBe(false)
  const gone = await pair()
  gone.at.destroy()
  await once(gone.at, 'close')
  expect(new ReadMemory().serve(gone.at, () => {})).toBe(false)
})
