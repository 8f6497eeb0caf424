/** The calls by which other processes and other languages use a server under test. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main } from '../cli/main.ts'
import type { EndSignal, Terminal } from '../cli/terminal.ts'
import type { Client } from '../client/client.ts'
import { serveControl, type Control } from './control.ts'
import { startTestServer, type TestServer } from './index.ts'

let server: TestServer
let control: Control
let client: Client
beforeAll(async () => {
  server = await startTestServer()
  control = await serveControl(server)
  client = await server.connect({ retries: 0 })
}, 30_000)
afterAll(async () => {
  client.close()
  await control.close()
  await server.close()
})

async function call(name: string, given?: unknown): Promise<unknown> {
  const body = given === undefined ? '' : JSON.stringify(given)
  const response = await fetch(`${control.url}/${name}`, { method: 'POST', body })
  const answer: unknown = await response.json()
  return response.status === 200 ? answer : [response.status, answer]
}
const maps = () => client.resource('v1', 'configmaps').in('default')

test('every call does what it is named after', async () => {
  const { name } = (await call('namespace', { prefix: 'far' })) as { name: string }
  expect(name).toMatch(/^far-/)
  expect(await call('snapshot')).toEqual({ snapshot: 1 })
  expect(await call('fail', { verb: 'create', status: 503, times: 1 })).toEqual({ fault: 1 })
  await expect(maps().create({ metadata: { name: 'a' } })).rejects.toMatchObject({ code: 503 })
  expect(await call('fault', { fault: 1 })).toEqual({ hits: 1 })
  expect(await call('remove', { fault: 1 })).toEqual({})
  await maps().create({ metadata: { name: 'a' } })
  expect(await call('requests', { verb: 'create', resource: 'configmaps' })).toMatchObject({
    requests: [{ status: 503 }, { status: 201, user: { name: 'orch-admin' } }],
  })
  const session = (await call('session')) as { requests: unknown[] }
  expect(session.requests).toHaveLength(1)
  expect(await call('restore', { snapshot: 1 })).toEqual({})
  expect(await maps().find('a')).toBeNull()
  expect(await call('replay', session)).toEqual({})
  expect(await maps().find('a')).not.toBeNull()
  expect(await call('reset')).toEqual({})
  expect(await client.resource('v1', 'namespaces').find(name)).toBeNull()

  const before = server.clock.now()
  const { time } = (await call('advance', { by: '1h' })) as { time: string }
  expect(Date.parse(time) - before).toBeGreaterThanOrEqual(3_600_000)
  for (const one of ['jump', 'stop-clock', 'start-clock', 'clock'])
    expect(await call(one, { by: 1 })).toEqual({ time: expect.stringMatching(/Z$/) })
  expect(await call('kubeconfig', { name: 'ann' })).toEqual({
    kubeconfig: expect.stringContaining('client-certificate-data'),
  })
  const manifests = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}'
  expect(await call('apply', { manifests })).toMatchObject({
    objects: [{ metadata: { name: 'b' } }],
  })
  expect(await call('drop-watches', { resource: 'pods' })).toEqual({ dropped: 0 })
  for (const one of ['expire-watches', 'expire-history', 'settled'])
    expect(await call(one)).toEqual({})
  expect(await call('webhooks')).toEqual({ calls: [] })
})

for (const [name, given, expected] of [
  [
    'nothing',
    {},
    [404, { error: expect.stringMatching(/^unknown call nothing; there are reset, /) }],
  ],
  ['constructor', {}, [404, { error: expect.stringMatching(/^unknown call constructor/) }]],
  ['fault', { fault: 77 }, [400, { error: 'there is no fault 77' }]],
  ['restore', {}, [400, { error: 'there is no snapshot null' }]],
  ['advance', {}, [400, { error: 'undefined is no time that can pass' }]],
  [
    'fail',
    { verb: 'get' },
    [400, { error: 'a fault needs one of status, drop, delay, hold, race' }],
  ],
  ['reset', [], [400, { error: 'arguments are a JSON object' }]],
] as const)
  test(`${name} with ${JSON.stringify(given)} is refused`, async () => {
    expect(await call(name, given)).toEqual(expected)
  })

test('who does not know the address is refused', async () => {
  const { origin } = new URL(control.url)
  for (const path of ['/', '/reset', '/x/reset']) {
    const response = await fetch(origin + path, { method: 'POST' })
    expect([response.status, await response.json()]).toEqual([404, { error: 'not found' }])
  }
  const response = await fetch(`${control.url}/reset`)
  expect([response.status, await response.json()]).toEqual([
    405,
    { error: 'calls are made by POST' },
  ])
})

test('a program of its own serves tests in any language', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'test-server-'))
  let said = ''
  let end: (signal: EndSignal) => void = () => {}
  const exited = new Promise<number>((resolve) => {
    const terminal: Terminal = {
      out(text) {
        said += text
        void use().finally(() => end('SIGTERM'))
      },
      err: (text) => void (said += text),
      onSignal: (call) => void (end = call),
      exit: resolve,
    }
    const args = ['--data-dir', dir, '--secure-port=0', '--vocabulary=kubernetes']
    void main(['test-server', ...args], { version: '1.2.3', terminal })
  })
  let answered: unknown
  const use = async () => {
    const url = await readFile(join(dir, 'control.url'), 'utf8')
    const response = await fetch(`${url}/reset`, { method: 'POST' })
    answered = [response.status, await response.json()]
  }
  expect(await exited, said).toBe(0)
  expect(answered).toEqual([200, {}])
  expect(said).toContain('is ready at https://127.0.0.1:')
  if (process.platform !== 'win32')
    expect((await stat(join(dir, 'control.url'))).mode & 0o777).toBe(0o600)
  await rm(dir, { recursive: true })
})
