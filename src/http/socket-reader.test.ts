/** Busy connections that are read in turns: real sockets of one process, so all requests of a step are ready at once. */
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ConnectionCertificates } from '../authn/connection-certificate.ts'
import { systemClock } from '../base/clock.ts'
import { silentLog } from '../base/log.ts'
import { ReadTurns } from '../flowcontrol/read-turns.ts'
import { issue } from '../pki/issue.ts'
import { Connections } from './connections.ts'
import type { Exchange } from './exchange.ts'
import { listen, type Listener } from './listen.ts'

const CLIENTS = 24
const CONTENDED = 2

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})
const connections = new Connections({ clock: systemClock, log: silentLog })
let turns: ReadTurns
/** Ends iterations when the test says so; null: they end on their own. */
let steps: (() => void)[] | null = null
/** Requests of each iteration. */
let counts: number[] = []
let listener: Listener
let clients: Client[] = []

afterEach(async () => {
  turns.close()
  for (const { socket } of clients.splice(0)) socket.destroy()
  await expect.poll(() => connections.counts.open).toBe(0)
})

async function answer(exchange: Exchange): Promise<void> {
  counts[counts.length - 1]!++
  const [, what = '', name = ''] = exchange.target.split('/')
  if (what === 'exempt') exchange.readAlways()
  else exchange.readInTurn(turns, 'busy')
  if (what === 'pieces') {
    const out = exchange.open(200, [])
    out.write(Buffer.from(name))
    out.end()
  } else if (what === 'body') {
    exchange.send(200, [], await exchange.readBody(100, null))
  } else {
    if (what === 'last') exchange.endConnection()
    exchange.send(200, [], name)
  }
}

class Client {
  readonly socket: TLSSocket
  text = ''
  isClosed = false

  constructor() {
    this.socket = connect({ port: listener.port, rejectUnauthorized: false })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text: string) => (this.text += text))
    this.socket.on('close', () => (this.isClosed = true))
    this.socket.on('error', () => {})
  }

  send(target: string, body?: string): void {
    const head = body === undefined ? '' : `Content-Length: ${body.length}\r\n`
    this.socket.write(
      `${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1\r\nHost: a\r\n${head}\r\n`,
    )
  }

  /** Bodies of the responses that have come. */
  get answers(): string[] {
    return this.text
      .split(/HTTP\/1\.1 200 OK\r\n/)
      .slice(1)
      .map((answer) => {
        const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s)
        return head.includes('chunked')
          ? (/^\w+\r\n(.*)\r\n0\r\n\r\n$/s.exec(body)?.[1] ?? '')
          : body
      })
  }
}

/** Connections that have been used, one after the other, and none of which is held. */
async function open(): Promise<void> {
  steps = null
  counts = [0]
  turns = new ReadTurns({
    isContended: () => true,
    nextIteration: (call) => {
      counts.push(0)
      if (steps === null) setImmediate(call)
      else steps.push(call)
    },
    contended: CONTENDED,
  })
  clients = Array.from({ length: CLIENTS }, () => new Client())
  for (const client of clients) {
    if (client.socket.connecting) await once(client.socket, 'secureConnect')
    client.send('/first/0')
    await expect.poll(() => client.answers, { interval: 1 }).toEqual(['0'])
    client.text = ''
  }
  counts = [0]
}

const allAnswered = (expected: (i: number) => string[]) =>
  expect
    .poll(() => clients.map(({ answers }) => answers), { interval: 1 })
    .toEqual(clients.map((_, i) => expected(i)))

for (const directHttp1 of [true, false]) {
  describe(directHttp1 ? 'plain requests read here' : 'all requests read by Node.js', () => {
    beforeAll(async () => {
      listener = await listen({
        bindAddress: '127.0.0.1',
        port: 0,
        cert,
        key,
        clientCa: cert,
        connections,
        certificates: new ConnectionCertificates(),
        onExchange: (exchange) => void answer(exchange),
        directHttp1,
        onFault: (error) => {
          throw error
        },
      })
    })
    afterAll(() => listener.close(0))

    for (const { name, send, expected } of [
      {
        name: 'a response at once',
        send: (c, i) => c.send(`/at-once/${i}`),
        expected: (i) => [`${i}`],
      },
      {
        name: 'a response in pieces',
        send: (c, i) => c.send(`/pieces/${i}`),
        expected: (i) => [`${i}`],
      },
      {
        name: 'requests in a row',
        send: (c, i) => {
          for (const part of ['x', 'y', 'z']) c.send(`/at-once/${part}${i}`)
        },
        expected: (i) => [`x${i}`, `y${i}`, `z${i}`],
      },
      {
        name: 'a body that comes later',
        send: (c, i) => {
          c.send('/body', `body-${i}`)
          setImmediate(() => c.socket.write(`body-${i}`))
        },
        expected: (i) => [`body-${i}`],
      },
    ] as {
      name: string
      send: (client: Client, i: number) => void
      expected: (i: number) => string[]
    }[]) {
      test(`all busy connections are answered: ${name}`, async () => {
        await open()
        for (let round = 0; round < 3; round++) {
          for (const [i, client] of clients.entries()) send(client, i)
          await allAnswered(expected)
          for (const client of clients) client.text = ''
        }
        await expect.poll(() => turns.held).toBe(0)
      })
    }

    test('an iteration takes a few requests only', async () => {
      await open()
      for (const [i, client] of clients.entries()) client.send(`/at-once/${i}`)
      await allAnswered((i) => [`${i}`])
      expect(counts.reduce((sum, count) => sum + count)).toBe(CLIENTS)
      expect(Math.max(...counts)).toBeLessThanOrEqual(CONTENDED)
    })

    /** Sends on all connections, and stops when the first requests were read. */
    async function hold(): Promise<void> {
      await open()
      steps = []
      for (const [i, client] of clients.entries()) client.send(`/at-once/${i}`)
      await expect.poll(() => turns.held).toBe(CLIENTS)
    }

    /** Ends iterations until none is held. */
    async function go(): Promise<void> {
      const waiting = steps!.splice(0)
      steps = null
      for (const step of waiting) step()
      await expect.poll(() => turns.held).toBe(0)
    }

    test('clients that go while they are held are noticed at their turn', async () => {
      await hold()
      for (const [i, { socket }] of clients.entries()) {
        if (i % 2 === 0) socket.destroy()
        else if (i % 3 === 0) socket.end()
      }
      await go()
      const left = clients.filter((_, i) => i % 2 === 1 && i % 3 !== 0).length
      await expect.poll(() => connections.counts.open).toBe(left)
    })

    test('connections that the server closes while they are held are forgotten', async () => {
      await hold()
      listener.endIdle()
      await expect.poll(() => clients.every(({ isClosed }) => isClosed)).toBe(true)
      await expect.poll(() => connections.counts.open).toBe(0)
      expect(turns.held).toBe(0)
    })

    test('a connection of a request that never waits is not held', async () => {
      await open()
      for (const [i, client] of clients.entries()) client.send(`/exempt/${i}`)
      await allAnswered((i) => [`${i}`])
      expect(turns.held).toBe(0)
      for (const client of clients) client.text = ''
      steps = []
      for (const [i, client] of clients.entries()) client.send(`/exempt/${i}`)
      await allAnswered((i) => [`${i}`])
    })

    test('held connections are read when the server ends', async () => {
      await hold()
      turns.close()
      await allAnswered((i) => [`${i}`])
    })

    test('a connection ends with its last response', async () => {
      await open()
      for (const [i, client] of clients.entries()) client.send(`/last/${i}`)
      await allAnswered((i) => [`${i}`])
      await expect.poll(() => clients.every(({ isClosed }) => isClosed)).toBe(true)
    })
  })
}
