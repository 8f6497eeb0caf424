/** Plain requests are answered as Node.js would answer them, and everything else is left to it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issue } from '../../pki/issue.ts'
import type { Exchange } from '../exchange.ts'
import type { Listener } from '../listen.ts'
import { Client, echo, END, isOwn, serve, timeless } from './lane.fixture.ts'

const { cert, key } = issue({
  subject: { commonName: 'server' },
  notBeforeMs: Date.now() - 60_000,
  notAfterMs: Date.now() + 3_600_000,
  use: 'authority',
})
const pair = { cert, key }

let own: Listener
/** The same, read through streams. */
let streamed: Listener
let nodes: Listener
/** For each request that arrived at the first server: whether it was read there without Node.js. */
const seen: boolean[] = []
beforeAll(async () => {
  own = await serve({
    ...pair,
    onExchange: (exchange) => {
      seen.push(isOwn(exchange))
      void echo(exchange)
    },
  })
  const onExchange = (exchange: Exchange) => void echo(exchange)
  streamed = await serve({ ...pair, onExchange, sharesReadMemory: false })
  nodes = await serve({ ...pair, onExchange, directHttp1: false })
})
afterAll(() => Promise.all([own, streamed, nodes].map((one) => one.close(0))))

const LAST = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** How long nothing comes from a server that waits for more. */
const SILENT_MS = 500

/** Sends something to all servers. Returns whether they answered: one does, and then the others have to. */
async function say(clients: readonly Client[], bytes: string, silentMs: number): Promise<boolean> {
  const before = clients.map(({ answers }) => answers)
  const hasSaid = (client: Client, i: number) => client.answers > before[i]! || client.isClosed
  for (const client of clients) client.send(bytes)
  await Promise.race(clients.map((client, i) => client.until(() => hasSaid(client, i), silentMs)))
  if (!clients.some(hasSaid)) return false
  await Promise.all(clients.map((client, i) => client.until(() => hasSaid(client, i))))
  return clients.every((client, i) => client.answers > before[i]!)
}

/**
 * Sends pieces to all servers, each when the one before was answered, and then the end, and expects the same of them.
 * Returns for each request that arrived whether it was read without Node.js.
 */
async function all(
  pieces: readonly string[],
  silentMs = SILENT_MS,
  lastMs = silentMs,
): Promise<boolean[]> {
  seen.length = 0
  const clients = await Promise.all([own, streamed, nodes].map((one) => Client.to(one)))
  let isAnswered = true
  for (const [i, piece] of pieces.entries())
    isAnswered = await say(clients, piece, i === pieces.length - 1 ? lastMs : silentMs)
  // Otherwise it would be a part of what has not come to its end.
  if (isAnswered) await say(clients, LAST, LONG_MS)
  for (const client of clients) if (!client.isClosed) client.socket.end()
  const texts = await Promise.all(clients.map((client) => client.closed()))
  const [one, other, nodesOwn] = texts.map(timeless)
  expect(one).toBe(nodesOwn)
  expect(other).toBe(nodesOwn)
  return [...seen]
}

const LONG_MS = 5_000

const request = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const get = (...lines: string[]) => request('GET /a?b=c HTTP/1.1', 'Host: a', ...lines)
const post = (body: string, ...lines: string[]) =>
  request('POST /p HTTP/1.1', 'Host: a', `Content-Length: ${body.length}`, ...lines) + body

describe('plain', () => {
  const cases: Record<string, readonly string[]> = {
    'a get': [get()],
    'all methods': ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) =>
      request(`${method} / HTTP/1.1`, 'host: a'),
    ),
    'a body': [post('{"a":1}')],
    'a body of nothing': [post('')],
    'a body of a get': [request('GET / HTTP/1.1', 'Host: a', 'Content-Length: 3') + 'abc'],
    'the longest body that is allowed': [post('x'.repeat(1_000))],
    'bodies of several lengths, and without any': [
      post('a'),
      post('bb'),
      get(),
      post('c'.repeat(100)),
      post(''),
      post('dd'),
      get(),
      get('Accept: */*'),
      get(),
    ],
    'a response in pieces': [request('GET /pieces HTTP/1.1', 'Host: a'), get()],
    'all characters of targets': [
      request(`GET /!"$%&'()*+,-./09:;<=>?@AZ[\\]^_\`az{|}~ HTTP/1.1`, 'Host: a'),
    ],
    'all characters of names': [get("!$%&'*+-.^_`|~09azAZ: x")],
    'values without a space before, and with spaces within': [get('A:b', 'C: d', 'E: f  g h')],
    'names that objects have': [get('constructor: a', 'toString: b', 'hasOwnProperty: c', '1: d')],
    'a connection that stays open': [get('Connection: keep-alive'), get('connection: Keep-Alive')],
    'many headers': [get(...Array.from({ length: 200 }, (_, i) => `X-${i}: ${i}`))],
  }
  for (const [name, pieces] of Object.entries(cases)) {
    test(name, async () => {
      const ways = await all(pieces, LONG_MS)
      expect(ways.slice(0, pieces.length)).toEqual(pieces.map(() => true))
    })
  }

  test('a head without a body is answered so', async () => {
    const head = request('HEAD /h HTTP/1.1', 'Host: a')
    expect(await all([head, get()], 100, LONG_MS)).toEqual([true, true, false])
  })

  test('a part of a body that is too large', async () => {
    expect(await all([post('x'.repeat(2_000)).slice(0, -1)])).toEqual([true])
  })

  test('a body that is too large and has come', async () => {
    const client = await Client.to(own)
    client.send(post('x'.repeat(2_000)))
    await client.until((text) => text.includes(END))
    client.send(LAST)
    expect((await client.closed()).match(/limit is|"\/last"/g)).toEqual(['limit is', '"/last"'])
  })

  test('bodies in pieces', async () => {
    const text = post('0123456789')
    for (const cut of [text.length - 10, text.length - 9, text.length - 1])
      expect(await all([text.slice(0, cut), text.slice(cut)], 30, LONG_MS)).toEqual([true, false])
  })
})

describe('not plain', () => {
  const cases: Record<string, string> = {
    'a length twice': get('Content-Length: 0', 'Content-Length: 0'),
    'two lengths': `${get('Content-Length: 1', 'Content-Length: 2')}ab`,
    'lengths in one line': `${get('Content-Length: 1, 1')}a`,
    'a length with a sign': `${get('Content-Length: +1')}a`,
    'a length with zeros before': `${get('Content-Length: 01')}a`,
    'a length in sixteens': `${get('Content-Length: 0x1')}a`,
    'a length that is none': get('Content-Length: x'),
    'an empty length': get('Content-Length:'),
    'a length with a space after': `${get('Content-Length: 1 ')}a`,
    'a length with a tab before': `${get('Content-Length:\t1')}a`,
    'a length beyond all numbers': get('Content-Length: 99999999999999999999'),
    chunks: `${request('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}1\r\na\r\n0\r\n\r\n`,
    'chunks and a length': post('0\r\n\r\n', 'Transfer-Encoding: chunked'),
    'another coding': post('abc', 'Transfer-Encoding: gzip, chunked'),
    'a coding by a name with a space': post('abc', 'Transfer-Encoding : chunked'),
    'a coding by a name with a tab': post('abc', 'Transfer-Encoding\t: chunked'),
    'a coding after a bare line feed': post('abc', 'X: y\nTransfer-Encoding: chunked'),
    'a coding after a bare carriage return': post('abc', 'X: y\rTransfer-Encoding: chunked'),
    'a coding in a folded line': post('abc', 'X: y', ' Transfer-Encoding: chunked'),
    'a folded line': get('X: y', '\tz'),
    'no host': request('GET / HTTP/1.1', 'A: b'),
    'two hosts': get('Host: b'),
    'an empty host': request('GET / HTTP/1.1', 'Host:'),
    'a header twice': get('Accept: a', 'accept: b'),
    'several cookies': get('Cookie: a', 'Cookie: b', 'Set-Cookie: c'),
    'the prototype': get('__proto__: a'),
    'an end of the connection': get('Connection: close'),
    'names in Connection': get('Connection: keep-alive, X'),
    'an upgrade': get('Connection: Upgrade', 'Upgrade: websocket'),
    'an upgrade without Connection': get('Upgrade: h2c'),
    'an expectation': post('a', 'Expect: 100-continue'),
    'another expectation': post('a', 'Expect: x'),
    'a tab in a value': get('A: b\tc'),
    'more spaces before a value': get('A:  b'),
    'spaces after a value': get('A: b  '),
    'an empty value': get('A:', 'B: '),
    'bytes beyond ASCII': get('A: \xc3\xa4\xff'),
    'a NUL': get('A: b\0c'),
    'a DEL': get('A: b\x7f'),
    'a control byte': get('A: \x01'),
    'a name that is none': get('A B: c'),
    'a name with a byte beyond ASCII': get('\xc4: c'),
    'no name': get(': c'),
    'no colon': get('abc'),
    'lines that end with line feeds': 'GET / HTTP/1.1\nHost: a\n\n',
    'a line that ends with a line feed': 'GET / HTTP/1.1\r\nHost: a\nA: b\r\n\r\n',
    'an empty line that ends with a line feed': 'GET / HTTP/1.1\r\nHost: a\r\n\n',
    'a carriage return without line feed': 'GET / HTTP/1.1\r\nHost: a\r\n\rX',
    'empty lines before': `\r\n\r\n${get()}`,
    'HTTP/1.0': request('GET / HTTP/1.0', 'Host: a'),
    'HTTP/1.2': request('GET / HTTP/1.2', 'Host: a'),
    'HTTP/11.1': request('GET / HTTP/11.1', 'Host: a'),
    'no version': request('GET /', 'Host: a'),
    'two spaces before the target': request('GET  / HTTP/1.1', 'Host: a'),
    'two spaces after the target': request('GET /  HTTP/1.1', 'Host: a'),
    'a tab for a space': request('GET\t/ HTTP/1.1', 'Host: a'),
    'a space after the version': request('GET / HTTP/1.1 ', 'Host: a'),
    'a fragment': request('GET /a#b HTTP/1.1', 'Host: a'),
    'a target beyond ASCII': request('GET /\xe4 HTTP/1.1', 'Host: a'),
    'a target with a control byte': request('GET /\x01 HTTP/1.1', 'Host: a'),
    'a target with a NUL': request('GET /\0 HTTP/1.1', 'Host: a'),
    'a whole URL': request('GET https://a/b HTTP/1.1', 'Host: a'),
    'the server itself': request('OPTIONS * HTTP/1.1', 'Host: a'),
    CONNECT: request('CONNECT a:1 HTTP/1.1', 'Host: a'),
    'another method': request('PROPFIND / HTTP/1.1', 'Host: a'),
    'a method that is none': request('GETS / HTTP/1.1', 'Host: a'),
    'a method in small letters': request('get / HTTP/1.1', 'Host: a'),
    'a request behind a request': get() + get(),
    'a request behind a body': post('abc') + get(),
    'nonsense behind a request': `${get()}nonsense\r\n\r\n`,
    'more than the length says': `${post('abc')}d`,
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a long head': get(`A: ${'b'.repeat(17_000)}`),
    'a head beyond all limits': get(`A: ${'b'.repeat(70_000)}`),
    'nothing but ends of lines': '\r\n\r\n\r\n',
  }
  for (const [name, bytes] of Object.entries(cases)) {
    test(`${name}, as the first request`, async () => {
      expect((await all([bytes])).filter((isPlain) => isPlain)).toEqual([])
    })
    test(`${name}, after a plain one`, async () => {
      const ways = await all([post('a'), bytes])
      expect(ways.filter((isPlain) => isPlain)).toEqual([true])
    })
  }

  test('heads in two pieces', async () => {
    const text = get('Accept: a')
    for (let cut = 1; cut < text.length; cut += 7) {
      const ways = await all([get(), text.slice(0, cut), text.slice(cut)], 30, LONG_MS)
      expect(ways).toEqual([true, false, false])
    }
  })
})

/** Repeatable numbers. */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

const HOSTILE = [
  '\0',
  '\t',
  '\n',
  '\r',
  '\r\n',
  ' ',
  ':',
  '0',
  ',',
  '#',
  '/',
  '\x7f',
  '\x80',
  '\xff',
  'T',
  '-',
]
const LINES = [
  'Content-Length: 1',
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Connection: close',
  'Host: b',
  'A: b',
  ' c',
  '',
]

/** A plain request that something was done to. */
function spoiled(throws: (sides: number) => number): string {
  const bases = [
    get('Accept: */*', 'User-Agent: x'),
    post('{"a":1}', 'Accept: */*'),
    post('0\r\n\r\n'),
  ]
  let bytes = bases[throws(bases.length)]!
  for (let left = 1 + throws(2); left > 0; left--) {
    const at = throws(bytes.length)
    const end = at + throws(3)
    if (throws(4) === 0) {
      const from = bytes.indexOf('\r\n', at) + 2
      bytes = `${bytes.slice(0, from)}${LINES[throws(LINES.length)]}\r\n${bytes.slice(from)}`
    } else bytes = `${bytes.slice(0, at)}${HOSTILE[throws(HOSTILE.length)]}${bytes.slice(end)}`
  }
  return bytes
}

describe('what is spoiled at random', () => {
  const AT_ONCE = 10
  for (let seed = 1; seed <= 20; seed++) {
    test(`seed ${seed}`, async () => {
      const throws = dice(seed)
      const texts = Array.from({ length: AT_ONCE }, () => spoiled(throws))
      await Promise.all(
        texts.map((text) => {
          const pieces = throws(2) === 0 ? [text] : [post('a', 'Accept: */*'), text]
          return all(pieces).catch((error: unknown) => {
            throw new Error(`different after ${JSON.stringify(pieces)}`, { cause: error })
          })
        }),
      )
    })
  }
})
