import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { beginAfresh, beginExchange, readAnswer, StaleConnection } from './http-exchange.ts'

let close = () => {}
afterEach(() => close())

async function begin(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return beginExchange('http:', { host: '127.0.0.1', port, agent: false }, null)
}
const tooLarge = () => new Error('too large')

test('a whole response', async () => {
  const answer = await begin((response) => response.writeHead(201).end('whole'))
  expect([answer.statusCode, (await readAnswer(answer, 5, tooLarge)).toString()]).toEqual([
    201,
    'whole',
  ])
})

test('a response that is longer than it may be', async () => {
  const answer = await begin((response) => response.end('whole'))
  await expect(readAnswer(answer, 4, tooLarge)).rejects.toThrow('too large')
  expect(answer.destroyed).toBe(true)
})

test('a response that is cut off while it is read, and before', async () => {
  for (const isLate of [false, true]) {
    const answer = await begin((response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{', () => response.destroy())
    })
    if (isLate) {
      answer.resume()
      // A caller that has left gets nothing.
      answer.on('error', () => {})
      await new Promise((resolve) => answer.once('close', resolve))
    }
    await expect(readAnswer(answer, 100, tooLarge)).rejects.toThrow('aborted')
    close()
  }
})

test('a request on a stale connection is sent once more', async () => {
  let tries = 0
  let dropped = 0
  const sent = beginAfresh(
    () => Promise.reject(++tries === 1 ? new StaleConnection('') : new Error('refused')),
    () => void dropped++,
  )
  await expect(sent).rejects.toThrow('refused')
  expect([tries, dropped]).toEqual([2, 1])
})
