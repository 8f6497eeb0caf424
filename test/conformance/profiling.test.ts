/** `/debug/pprof/`: profiles that the tools of the ecosystem read, for whoever may, one at a time. */
import { gunzipSync } from 'node:zlib'
import { parse } from 'protobufjs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type RunningServer } from '../../src/index.ts'
import { Client } from '../client.ts'

/** The part of the format that is used. */
const { root } = parse(`syntax = "proto3";
message ValueType { int64 type = 1; int64 unit = 2; }
message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
message Line { uint64 function_id = 1; int64 line = 2; }
message Location { uint64 id = 1; uint64 mapping_id = 2; uint64 address = 3; repeated Line line = 4; }
message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
message Profile {
  repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4;
  repeated Function function = 5; repeated string string_table = 6; int64 time_nanos = 9;
  int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12;
}`)

let server: RunningServer
let admin: Client
beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes', controllers: false })
  admin = new Client(server)
})
afterAll(async () => {
  admin.close()
  await server.close()
})

/** The types and the names in all stacks; throws where the profile refers to what it lacks. */
async function profileAt(path: string) {
  const stream = await admin.open('GET', path)
  expect(stream.statusCode).toBe(200)
  expect(stream.headers['content-type']).toBe('application/octet-stream')
  const bytes = gunzipSync(Buffer.concat(await stream.toArray()))
  const profile = root.lookupType('Profile').toObject(root.lookupType('Profile').decode(bytes), {
    longs: Number,
    defaults: true,
  })
  const texts = profile.stringTable as string[]
  expect(texts[0]).toBe('')
  const functions = new Map(profile.function.map((f: any) => [f.id, texts[f.name]]))
  const locations = new Map(
    profile.location.map((l: any) => [l.id, functions.get(l.line[0].functionId)]),
  )
  const names = profile.sample.map((s: any) => s.locationId.map((id: number) => locations.get(id)))
  for (const stack of names) expect(stack).not.toContain(undefined)
  for (const sample of profile.sample) {
    expect(sample.value.length).toBe(profile.sampleType.length)
    for (const value of sample.value) expect(value).toBeGreaterThanOrEqual(0)
  }
  const types = profile.sampleType.map((t: any) => `${texts[t.type]} ${texts[t.unit]}`)
  return { types, names: names as string[][], period: profile.period as number }
}

test.each([
  { path: 'profile?seconds=0.3', types: ['samples count', 'cpu nanoseconds'] },
  { path: 'heap?seconds=0.2', types: ['inuse_objects count', 'inuse_space bytes'] },
  { path: 'allocs?seconds=0.2', types: ['alloc_objects count', 'alloc_space bytes'] },
  { path: 'goroutine', types: ['resource count'] },
])('$path', async ({ path, types }) => {
  const asking = profileAt(`/debug/pprof/${path}`)
  // Something to see.
  const kept: unknown[] = []
  for (let i = 0; i < 10; i++) {
    await admin.ask('GET', '/api/v1/namespaces')
    kept.push(Array.from({ length: 20_000 }, () => ({})))
  }
  const profile = await asking
  expect(profile.types).toEqual(types)
  expect(profile.period).toBeGreaterThan(0)
  expect(profile.names.length).toBeGreaterThan(0)
  expect(kept.length).toBe(10)
})

test.each([
  { path: '/debug/pprof/', type: 'text/html; charset=utf-8', shows: /href="\/debug\/pprof\/heap"/ },
  {
    path: '/debug/pprof',
    type: 'text/html; charset=utf-8',
    shows: /href="\/debug\/pprof\/profile"/,
  },
  { path: '/debug/pprof/cmdline', type: 'text/plain; charset=utf-8', shows: /node/ },
  { path: '/debug/pprof/symbol', type: 'text/plain; charset=utf-8', shows: /^num_symbols: 1\n$/ },
  {
    path: '/debug/pprof/goroutine?debug=1',
    type: 'text/plain; charset=utf-8',
    shows: /^active resources:\n(\d+ \w+\n)+$/,
  },
])('$path', async ({ path, type, shows }) => {
  const reply = await admin.ask('GET', path)
  expect(reply.status).toBe(200)
  expect(reply.headers['content-type']).toBe(type)
  expect(reply.text).toMatch(shows)
})

test.each(['block', 'mutex', 'threadcreate', 'trace'])('%s has no counterpart', async (name) => {
  const reply = await admin.ask('GET', `/debug/pprof/${name}`)
  expect(reply.status).toBe(501)
  expect(reply.text).toMatch(new RegExp(`^There is no profile ${name}: .*\\.\n$`))
})

test.each(['0', '-1', '301', '1e2', 'x', '1;2'])('seconds=%s is refused', async (seconds) => {
  const reply = await admin.ask('GET', `/debug/pprof/profile?seconds=${seconds}`)
  expect([reply.status, reply.body.message]).toEqual([
    400,
    `seconds must be above 0 and at most 300, not ${seconds}`,
  ])
})

test('one profile at a time; it ends when its client leaves', async () => {
  const busy = 'Could not enable profiling: profiling already in use\n'
  const leaving = new Client(server)
  let isOver = false
  const first = (async () => {
    // The other may be faster.
    while (!isOver) {
      const reply = await leaving.ask('GET', '/debug/pprof/profile?seconds=300').catch(() => null)
      if (reply?.text !== busy) return
    }
  })()
  await expect
    .poll(async () => (await admin.ask('GET', '/debug/pprof/heap?seconds=0.01')).text)
    .toBe(busy)
  isOver = true
  leaving.close()
  await first
  await expect
    .poll(async () => (await admin.ask('GET', '/debug/pprof/heap?seconds=0.01')).status)
    .toBe(200)
})

test('only for whoever may, and switched off', async () => {
  const nobody = new Client(server, { anonymous: true })
  expect((await nobody.ask('GET', '/debug/pprof/cmdline')).status).toBe(403)
  nobody.close()
  const other = await startServer({ controllers: false, profiling: false })
  const client = new Client(other)
  const paths = ['', '/profile', '/heap'].map((path) => `/debug/pprof${path}`)
  const replies = await Promise.all(paths.map((path) => client.ask('GET', path)))
  client.close()
  await other.close()
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404])
})
