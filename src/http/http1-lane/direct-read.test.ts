import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { readDirectly } from './direct-read.ts'

function made() {
  const socket = new Socket()
  const got: string[] = []
  socket.on('data', (bytes) => got.push(`queued ${bytes.toString()}`))
  const end = readDirectly(socket, (bytes) => got.push(`direct ${bytes.toString()}`))
  const push = (text: string) => socket.push(Buffer.from(text))
  return { socket, got, end, push }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what comes is passed on at once', async () => {
  const { got, push } = made()
  await turn()
  expect([push('a'), push('b')]).toEqual([true, true])
  expect(got).toEqual(['direct a', 'direct b'])
})

test('while the stream is paused its queue is used, and what is in it comes first', async () => {
  const { socket, got, push } = made()
  await turn()
  socket.pause()
  push('a')
  expect(got).toEqual([])
  socket.resume()
  push('b')
  await turn()
  push('c')
  expect(got).toEqual(['queued a', 'queued b', 'direct c'])
})

test('the end of the stream is its own', async () => {
  const { socket, got, push } = made()
  const ended = new Promise((resolve) => socket.once('end', resolve))
  await turn()
  push('a')
  socket.push(null)
  await ended
  expect(got).toEqual(['direct a'])
})

test('it ends', async () => {
  const { got, end, push } = made()
  await turn()
  end()
  push('a')
  await turn()
  expect(got).toEqual(['queued a'])
})
