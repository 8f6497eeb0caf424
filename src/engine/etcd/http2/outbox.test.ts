import { expect, test } from 'vitest'
import { FRAME, frame } from '../../../http2/frames.ts'
import { Outbox } from './outbox.ts'

test('frames leave as they would one by one, also when there are more than fit', () => {
  const outbox = new Outbox()
  for (const size of [0, 1, 16_384, 3]) {
    const expected: Buffer[] = []
    for (let i = 0; i < 20; i++) {
      const payload = Buffer.alloc(size, i)
      outbox.frame(FRAME.DATA, i & 1, 2 * i + 1, payload)
      expected.push(frame(FRAME.DATA, i & 1, 2 * i + 1, payload))
    }
    const taken = outbox.take()
    expect(Buffer.compare(taken, Buffer.concat(expected))).toBe(0)
    expect(outbox.isEmpty).toBe(true)
    outbox.giveBack(taken)
  }
})

test('what was taken stays as it is until it is given back', () => {
  const outbox = new Outbox()
  outbox.put(Buffer.from('first'))
  const first = outbox.take()
  outbox.put(Buffer.from('other'))
  const second = outbox.take()
  outbox.put(Buffer.from('third'))
  expect([first, second, outbox.take()].map(String)).toEqual(['first', 'other', 'third'])
})

test('memory that was given back is used again', () => {
  const outbox = new Outbox()
  outbox.put(Buffer.from('one'))
  const first = outbox.take()
  outbox.giveBack(first)
  outbox.put(Buffer.from('two'))
  const second = outbox.take()
  outbox.put(Buffer.from('three'))
  expect(outbox.take().buffer).toBe(first.buffer)
  expect(second.buffer).not.toBe(first.buffer)
})
