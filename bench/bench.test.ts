import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../src/base/clock.ts'
import { createPki, type Pki } from '../src/pki/files.ts'
import { vocabularies } from '../src/vocabulary/index.ts'
import { startBare, type BareMode, type BareServer } from './bare/server.ts'
import { AnswerParser } from './load/answer-parser.ts'
import { CHANGING, REVISION, type Plan, type Target } from './load/job.ts'
import { requestsOf } from './load/requests.ts'
import { runRequests } from './load/run-requests.ts'
import { runWatch } from './load/run-watch.ts'
import { verdictOf, type Row } from './measure.ts'
import { parseOptions } from './options.ts'

let pki: Pki
const running: BareServer[] = []

beforeAll(async () => {
  pki = await createPki({
    vocabulary: vocabularies.orch,
    clock: systemClock,
    bindAddress: '127.0.0.1',
  })
})
afterAll(() => Promise.all(running.map((server) => server.close())))

async function bare(mode: BareMode): Promise<Target> {
  const server = await startBare({ cert: pki.servingCert, key: pki.servingKey, ca: pki.ca }, mode)
  running.push(server)
  return { port: server.port, ca: pki.ca, cert: pki.adminCert, key: pki.adminKey, pid: process.pid }
}

const bounds = { seconds: 60, warmUpSeconds: 0, atMost: 300 }

describe('load against the bare server', () => {
  for (const { protocol, connections, streams } of [
    { protocol: 'h1', connections: 8, streams: 1 },
    { protocol: 'h2', connections: 2, streams: 4 },
  ] as const) {
    test(`${protocol} asks as often as told and gets every byte`, async () => {
      const target = await bare({
        is: 'http',
        headers: { 'content-type': 'text/plain' },
        body: 'v'.repeat(2048),
      })
      const plan = { is: 'get', path: '/' } as const
      const result = await runRequests({
        is: 'requests',
        target,
        protocol,
        connections,
        streams,
        plan,
        ...bounds,
      })
      expect({ operations: result.operations, bytes: result.bytes }).toEqual({
        operations: 300,
        bytes: 300 * 2048,
      })
    })
  }

  test('creating ends when all objects are made', async () => {
    const target = await bare({ is: 'http', headers: {}, body: '{}' })
    const plan = { is: 'create', path: '/', prefix: 'a-', sizeBytes: 2048, count: 50 } as const
    const result = await runRequests({
      is: 'requests',
      target,
      protocol: 'h1',
      connections: 4,
      streams: 1,
      plan,
      ...bounds,
    })
    expect(result.operations).toBe(50)
  })

  test('applying ends when each lane has applied', async () => {
    const target = await bare({ is: 'http', headers: {}, body: '{}' })
    const plan = { is: 'apply', path: '/', prefix: 'a-', changes: true, count: 8 } as const
    const result = await runRequests({
      is: 'requests',
      target,
      protocol: 'h1',
      connections: 4,
      streams: 1,
      plan,
      ...bounds,
    })
    expect(result.operations).toBe(8)
  })

  test('a bulk answer comes whole', async () => {
    const target = await bare({ is: 'bulk', bytes: 1_000_001 })
    const plan = { is: 'get', path: '/' } as const
    const result = await runRequests({
      is: 'requests',
      target,
      protocol: 'h1',
      connections: 1,
      streams: 1,
      plan,
      ...bounds,
      atMost: 5,
    })
    expect({ operations: result.operations, bytes: result.bytes }).toEqual({
      operations: 5,
      bytes: 5_000_005,
    })
  })

  test('every watcher gets every event', async () => {
    const target = await bare({ is: 'fan-out', frame: `${'v'.repeat(99)}\n` })
    const writes = {
      is: 'create',
      path: '/',
      prefix: 'a-',
      sizeBytes: 512,
      count: 100_000,
    } as const
    const result = await runWatch({
      is: 'watch',
      target,
      protocol: 'h1',
      connections: 20,
      streams: 1,
      path: '/',
      writes,
      inFlight: 2,
      seconds: 0.05,
    })
    expect(result.operations).toBeGreaterThan(0)
    expect({ rest: result.operations % 20, bytes: result.bytes }).toEqual({
      rest: 0,
      bytes: result.operations * 100,
    })
  })

  test('a refusal ends the measurement', async () => {
    const target = await bare({ is: 'http', headers: { ':status': '404' }, body: 'not here' })
    const plan = { is: 'get', path: '/x' } as const
    await expect(
      runRequests({
        is: 'requests',
        target,
        protocol: 'h2',
        connections: 1,
        streams: 1,
        plan,
        ...bounds,
      }),
    ).rejects.toThrow('get /x: 404 not here')
  })
})

describe('requests of a plan', () => {
  const at = { path: '/things', prefix: 'a-' }
  const count = 100
  for (const { plan, method, path, type } of [
    {
      plan: { is: 'createDeployments', ...at, count },
      method: 'POST',
      path: '/things',
      type: 'application/json',
    },
    {
      plan: { is: 'createBindings', paths: ['/bindings', '/more'], prefix: 'b-', count },
      method: 'POST',
      path: '/bindings',
      type: 'application/json',
    },
    {
      plan: { is: 'createPods', paths: ['/pods', '/more'], prefix: 'p-', count, onEachNode: 1 },
      method: 'POST',
      path: '/pods',
      type: 'application/json',
    },
    {
      plan: { is: 'patchLease', ...at },
      method: 'PATCH',
      path: '/things/a-0000001',
      type: 'application/merge-patch+json',
    },
    {
      plan: { is: 'patchImage', ...at },
      method: 'PATCH',
      path: '/things/a-0000001',
      type: 'application/strategic-merge-patch+json',
    },
    {
      plan: { is: 'apply', ...at, changes: true, count },
      method: 'PATCH',
      path: '/things/a-0000001?fieldManager=applier',
      type: 'application/apply-patch+yaml',
    },
  ] satisfies { plan: Plan; method: string; path: string; type: string }[]) {
    test(plan.is, () => {
      const next = requestsOf(plan)
      const [first, second] = [next(1, null)!, next(1, null)!]
      expect({ method: first.method, path: first.path, type: first.contentType }).toEqual({
        method,
        path,
        type,
      })
      expect(JSON.parse(String(first.body))).not.toEqual(JSON.parse(String(second.body)))
    })
  }

  test('are numbered from where they begin, and some are marked', () => {
    const next = requestsOf({
      is: 'create',
      ...at,
      sizeBytes: 1024,
      count: 4,
      from: 3,
      markEvery: 2,
    })
    const made = Array.from({ length: 5 }, () => next(0, null)?.body ?? null)
    expect(
      made.map((body) => body && (JSON.parse(String(body)) as { metadata: object }).metadata),
    ).toEqual([
      { name: 'a-0000003' },
      { name: 'a-0000004', labels: { marked: 'yes' } },
      { name: 'a-0000005' },
      { name: 'a-0000006', labels: { marked: 'yes' } },
      null,
    ])
    expect(new Set(made.slice(0, 4).map((body) => body?.length)).size).toBe(1)
  })

  test('of replacements read first, and send what the last answer said', () => {
    const text = `{"resourceVersion":"${REVISION}","at":"${CHANGING}"}`
    const next = requestsOf({ is: 'replace', paths: ['/a', '/b'], texts: ['{}', text] })
    const answer = (head: string) => ({ status: 200, bodyBytes: head.length, head })
    const sent = [
      next(1, null)!,
      next(1, answer('{"resourceVersion":"7"}'))!,
      next(1, answer('{"resourceVersion":"9"}'))!,
    ]
    expect(sent.map(({ method, path, body }) => [method, path, body && String(body)])).toEqual([
      ['GET', '/b', null],
      ['PUT', '/b', '{"resourceVersion":"7","at":"000000"}'],
      ['PUT', '/b', '{"resourceVersion":"9","at":"000001"}'],
    ])
  })

  test('that end by themselves, and that never do', () => {
    const once = requestsOf({ is: 'deleteCollection', path: '/x' })
    const gets = requestsOf({ is: 'gets', paths: ['/x', '/y'] })
    expect([once(0, null)?.method, once(1, null)]).toEqual(['DELETE', null])
    expect([0, 1, 2].map((lane) => gets(lane, null)?.path)).toEqual(['/x', '/y', '/x'])
  })

  test('carry the form that is asked for', () => {
    const wire = requestsOf({ is: 'get', path: '/x', accept: 'a/b' })(0, null)!.wireFor(undefined)
    expect(String(wire)).toContain('\r\nAccept: a/b\r\n')
  })

  test('carry the token', () => {
    const wire = (token?: string) =>
      String(requestsOf({ is: 'get', path: '/x' })(0, null)!.wireFor(token))
    const head =
      'GET /x HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\nUser-Agent: bench\r\n'
    expect([wire(), wire('t')]).toEqual([`${head}\r\n`, `${head}Authorization: Bearer t\r\n\r\n`])
  })

  test('of an apply that changes nothing are the same', () => {
    const next = requestsOf({ is: 'apply', ...at, changes: false, count })
    const [first, second] = [next(1, null)!, next(1, null)!]
    expect(second.wireFor(undefined).equals(first.wireFor(undefined))).toBe(true)
    const { metadata } = JSON.parse(String(first.body)) as { metadata: { name: string } }
    expect(metadata.name).toBe('a-0000001')
  })
})

describe('the parser of answers', () => {
  const stream = Buffer.from(
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
      'HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n' +
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: a\r\n\r\n' +
      'HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno',
  )
  const expected = [
    [200, 'hello'],
    [201, ''],
    [200, 'abc0123456789'],
    [404, 'no'],
  ]
  for (const size of [1, 2, 3, 7, 20, 1000]) {
    test(`takes pieces of ${size}`, () => {
      const answers: [number, string][] = []
      let body = ''
      const parser = new AnswerParser({
        onBody: (piece) => (body += piece.toString()),
        onEnd: (status) => {
          answers.push([status, body])
          body = ''
        },
      })
      for (let at = 0; at < stream.length; at += size) parser.push(stream.subarray(at, at + size))
      expect(answers).toEqual(expected)
    })
  }
})

describe('what a row says', () => {
  const s = (value: number, cpuMicros: number | null) => ({ value, cpuMicros, loadCores: null })
  const row: Row = {
    question: 'q',
    what: 'w',
    unit: '/s',
    ours: [],
    bare: [],
    goal: { of: 'ratio', is: 'at least', number: 0.5 },
  }
  for (const { name, given, ratio, ratioByTime, met } of [
    {
      name: 'rates are compared by CPU, neighbours with each other',
      given: {
        ...row,
        ours: [s(10, 200), s(10, 100), s(5, 300)],
        bare: [s(20, 100), s(20, 60), s(20, 100)],
      },
      ratio: 0.5,
      ratioByTime: 0.5,
      met: true,
    },
    {
      name: 'rates without CPU are compared by time',
      given: { ...row, ours: [s(1, null)], bare: [s(4, null)] },
      ratio: 0.25,
      ratioByTime: 0.25,
      met: false,
    },
    {
      name: 'times are compared as they are',
      given: {
        ...row,
        unit: 'ms',
        ours: [s(30, 5)],
        bare: [s(10, 50)],
        goal: { of: 'ratio', is: 'at most', number: 3 },
      },
      ratio: 3,
      ratioByTime: null,
      met: true,
    },
    {
      name: 'a goal of our own value needs no limit',
      given: {
        ...row,
        unit: 'MB',
        ours: [s(130, null)],
        goal: { of: 'value', is: 'at most', number: 120 },
      },
      ratio: null,
      ratioByTime: null,
      met: false,
    },
    {
      name: 'the limit alone meets nothing',
      given: { ...row, bare: [s(1, 1)] },
      ratio: null,
      ratioByTime: null,
      met: null,
    },
  ] satisfies { name: string; given: Row; [key: string]: unknown }[]) {
    test(name, () => {
      const verdict = verdictOf(given)
      expect({ ratio: verdict.ratio, ratioByTime: verdict.ratioByTime, met: verdict.met }).toEqual({
        ratio,
        ratioByTime,
        met,
      })
    })
  }
})

describe('what CPU may cost', () => {
  const s = (cpuMicros: number | null) => ({ value: 1, cpuMicros, loadCores: null })
  const row: Row = { question: 'q', what: 'w', unit: '/s', ours: [], bare: [], goal: null }
  const rounds = {
    ours: [s(300), s(200), s(250)],
    bare: [s(100), s(100), s(100)],
    gets: [s(50), s(50), s(25)],
  }
  for (const { name, given, cost, costMet } of [
    {
      name: 'nothing is told without a goal',
      given: { ...row, ...rounds },
      cost: null,
      costMet: null,
    },
    {
      name: 'in gets of the same round',
      given: { ...row, ...rounds, costs: { of: 'gets', atMost: 5.9 } },
      cost: 6,
      costMet: false,
    },
    {
      name: "to the row's limit",
      given: { ...row, ...rounds, costs: { of: 'bare', atMost: 2.5 } },
      cost: 2.5,
      costMet: true,
    },
    {
      name: 'unknown without rounds to compare',
      given: { ...row, ours: [s(1)], costs: { of: 'gets', atMost: 1 } },
      cost: null,
      costMet: null,
    },
  ] satisfies { name: string; given: Row; cost: number | null; costMet: boolean | null }[]) {
    test(name, () => {
      expect(verdictOf(given)).toMatchObject({ cost, costMet })
    })
  }
})

describe('engines that are measured', () => {
  for (const { args, chosen } of [
    { args: [], chosen: null },
    { args: ['--bare-only'], chosen: ['lmdb'] },
    { args: ['--store', 'both', '--bare-only'], chosen: ['lmdb', 'etcd'] },
    { args: ['--store', 'etcd'], chosen: ['etcd'] },
  ]) {
    test(args.join(' ') || 'by default', () => {
      expect(parseOptions(args, { server: ['x'], dir: '/' })?.stores).toEqual(chosen)
    })
  }

  test('are known ones', () => {
    expect(() => parseOptions(['--store', 'x'], { server: ['x'], dir: '/' })).toThrow(
      '--store takes lmdb, etcd or both',
    )
  })
})

describe('a run', () => {
  const run = async (...args: string[]) => {
    const dir = await mkdtemp(join(tmpdir(), 'bench-test-'))
    try {
      const done = await promisify(execFile)(process.execPath, [
        join(import.meta.dirname, 'run.mjs'),
        '--quick',
        '--seconds',
        '0.1',
        '--json',
        '--dir',
        dir,
        ...args,
      ]).catch((error: { code: number; stdout: string }) => ({
        code: error.code,
        stdout: error.stdout,
      }))
      const { rows, notes } = JSON.parse(done.stdout) as {
        rows: { question: string }[]
        notes: string[]
      }
      return {
        code: 'code' in done ? done.code : 0,
        rows: rows.map((row) => row.question),
        notes,
        left: readdirSync(dir),
      }
    } finally {
      await rm(dir, { recursive: true })
    }
  }

  test('of limits alone gives a row for each figure and leaves nothing behind', async () => {
    expect(await run('--bare-only', '--only', 'get,start')).toMatchObject({
      code: 0,
      rows: ['get', 'get', 'start', 'start', 'start'],
      left: [],
    })
  })

  test('with a server that does not start tells so and leaves nothing behind', async () => {
    const command = `${process.execPath} -e 0 --`
    expect(await run('--server', command, '--only', 'get', '--store', 'lmdb')).toEqual({
      code: 1,
      rows: [],
      notes: [
        `get failed: ${command} ended with 0 before it was ready; npm run build makes what is measured`,
      ],
      left: [],
    })
  })
})
