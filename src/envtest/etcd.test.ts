import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Client, credentials, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test, test as vitestTest, vi } from 'vitest'
import { freePort, untilRefused } from '../../test/ports.ts'
import { isMarked, objectsDir } from './data-folder.ts'
import { planEtcd, runEtcd } from './etcd.ts'
import { findStore } from './find-store.ts'
import { INTERPRETER, INTERPRETER_IS_THERE, WAITER } from './waiter.ts'
import { dropIn } from '../vocabulary/index.ts'

const dir = mkdtempSync(join(tmpdir(), 'etcd-part-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** A run of the program. */
function run(...args: string[]) {
  const said = { out: '', err: '' }
  let end = () => {}
  const code = runEtcd(args, {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    onEnd: (call) => (end = call),
  })
  return { said, code, end: () => end() }
}

interface Answer {
  readonly status: number | undefined
  readonly body: string
}
const ask = (port: number, path: string, method = 'GET') =>
  new Promise<Answer>((resolve, reject) => {
    request({ port, path, method, host: '127.0.0.1', agent: false }, (response) => {
      let body = ''
      response.on('data', (part: Buffer) => (body += part.toString()))
      response.once('end', () => resolve({ status: response.statusCode, body }))
    })
      .once('error', reject)
      .end()
  })

describe('what ends at once', () => {
  const used = join(dir, 'used')
  mkdirSync(join(used, 'member'), { recursive: true })
  const file = join(dir, 'file')
  writeFileSync(file, '')
  for (const { name, args, code = 1, out = '', err = '' } of [
    { name: 'the version', args: ['--version'], code: 0, out: 'etcd Version: 3.5.4\n' },
    {
      name: 'a flag that neither knows',
      args: ['--unsafe-no-fsink'],
      err: 'etcd: unknown flag: --unsafe-no-fsink (did you mean --unsafe-no-fsync?)\nSee etcd --help.\n',
    },
    {
      name: 'a wrong value',
      args: ['--unsafe-no-fsync=perhaps'],
      err: 'etcd: --unsafe-no-fsync must be true or false, not "perhaps"\nSee etcd --help.\n',
    },
    ...['https://127.0.0.1:2379', 'unix://a', '127.0.0.1:2379', 'http://127.0.0.1:1/a'].map(
      (url) => ({
        name: `listening at ${url}`,
        args: [`--listen-client-urls=${url}`],
        err: `etcd: --listen-client-urls "${url}" cannot be served; give one such as http://127.0.0.1:2379\n`,
      }),
    ),
    {
      name: 'the data directory of an etcd',
      args: ['--data-dir', used],
      err: `etcd: data directory ${used} is that of an etcd, whose objects cannot be read; choose another with --data-dir\n`,
    },
    {
      name: 'a data directory that is a file',
      args: ['--data-dir', file],
      err: `etcd: data directory ${file} cannot be used: a part of the path is not a folder\n`,
    },
  ]) {
    test(name, async () => {
      const { code: ended, said } = run(...args)
      expect([await ended, said]).toEqual([code, { out, err }])
    })
  }
})

test('the help has a line for each flag', async () => {
  const { code, said } = run('--help')
  expect(await code).toBe(0)
  for (const flag of ['unsafe-no-fsync', 'data-dir', 'listen-peer-urls', 'snapshot-count'])
    expect(said.out).toMatch(new RegExp(`^\\s*--${flag}\\b`, 'm'))
})

/** Starts the smaller program that waits in the place of this one, as the script does. */
async function runPlanned(file: string, ...args: string[]) {
  const said = { out: '', err: '' }
  let plan = ''
  const around = {
    out: (text: string) => void (said.out += text),
    err: (text: string) => void (said.err += text),
    onEnd: () => {},
  }
  expect(await planEtcd(args, around, (text) => (plan = text))).toBe(0)
  writeFileSync(file, `#!/bin/sh\nexit 1\n${WAITER}`)
  const env = { PATH: process.env.PATH, [dropIn.planVariable]: plan }
  const child = spawn(INTERPRETER, ['-x', file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.on('data', (data: Buffer) => (said.out += data.toString()))
  child.stderr.on('data', (data: Buffer) => (said.err += data.toString()))
  const code = once(child, 'close').then(([ended]) => ended as number | null)
  return { said, code, end: () => void child.kill() }
}

const hasInterpreter = spawnSync('/bin/sh', ['-c', INTERPRETER_IS_THERE]).status === 0

describe.each([
  { name: 'the program', isThere: true, start: (_: string, ...args: string[]) => run(...args) },
  { name: 'what waits in its place', isThere: hasInterpreter, start: runPlanned },
])('a running one: $name', ({ name, isThere, start }) => {
  const file = join(dir, `script of ${name}`)
  const dataDir = join(dir, name, 'b')
  let port = 0
  let part: Awaited<ReturnType<typeof start>>
  beforeAll(async () => {
    if (!isThere) return
    port = await freePort()
    // One dash is enough for its original.
    part = await start(
      file,
      `-data-dir=${dataDir}`,
      `--listen-client-urls=http://127.0.0.1:${port}`,
      '--snapshot-count=100',
      '--quota-backend-bytes',
      '5',
    )
    expect(await findStore(`http://127.0.0.1:${port}`)).toMatchObject({ dataDir })
  })
  afterAll(async () => {
    if (!isThere) return
    part.end()
    expect(await part.code).toBe(0)
    await untilRefused(port)
    await expect(findStore(`http://127.0.0.1:${port}`, { patienceMs: 100 })).rejects.toThrow(
      /ECONNREFUSED/,
    )
  })
  const test = vitestTest.skipIf(!isThere)

  test('warns once', () => {
    expect(part.said.err).toBe(
      'etcd: accepted without effect: --snapshot-count, --quota-backend-bytes\n',
    )
  })

  for (const { path, method = 'GET', code = 200, body } of [
    { path: '/health', body: '{"health":"true","reason":""}' },
    { path: '/health?serializable=true', body: '{"health":"true","reason":""}' },
    { path: '/version', body: '{"etcdserver":"3.5.4","etcdcluster":"3.5.0"}' },
    { path: '/health', method: 'POST', code: 405, body: 'Method Not Allowed\n' },
    { path: '/health', method: 'HEAD', code: 405, body: '' },
    { path: '/metrics', code: 404, body: '404 page not found\n' },
  ]) {
    test(`${method} ${path}`, async () =>
      expect(await ask(port, path, method)).toEqual({ status: code, body }))
  }

  test('answers while others say nothing, and what comes in parts', async () => {
    const silent = connect(port, '127.0.0.1')
    const parts = connect(port, '127.0.0.1')
    await Promise.all([once(silent, 'connect'), once(parts, 'connect')])
    parts.write('GET /hea')
    expect(await ask(port, '/health')).toMatchObject({ status: 200 })
    parts.write('lth HTTP/1.1\r\nhost: a\r\n\r\n')
    const [answer] = (await once(parts, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    silent.destroy()
    parts.destroy()
  })

  describe('a client of a real etcd', () => {
    const told = 'this is a stand-in for etcd, which stores nothing; start a real etcd'
    const line = (speech: string) =>
      `etcd: a client of etcd speaks ${speech} to this stand-in, which stores nothing: it gets errors; start a real etcd for it\n`
    const linesOf = (speech: string) => part.said.err.split(line(speech)).length - 1

    test('gets an error at once by gRPC, for every call', async () => {
      const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
      const pass = (value: Buffer) => value
      const call = () =>
        new Promise<unknown>((resolve) => {
          const path = '/etcdserverpb.KV/Range'
          const body = Buffer.from([0x0a, 1, 0x61])
          client.makeUnaryRequest(path, pass, pass, body, (error) => resolve(error))
        })
      for (let i = 0; i < 3; i++)
        expect(await call()).toMatchObject({ code: status.UNIMPLEMENTED, details: told })
      const watch = client.makeBidiStreamRequest('/etcdserverpb.Watch/Watch', pass, pass)
      const [error] = (await once(watch, 'error')) as [unknown]
      expect(error).toMatchObject({ code: status.UNIMPLEMENTED, details: told })
      client.close()
      await vi.waitFor(() => expect(linesOf('gRPC')).toBe(1))
    })

    test('may ping, and send its preface in parts', async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
      socket.write(preface.slice(0, 7))
      expect(await ask(port, '/health')).toMatchObject({ status: 200 })
      socket.write(preface.slice(7))
      socket.write(Buffer.from('0000000400000000000000080600000000000102030405060708', 'hex'))
      const expected = Buffer.from(
        // Settings, their acknowledgement, and that of the ping.
        '0000000400000000000000000401000000000000080601000000000102030405060708',
        'hex',
      )
      const seen: Buffer[] = []
      socket.on('data', (bytes: Buffer) => void seen.push(bytes))
      await vi.waitFor(() =>
        expect(Buffer.concat(seen).toString('hex')).toBe(expected.toString('hex')),
      )
      socket.destroy()
    })

    test('is cut off with a frame that is too large, and after many', async () => {
      const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
      const ping = Buffer.from('0000080600000000000102030405060708', 'hex')
      for (const frames of [
        Buffer.from('004001000000000001', 'hex'),
        Buffer.concat(Array.from({ length: 101 }, () => ping)),
      ]) {
        const socket = connect(port, '127.0.0.1')
        socket.resume().on('error', () => {})
        socket.write(Buffer.concat([preface, frames]))
        await once(socket, 'close')
      }
      expect(await ask(port, '/health')).toMatchObject({ status: 200 })
    })

    for (const path of ['/v3/kv/range', '/v3beta/kv/put', '/v2/keys/a?recursive=true']) {
      test(`gets an error by HTTP: ${path}`, async () => {
        const body = JSON.stringify({ error: told, code: 12, message: told })
        expect(await ask(port, path, 'POST')).toEqual({ status: 501, body })
        expect(await ask(port, path)).toEqual({ status: 501, body })
        await vi.waitFor(() => expect(linesOf('HTTP')).toBe(1))
      })
    }

    test('gets an alert by TLS', async () => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
      expect(error.message).toMatch(/handshake failure/)
      await vi.waitFor(() => expect(linesOf('TLS')).toBe(1))
    })
  })

  test('marks its data directory', async () => {
    const { body } = await ask(port, '/orch/data-dir')
    const folder: unknown = JSON.parse(body)
    const mark = JSON.parse(readFileSync(join(dataDir, 'orch-etcd.json'), 'utf8')) as object
    expect(folder).toEqual({ dataDir, token: (mark as { token: string }).token })
    expect(isMarked(folder)).toBe(true)
    expect(readdirSync(dataDir)).toEqual(['orch-etcd.json'])
  })

  test('a second at the same port says so', async () => {
    const { code, said } = await start(
      file,
      `--data-dir=${dir}/other`,
      `--listen-client-urls=http://127.0.0.1:${port}`,
    )
    expect([await code, said.err]).toEqual([1, `etcd: address 127.0.0.1:${port} is in use\n`])
  })
})

test('no plan where only help is asked for, or nothing can be served', async () => {
  for (const args of [['--help'], ['--version'], ['--data-dir', '/proc/none'], ['--fo']])
    await planEtcd(args, { out: () => {}, err: () => {}, onEnd: () => {} }, (plan) =>
      expect(plan).toBe(null),
    )
})

describe('answers that are not believed', () => {
  const dataDir = join(dir, 'marked')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'orch-etcd.json'), '{"token":"t"}')
  for (const { name, answer, expected = false } of [
    { name: 'the token of the mark is', answer: { dataDir, token: 't' }, expected: true },
    { name: 'another token', answer: { dataDir, token: 'u' } },
    { name: 'no token', answer: { dataDir } },
    { name: 'a directory without a mark', answer: { dataDir: dir, token: 't' } },
    { name: 'no object', answer: 'http' },
    { name: 'nothing', answer: null },
  ]) {
    test(name, () => expect(isMarked(answer)).toBe(expected))
  }
})

test('prefixes of keys have directories of their own, inside', () => {
  const of = (prefix: string) => objectsDir({ dataDir: '/d', token: '' }, prefix)
  expect(['/registry', '', '..', 'a/../../b'].map(of)).toEqual([
    '/d/orch-objects-%2Fregistry',
    '/d/orch-objects-',
    '/d/orch-objects-..',
    '/d/orch-objects-a%2F..%2F..%2Fb',
  ])
})
