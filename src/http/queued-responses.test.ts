import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Raw } from '../../test/raw.ts'
import { Client } from '../../test/client.ts'
import { startServer, type RunningServer } from '../index.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`
const TIMES = 20

let server: RunningServer
let client: Client

beforeAll(async () => {
  server = await startServer({ vocabulary: 'kubernetes', controllers: false, metrics: {} })
  client = new Client(server)
  for (let i = 0; i < 10; i++)
    await client.post(MAPS, { metadata: { name: `long-${i}` }, data: { a: 'x'.repeat(100_000) } })
})
afterAll(async () => {
  client.close()
  await server.close()
})

/** Requests that the server has in progress, without the one that asks. */
async function underway(): Promise<number> {
  const { text } = await client.get('/metrics')
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    )
  return sum('apiserver_current_inflight_requests') + sum('apiserver_longrunning_requests')
}

describe('requests that wait for the response to an earlier one of their connection', () => {
  for (const { name, first, rest } of [
    { name: 'lists', first: MAPS, rest: MAPS },
    { name: 'watches', first: `${MAPS}?watch=1`, rest: `${MAPS}?watch=1` },
    { name: 'lists behind a watch', first: `${MAPS}?watch=1`, rest: MAPS },
  ])
    test(`end with the connection: ${name}`, async () => {
      const raw = await Raw.open(server)
      raw.socket.pause()
      await raw.send(get(first) + get(rest).repeat(TIMES))
      await expect.poll(underway, { timeout: 10_000 }).toBeGreaterThan(TIMES / 2)
      raw.close()
      await expect.poll(underway, { timeout: 10_000 }).toBeLessThan(TIMES / 2)
    })

  test('cut the connection off where one asks for another protocol', async () => {
    const raw = await Raw.open(server)
    await raw.send(
      get(`${MAPS}?watch=1`) + get(MAPS, 'connection: upgrade\r\nupgrade: websocket\r\n'),
    )
    await raw.closed()
    expect((await client.get('/livez')).status).toBe(200)
  })
})
