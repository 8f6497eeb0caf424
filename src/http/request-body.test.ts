import { describe, expect, test } from 'vitest'
import { BodyMemory } from './body-memory.ts'
import { IterationQueue } from '../base/iteration-queue.ts'
import { BodyQueue } from './body-queue.ts'
import { BodyCutOff, collectBody, type BodySink } from './request-body.ts'

const text = (length: number) => Buffer.alloc(length, 'x')

describe('a body', () => {
  for (const { name, feed, declared, expected } of [
    { name: 'empty', feed: (s) => s.end(), expected: 0 },
    { name: 'in one piece', feed: (s) => (s.data(text(5)), s.end()), declared: 5, expected: 5 },
    {
      name: 'in many pieces',
      feed: (s) => {
        for (let i = 0; i < 900; i++) s.data(text(1))
        s.end()
      },
      expected: 900,
    },
    { name: 'of a length that does not end', feed: (s) => (s.data(text(5)), s.cut()), declared: 5 },
    { name: 'of no known length that does not end', feed: (s) => (s.data(text(5)), s.cut()) },
    { name: 'shorter than declared', feed: (s) => (s.data(text(4)), s.end()), declared: 5 },
    { name: 'longer than declared', feed: (s) => (s.data(text(6)), s.end()), declared: 5 },
    { name: 'cut off at once', feed: (s) => s.cut(), declared: 5 },
    {
      name: 'that ends and is cut after',
      feed: (s) => (s.data(text(5)), s.end(), s.cut()),
      expected: 5,
    },
    { name: 'that ends after it was cut', feed: (s) => (s.data(text(5)), s.cut(), s.end()) },
    {
      name: 'of the largest length',
      feed: (s) => (s.data(text(600)), s.data(text(400)), s.end()),
      declared: 1000,
      expected: 1000,
    },
    {
      name: 'beyond the limit',
      feed: (s) => (s.data(text(600)), s.data(text(401)), s.end()),
      expected: 'Request entity too large: limit is 1000',
    },
    {
      name: 'declared beyond the limit',
      feed: () => {},
      declared: 1001,
      expected: 'Request entity too large: limit is 1000',
    },
    {
      name: 'beyond the budget',
      feed: (s) => (s.data(text(600)), s.data(text(300)), s.data(text(80)), s.end()),
      expected: 'Too many requests: bodies of other requests take all the memory there is for them',
    },
  ] as {
    name: string
    feed: (sink: BodySink) => void
    declared?: number
    expected?: number | string
  }[]) {
    test(name, async () => {
      const memory = new BodyMemory(name === 'beyond the budget' ? 1900 : 1e6)
      const budget = memory.share('me')
      const { sink, body } = collectBody({ declared, limit: 1000, budget })
      feed(sink)
      if (typeof expected === 'number') {
        expect((await body).equals(text(expected))).toBe(true)
        expect(memory.held).toBe(expected)
      } else {
        const error = await body.then(
          () => null,
          (thrown: unknown) => thrown,
        )
        if (expected === undefined) expect(error).toBeInstanceOf(BodyCutOff)
        else expect(error).toMatchObject({ message: expected })
        expect(memory.held).toBe(0)
      }
      budget.close()
      budget.close()
      expect(memory.held).toBe(0)
    })
  }
})

describe('memory for bodies', () => {
  test('one user gets half of it', () => {
    const memory = new BodyMemory(100)
    const [mine, more, yours, others] = ['me', 'me', 'you', 'they'].map((name) =>
      memory.share(name),
    )
    expect([mine!.take(40), more!.take(11), more!.take(10)]).toEqual([true, false, true])
    expect([yours!.take(50), others!.take(1)]).toEqual([true, false])
    mine!.close()
    expect([others!.take(40), more!.take(1), memory.held]).toEqual([true, false, 100])
    for (const share of [more, yours, others]) share!.close()
    expect(memory.held).toBe(0)
  })
})

describe('large bodies', () => {
  test('are read one per iteration of the event loop, and small ones at once', async () => {
    const queue = new BodyQueue(new IterationQueue())
    const { signal } = new AbortController()
    expect(queue.wait(1000, () => signal)).toBeNull()
    const seen: string[] = []
    const large = ['a', 'b', 'c'].map(async (name) => {
      await queue.wait(1 << 20, () => signal)
      seen.push(name)
    })
    for (let i = 1; i <= 3; i++) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      seen.push(String(i))
    }
    await Promise.all(large)
    expect(seen).toEqual(['a', '1', 'b', '2', 'c', '3'])
  })

  test('of disconnected clients leave the queue at once', async () => {
    const queue = new BodyQueue(new IterationQueue())
    const seen: string[] = []
    const wait = (name: string, gone = new AbortController()) => {
      const ended = queue
        .wait(1 << 20, () => gone.signal)!
        .then(
          () => void seen.push(name),
          (error: unknown) => void seen.push(`${name} ${String(error instanceof BodyCutOff)}`),
        )
      return { gone, ended }
    }
    const closed = new AbortController()
    closed.abort()
    const waiting = ['a', 'b', 'c', 'd'].map((name) => wait(name))
    for (const i of [0, 2]) waiting[i]!.gone.abort()
    await wait('closed', closed).ended
    expect(seen).toEqual(['a true', 'c true', 'closed true'])
    for (let i = 1; i <= 2; i++) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      seen.push(String(i))
    }
    for (const { gone, ended } of waiting) {
      gone.abort()
      await ended
    }
    expect(seen.slice(3)).toEqual(['b', '1', 'd', '2'])
  })
})
